import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * `npm run rules:check`: compares `docs/rules/` with the code. Fails for a rule without code or test, a number without a page, and a
 * repeated number.
 *
 * A rule may have a table of values (`rules`), locks and races (`commands`) and answers (`routes`), each in one file of a folder. A second
 * file of such a layer must say in the title of a test what it adds. `--repeated` lists the rules that have one, the most files first.
 */

const pages = 'docs/rules';
const code = ['src', 'client', 'web', 'workflows', 'activities', 'worker'];
const tests = ['test'];
const definition = /^\*\*([A-Z]{3}-\d+)\./gm;

const rules = new Map<string, string>();
const problems: string[] = [];
for (const page of readdirSync(pages).toSorted()) {
  for (const [, rule = ''] of readFileSync(join(pages, page), 'utf8').matchAll(definition)) {
    const other = rules.get(rule);
    if (other !== undefined) problems.push(`${rule} is in ${other} and in ${page}`);
    rules.set(rule, page);
  }
}

const prefixes = [...new Set([...rules.keys()].map((rule) => rule.slice(0, 3)))].join('|');
const mention = new RegExp(String.raw`\b(?:${prefixes})-\d+\b`, 'g');
const inCode = mentionsIn(code);
const inTests = mentionsIn(tests);
for (const [rule, page] of rules) {
  if (!inCode.has(rule)) problems.push(`${rule} (${page}): no code names it`);
  if (!inTests.has(rule)) problems.push(`${rule} (${page}): no test names it`);
}
for (const [rule, [file]] of [...inCode, ...inTests]) if (!rules.has(rule)) problems.push(`${rule} in ${file}: no page of ${pages} has it`);

const repeated = [...inTests]
  .map(([rule, files]) => ({ rule, files: groupLayers(files).flatMap((layer) => (layer.length > 1 ? layer : [])) }))
  .filter(({ files }) => files.length > 0)
  .toSorted((left, right) => right.files.length - left.files.length);
for (const { rule, files } of repeated) {
  const untitled = files.filter((file) => !isInCode(rule, file));
  for (const file of untitled) problems.push(`${rule} in ${file}: name it in the title that says what this file adds, or remove it`);
}

process.stdout.write(problems.length === 0 ? `${rules.size} rules, each with code and test.\n` : `${problems.join('\n')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
if (process.argv.includes('--repeated'))
  for (const { rule, files } of repeated) process.stdout.write(`${rule} ${files.length}: ${files.join(' ')}\n`);

/** Finds the numbers in a folder's TypeScript, each with its files. */
function mentionsIn(folders: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const path = join(folder, name);
      const named = new Set(readFileSync(path, 'utf8').match(mention));
      for (const rule of named) found.set(rule, [...(found.get(rule) ?? []), path]);
    }
  }
  return found;
}

/** Groups test files by their folder and the layer that their name ends with. */
function groupLayers(files: readonly string[]): string[][] {
  const layers = Map.groupBy(
    files.filter((file) => file.endsWith('.test.ts')),
    (file) => `${dirname(file)} ${/\.(\w+)\.test\.ts$/.exec(file)?.[1]}`,
  );
  return [...layers.values()];
}

/** Whether a file names the rule outside of a comment. */
function isInCode(rule: string, file: string): boolean {
  const named = new RegExp(String.raw`^(?!\s*(?://|/?\*)).*\b${rule}\b`, 'm');
  return named.test(readFileSync(file, 'utf8'));
}
