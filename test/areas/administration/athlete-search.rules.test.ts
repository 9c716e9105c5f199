import { readAthleteSearch } from '../../../src/areas/administration/athletes/list-athletes.ts';

test.each([
  ['Серікбаев Алматы', { words: 'Серікбаев Алматы', asItStands: '' }],
  ['777', { words: '', asItStands: `'777':* | '#777'` }],
  ['+7 (701) 123-45', { words: '', asItStands: `'770112345':* | '#770112345'` }],
  ['Aibek.S@Mail.KZ', { words: '', asItStands: `'aibek.s@mail.kz':*` }],
  ['Ғалым aibek@mail алматы', { words: 'Ғалым алматы', asItStands: `'aibek@mail':*` }],
  ['@mail.kz', { words: '@mail.kz', asItStands: '' }],
  [`o'neil@x\\y:*`, { words: '', asItStands: `'o''neil@x\\\\y:*':*` }],
  ['( ) -', { words: '( ) -', asItStands: '' }],
  ['kz-n-2026-000012, Ғалым', { words: 'Ғалым', asItStands: '', numbers: ['KZ-N-2026-000012'] }],
])('%s', (text, search) => {
  expect(readAthleteSearch(text)).toEqual({ numbers: [], ...search });
});
