import { checkPlanted, listPlanted } from './planted.ts';

test.each(listPlanted())('$name still applies to the source', async ({ path, sentence }) => {
  expect(sentence).toMatch(/^[A-Z].+\.$/);
  expect(await checkPlanted(path)).toBe('');
});
