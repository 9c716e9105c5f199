import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCatalogue } from '../../src/errors.ts';
import { generatedPages, withGeneratedParts } from '../../src/tools/docs/generate.ts';
import { anchorsOf, calledFunctions, namedPaths, namedScripts, pages, relativeLinks, scripts } from '../support/texts/documentation.ts';

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

/** Pages whose samples `test/client/recipes.test.ts` and `test/client/verification-page.test.ts` compile and run. */
const compiled = new Set(['client/README.md', 'docs/verification.md']);

test('each sample of code is compiled by a test, or stands as it is in the file that it names', () => {
  const bare = (code: string) =>
    code
      .replaceAll(/\/\/ .*$/gm, '')
      .split(/\s+/)
      .join(' ')
      .replaceAll(' ,', ',');
  const samples = pages
    .filter((page) => !compiled.has(page))
    .flatMap((page) => [...textOf(page).matchAll(/^```(?:ts|js)\n([\s\S]*?)^```/gm)].flatMap(([, code = '']) => code.split(/^(?=\/\/ )/m)));
  expect(samples.length).toBeGreaterThan(0);
  const differing = samples.filter((sample) => {
    const file = /^\/\/ (\S+\.ts)\n/.exec(sample)?.[1] ?? '';
    return !existsSync(file) || !bare(textOf(file)).includes(bare(sample).trim());
  });
  expect(differing).toEqual([]);
});

test('the text calls only functions that exist', () => {
  const files = ['src', 'workflows', 'client', 'test/support'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const words = new Set(files.filter((file) => /(?<!\.d)\.(ts|sql)$/.test(file)).flatMap((file) => textOf(file).match(/\w+/g) ?? []));
  const called = pages.flatMap((page) => calledFunctions(textOf(page)).map((name) => `${page}: ${name}`));
  expect(called.filter((call) => !words.has(call.split(': ')[1] ?? ''))).toEqual([]);
});
