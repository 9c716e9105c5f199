import { chooseResults, type Found } from '../../../src/areas/administration/search/choose-results.ts';
import { readSearch } from '../../../src/areas/administration/search/read-search.ts';

const words = { names: 'words', certificates: [], contract: null, invoice: null, hasBeginnings: true };

test.each<[string, object]>([
  ['3F0C6F0E-8f0b-4f6e-9d0e-6d2f1c1b7a55', { names: 'request', requestId: '3f0c6f0e-8f0b-4f6e-9d0e-6d2f1c1b7a55' }],
  ['application/12', { names: 'record', kind: 'application', id: 12 }],
  ['ownership-transfer/7', { names: 'record', kind: 'ownership-transfer', id: 7 }],
  ['Application/12', words],
  ['application/012', words],
  ['application/2147483648', words],
  ['Кубок/2026', words],
  ['kz-n-2026-000012', { ...words, certificates: ['KZ-N-2026-000012'] }],
  ['KZ-N-2026-000012 Ғалым', words],
  ['a-2026-00003', { ...words, contract: 'A-2026-00003' }],
  ['А-2026-00003', { ...words, contract: 'A-2026-00003' }],
  ['3000 000 017', { ...words, invoice: { number: '3000000017', id: null } }],
  ['12345', { ...words, invoice: { number: '12345', id: 12345 } }],
  ['0', { ...words, invoice: { number: '0', id: null }, hasBeginnings: false }],
  ['1234567890123456', words],
  ['+7 (701)', { ...words, hasBeginnings: false }],
  ['+7 (701) 12', words],
  ['ал', { ...words, hasBeginnings: false }],
  ['а б в', { ...words, hasBeginnings: false }],
  ['Ким С', words],
  ['8 марта', words],
  ['№ 77', { ...words, hasBeginnings: false }],
  ['%', { ...words, hasBeginnings: false }],
  ['😀😀', { ...words, hasBeginnings: false }],
])('%s is read (ADM-9)', (text, search) => {
  expect(readSearch(text)).toEqual('text' in search || !('certificates' in search) ? search : { ...search, text });
});

test('a hostile text is read in linear time', () => {
  const startedAt = performance.now();
  for (const text of ['-'.repeat(200), '1 '.repeat(100), 'a-'.repeat(100), 'a/'.repeat(100), `${'1'.repeat(199)}x`, 'а '.repeat(100)])
    for (let nth = 0; nth < 1000; nth += 1) readSearch(text);
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

describe('the choice of results', () => {
  const made = (kind: Found['kind'], ...ids: number[]): Found[] => ids.map((id) => ({ kind, id, title: '', subtitle: '' }));
  const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
  const shown = (found: readonly Found[]) => found.map(({ kind, id }) => `${kind} ${id}`);

  test('is by kind, in a kind exact matches first, each once', () => {
    const exact = [...made('invoice', 3), ...made('profile', 5)];
    const others = [...made('event', 1), ...made('profile', 9, 5, 2), ...made('user', 4)];
    expect(shown(chooseResults(exact, others))).toEqual(['user 4', 'profile 5', 'profile 9', 'profile 2', 'event 1', 'invoice 3']);
  });

  test('lets no kind displace another, nor a beginning a whole word', () => {
    const exact = [...made('user', ...range(1, 20)), ...made('profile', 1, 2), ...made('invoice', 7)];
    const chosen = shown(chooseResults(exact, made('event', 1)));
    expect(chosen).toHaveLength(20);
    expect(chosen.slice(-4)).toEqual(['user 17', 'profile 1', 'profile 2', 'invoice 7']);
    const crowd = [...made('user', ...range(1, 20)), ...made('profile', ...range(1, 20)), ...made('event', 1)];
    const ofCrowd = shown(chooseResults(made('contract', 5), crowd));
    expect(ofCrowd).toHaveLength(20);
    expect(ofCrowd.slice(8)).toEqual(['user 9', ...range(1, 9).map((n) => `profile ${n}`), 'event 1', 'contract 5']);
  });
});
