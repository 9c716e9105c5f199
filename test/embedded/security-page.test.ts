import { readdirSync, readFileSync } from 'node:fs';

const page = readFileSync('docs/security.md', 'utf8');
/** Every requirement of ASVS 5.0 at levels 1 and 2, in order. */
const numbers = readFileSync('test/support/lists/asvs-5.0-level-2.txt', 'utf8').trim().split('\n');
/** A line of the page: `- 1.2.3, 1.2.6-1.2.8 S: words · tests`. */
const lines = [...page.matchAll(/^- (\d[\d., -]*) (S|N\/A|NO): (.+)$/gm)].map(([, named = '', verdict = '', words = '']) => ({
  numbers: named.split(', ').flatMap(expand),
  verdict,
  tests: (words.split(' · ')[1] ?? '').match(/(?<=`)[^`, ]+(?=`)/g) ?? [],
}));

/** The numbers between two, both included. */
function expand(named: string): string[] {
  const [from = '', to = from] = named.split('-');
  const [first, last] = [numbers.indexOf(from), numbers.indexOf(to)];
  return first < 0 || last < first ? [`unknown ${named}`] : numbers.slice(first, last + 1);
}

test('each requirement of levels 1 and 2 has one line, in order', () => {
  expect(lines.flatMap((line) => line.numbers)).toEqual(numbers);
});

test('each satisfied requirement names a test, and each named test is one file', () => {
  expect(lines.filter(({ verdict, tests }) => verdict === 'S' && tests.length === 0).map((line) => line.numbers)).toEqual([]);
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((path) => `/${path.replaceAll('\\', '/')}`);
  const isNotOne = (name: string) => files.filter((path) => path.endsWith(`/${name}.test.ts`)).length !== 1;
  expect([...new Set(lines.flatMap(({ tests }) => tests))].filter(isNotOne)).toEqual([]);
});

test('the code that serves has no shell, evaluated text, XML parser, weak cipher, weak hash or unchecked certificate', () => {
  const refused =
    /\beval\(|new Function\(|from 'node:vm'|\bexec(?:Sync)?\([`'"]|shell: true|createHash\('(?:md5|sha1)'|createHmac\('(?:md5|sha1)'|-(?:ecb|cbc)'|rejectUnauthorized: false|DOMParser|from '(?:xml2js|fast-xml-parser|node:v8)'|import \{ format\b/;
  const found = ['src', 'worker', 'activities', 'workflows']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
    )
    .filter((path) => path.endsWith('.ts') && !path.startsWith('src/tools/'))
    .filter((path) => refused.test(readFileSync(path, 'utf8')));
  // Reads PDFs with an owner's password, whose standard prescribes MD5, RC4 and CBC (ISO 32000-2, 7.6); it protects nothing of ours.
  expect(found).toEqual(['src/platform/inspector/pdf-cipher.ts']);
});

test('a pattern is made only of constants', () => {
  const users = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.startsWith('tools/') && readFileSync(`src/${path}`, 'utf8').includes('new RegExp('));
  expect(users.toSorted()).toEqual(['areas/accounts/api-keys/create-api-key.ts', 'platform/pdf/printable-text.ts']);
});

test('the image is built without the repository, tests and secrets', () => {
  expect(readFileSync('.dockerignore', 'utf8').split('\n')).toEqual(expect.arrayContaining(['.git', 'test', 'ops/compose/secrets']));
});

test('secrets are never made by Math.random, which only spreads pauses', () => {
  const users = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.startsWith('tools/') && /Math\.random\(/.test(readFileSync(`src/${path}`, 'utf8')));
  expect(users.toSorted()).toEqual([
    'areas/notifications/stream/event-stream.ts',
    'areas/notifications/stream/live-streams.ts',
    'areas/webhooks/settle-round.ts',
    'platform/database/listener.ts',
    'platform/workflows/process-view.ts',
    'platform/workflows/temporal-processes.ts',
  ]);
});
