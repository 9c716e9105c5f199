import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCatalogue } from '../../src/errors.ts';
import { generatedPages, withGeneratedParts } from '../../src/generate-docs.ts';
import { anchorsOf, namedPaths, namedScripts, pages, relativeLinks, scripts } from '../support/documentation.ts';

const textOf = (page: string) => readFileSync(page, 'utf8');

describe('the documentation', () => {
  test.each(generatedPages)('%s matches the code: run npm run docs:generate', (page) => {
    expect(textOf(page)).toBe(withGeneratedParts(page, textOf(page)));
  });

  test('has every error code with its status and its message', () => {
    const lines = new Set(textOf('docs/errors.md').split('\n'));
    const missing = Object.entries(errorCatalogue).filter(
      ([code, { status, message }]) => !lines.has(`- ${status} \`${code}\`: ${message}`),
    );
    expect(missing).toEqual([]);
  });

  test('a page without its markers is an error, not an empty part', () => {
    expect(() => withGeneratedParts('docs/errors.md', '# Errors\n')).toThrow('lacks the markers of "errors"');
  });

  test.each(pages)('%s has only valid links', (page) => {
    const broken = relativeLinks(textOf(page)).filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(textOf(file)).has(anchor));
    });
    expect(broken).toEqual([]);
  });

  test.each(pages)('%s names only files and folders that exist', (page) => {
    expect(namedPaths(textOf(page)).filter((path) => !existsSync(path))).toEqual([]);
  });

  test.each(pages)('%s names only npm scripts that exist', (page) => {
    expect(namedScripts(textOf(page)).filter((name) => !scripts.has(name))).toEqual([]);
  });
});

test('each sample of code that names its file stands there as it is', () => {
  const samples = pages.flatMap((page) => [...textOf(page).matchAll(/^```ts\n\/\/ (src\/\S+)\n([\s\S]*?)^```/gm)]);
  expect(samples.length).toBeGreaterThan(0);
  const bare = (code: string) =>
    code
      .replaceAll(/\/\/ .*$/gm, '')
      .split(/\s+/)
      .join(' ')
      .replaceAll(' ,', ',');
  for (const [, file = '', code = ''] of samples) expect([file, bare(textOf(file)).includes(bare(code).trim())]).toEqual([file, true]);
});
