import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm run rules:check`: compares `docs/rules/` with the code. Fails for a rule without code or test, a number without a page, and a
 * repeated number. `--repeated` also lists the rules that several test files name, the most first.
 */

const pages = 'docs/rules';
const code = ['src', 'client', 'workflows', 'activities', 'worker'];
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

process.stdout.write(problems.length === 0 ? `${rules.size} rules, each with code and test.\n` : `${problems.join('\n')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
if (process.argv.includes('--repeated')) {
  const repeated = [...inTests].filter(([, files]) => files.length > 1).toSorted(([, left], [, right]) => right.length - left.length);
  for (const [rule, files] of repeated) process.stdout.write(`${rule} ${files.length}: ${files.join(' ')}\n`);
}

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
