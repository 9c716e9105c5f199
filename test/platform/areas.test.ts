import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/**
 * The rules of `.dependency-cruiser.mjs` and `.oxlintrc.json` work: the source tree passes, and a violation of each rule in a copy of it is
 * found. A rule without a violation here fails the test.
 */

const project = fileURLToPath(new URL('../..', import.meta.url));
const roots = ['src', 'workflows', 'activities', 'worker', 'client', 'web/gate'];
const run = promisify(execFile);

let copy: string;
/** The names of the rules, and the areas from the lowest to the highest, in the configuration. */
let rules: string[];
let areas: string[];

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'areas-'));
  for (const root of [
    ...roots,
    'package.json',
    'tsconfig.json',
    '.dependency-cruiser.mjs',
    '.oxlintrc.json',
    '.oxlint-data.mjs',
    '.oxlint-workflows.mjs',
  ])
    cpSync(join(project, root), join(copy, root), { recursive: true });
  // The rules find the driver by its path; they ignore other packages.
  for (const name of ['pg', '@types/pg'])
    cpSync(join(project, 'node_modules', name), join(copy, 'node_modules', name), { recursive: true });
  // The package of the linter's rules for patterns.
  symlinkSync(join(project, 'node_modules/eslint-plugin-regexp'), join(copy, 'node_modules/eslint-plugin-regexp'));
  const config = (await import(pathToFileURL(join(project, '.dependency-cruiser.mjs')).href)) as {
    default: { forbidden: { name: string }[] };
  };
  rules = config.default.forbidden.map(({ name }) => name);
  areas = rules.flatMap((name) => /^([\w-]+)-by-its-index$/.exec(name)?.[1] ?? []);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface Violation {
  rule: string;
  from: string;
}

/** The violations that dependency-cruiser finds in a tree, and whether its command fails, as in CI. */
async function cruise(folder: string): Promise<{ fails: boolean; violations: Violation[] }> {
  const program = join(project, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const args = [program, '--config', '.dependency-cruiser.mjs', ...roots];
  const options = { cwd: folder, maxBuffer: 100_000_000 };
  const fails = await run(process.execPath, args, options).then(
    () => false,
    () => true,
  );
  const { stdout } = await run(process.execPath, [...args, '--output-type', 'json'], options);
  const { summary } = JSON.parse(stdout) as { summary: { violations: { from: string; rule: { name: string } }[] } };
  return { fails, violations: summary.violations.map(({ from, rule }) => ({ rule: rule.name, from })) };
}

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}

/** A file for each rule that breaks only this rule. */
function plantsOf(): Record<string, { path: string; text: string }> {
  const uppermost = areas.at(-1) ?? '';
  const plants: Record<string, { path: string; text: string }> = {
    'no-cycles': { path: 'src/areas/files/planted-cycle.ts', text: "export { c as a } from './planted-cycle-b.ts';" },
    'platform-knows-no-area': { path: 'src/platform/planted.ts', text: "export { entities } from '../registry/entities.ts';" },
    'http-knows-no-area': { path: 'src/http/planted.ts', text: "export { accountsArea } from '../areas/accounts/index.ts';" },
    'areas-do-not-know-the-composition': {
      path: 'src/areas/catalog/planted.ts',
      text: "export { closePlatform } from '../../registry/create-platform.ts';",
    },
    'production-without-the-embedded-servers': {
      path: 'worker/planted.ts',
      text: "export { freePorts } from '../src/tools/embedded/ports.ts';",
    },
    'workflows-know-types-only': {
      path: 'workflows/planted.ts',
      text: "import type { Caller } from '../src/platform/commands/context.ts';\nexport { DomainError } from '../src/errors.ts';\nexport type By = Caller;",
    },
    'areas-know-no-activities': {
      path: 'src/areas/wallet/planted-activity.ts',
      text: "export { asFailure } from '../../../activities/errors.ts';",
    },
    'workflows-by-their-contracts': {
      path: 'src/areas/wallet/planted-workflow.ts',
      text: "export type { Trouble } from '../../../workflows/failures.ts';",
    },
    'client-stands-alone': { path: 'client/src/planted.ts', text: "export { entities } from '../../src/registry/entities.ts';" },
    'nothing-knows-the-tests': { path: 'activities/planted.ts', text: "export type { Planted } from '../test/planted.ts';" },
    'only-the-dialect-knows-the-driver': {
      path: 'src/areas/wallet/planted-driver.ts',
      text: "import { Client } from 'pg';\nexport { Client };",
    },
  };
  for (const rule of rules) {
    const [, folder] = /^accounts-(.+)-knows-no-folder-above-it$/.exec(rule) ?? [];
    if (folder === undefined) continue;
    const isTop = folder === 'top';
    const path = `src/areas/accounts/${isTop ? '' : `${folder}/`}planted-upwards.ts`;
    plants[rule] = { path, text: `export * as above from '${isTop ? '.' : '..'}/requests/routes.ts';` };
  }
  for (const area of areas) {
    // An import of a type counts like one of a value.
    if (area !== uppermost) {
      const text = `import type * as above from '../${uppermost}/index.ts';\nexport type Above = typeof above;`;
      plants[`${area}-knows-no-area-above-it`] = { path: `src/areas/${area}/planted-above.ts`, text };
    }
    const inner = readdirSync(join(project, 'src/areas', area), { recursive: true, encoding: 'utf8' }).find(
      (name) => name.endsWith('.ts') && name !== 'index.ts',
    );
    plants[`${area}-by-its-index`] = { path: `src/planted-${area}.ts`, text: `export * as inner from './areas/${area}/${inner}';` };
  }
  return plants;
}

test('the tree keeps the order of the areas', async () => {
  expect(await cruise(project)).toEqual({ fails: false, violations: [] });
});

test('the order has every area, like `areas.ts`', async () => {
  const text = await readFile(join(project, 'src/registry/areas.ts'), 'utf8');
  const [, list = ''] = /export const areas[^=]*= \[([^\]]*)\]/.exec(text) ?? [];
  const listed = [...list.matchAll(/\b(\w+)Area\b/g)].map(([, name = '']) =>
    name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  expect(listed.length).toBeGreaterThan(9);
  expect(areas.filter((area) => listed.includes(area))).toEqual(listed);
  const folders = readdirSync(join(project, 'src/areas')).filter((name) => existsSync(join(project, 'src/areas', name, 'index.ts')));
  expect(folders.toSorted()).toEqual(areas.toSorted());
});

test('a violation of each rule is found and fails the run', async () => {
  const plants = plantsOf();
  expect(rules.filter((rule) => plants[rule] === undefined)).toEqual([]);
  for (const { path, text } of Object.values(plants)) plant(path, `${text}\n`);
  // An import of a type closes a cycle of any length.
  plant('src/areas/files/planted-cycle-b.ts', "export { c } from './planted-cycle-c.ts';\n");
  plant('src/areas/files/planted-cycle-c.ts', "import type { a } from './planted-cycle.ts';\nexport const c: typeof a | null = null;\n");
  plant('test/planted.ts', 'export type Planted = string;\n');
  // A workflow may import types of an area, also only from its index.
  plant('workflows/planted-inner.ts', "import type { User } from '../src/areas/accounts/entities.ts';\nexport type By = User;\n");
  const { fails, violations } = await cruise(copy);
  expect(fails).toBe(true);
  const lineOf = ({ rule, from }: Violation) => `${rule}: ${from.replace(/-cycle-[bc]/, '-cycle')}`;
  const wanted = Object.entries(plants).map(([rule, { path }]) => `${rule}: ${path}`);
  wanted.push('accounts-by-its-index: workflows/planted-inner.ts');
  expect([...new Set(violations.map(lineOf))].toSorted()).toEqual(wanted.toSorted());
});

const manager = "import type { EntityManager } from '@mikro-orm/postgresql';\n";
const platform = "import type { Platform } from '../../platform/platform.ts';\n";
/** The rules know an entity manager by its name, its source and its type, and some methods only by name. */
const waysToTheData: [path: string, text: string][] = [
  ['src/areas/wallet/lint-em.ts', `${manager}export const run = (em: EntityManager) => em.execute('select 1');`],
  ['src/areas/wallet/lint-member.ts', `${platform}export const run = ({ orm }: Platform) => orm.em.isInTransaction();`],
  ['src/areas/wallet/lint-fork.ts', `${platform}export const run = ({ orm }: Platform) => orm.em.fork().execute('select 1');`],
  ['src/areas/wallet/lint-computed.ts', `${platform}export const run = ({ orm }: Platform) => orm.em['execute']('select 1');`],
  [
    'src/areas/wallet/lint-parts.ts',
    `${platform}export const of = ({ orm }: Platform) => {\n  const { execute } = orm.em;\n  return execute;\n};`,
  ],
  ['src/areas/wallet/lint-type.ts', `${manager}export const begin = (rows: Pick<EntityManager, 'begin'>) => rows.begin();`],
  [
    'src/areas/wallet/lint-variable.ts',
    `${platform}export const run = ({ orm }: Platform) => {\n  const rows = orm.em.fork();\n  return rows.transactional(async () => null);\n};`,
  ],
  // The seeds may open a transaction, with the same rules inside it.
  [
    'src/areas/catalog/seed.ts',
    `${manager}export const run = (em: EntityManager) => em.transactional(async (transaction) => transaction.execute('select 1'));`,
  ],
  // The command file begins transactions, with the same rules otherwise.
  ['src/platform/commands/command.ts', `${manager}export const run = (em: EntityManager) => em.insert({ id: 1 });`],
  ['activities/lint-data.ts', 'export const of = (orm: { getConnection(): void }) => orm.getConnection();'],
  ...[
    'qb',
    'getRepository',
    'getDriver',
    'upsert',
    'upsertMany',
    'insertMany',
    'countBy',
    'nativeInsert',
    'nativeUpdate',
    'nativeDelete',
  ].map((name): [string, string] => [
    `src/areas/wallet/lint-${name.toLowerCase()}.ts`,
    `export const of = (unnamed: { ${name}(): void }) => unnamed.${name}();`,
  ]),
];

/** State that the processes of a worker would share. */
const stateOfModules = [
  'export let served = 0;\nserved += 1;',
  'export const seen = new Set<number>();',
  'const seen: number[] = [];\nexport const see = (id: number) => seen.push(id);',
  'export const names: Record<string, string> = {};',
  'export class Served {\n  static count = 0;\n}',
];

test('the linter restricts Koa, Temporal, Node, data access, module state, any and slow patterns to their places', async () => {
  const plants = [
    { path: 'src/areas/wallet/lint-koa.ts', text: "import Koa from 'koa';\nexport const app = new Koa();", says: 'Koa is known to' },
    { path: 'src/platform/lint-koa.ts', text: "import Koa from 'koa';\nexport const app = new Koa();", says: 'Koa is known to' },
    { path: 'src/areas/wallet/lint-temporal.ts', text: "export { Client } from '@temporalio/client';", says: 'Temporal is known to' },
    { path: 'workflows/lint-node.ts', text: "export { readFileSync } from 'node:fs';", says: 'A workflow has no Node' },
    { path: 'workflows/lint-value.ts', text: "export { DomainError } from '../src/errors.ts';", says: 'Only types: facts and rules' },
    ...stateOfModules.map((text, index) => ({ path: `workflows/lint-state-${index}.ts`, text, says: 'share this module' })),
    ...waysToTheData.map(([path, text]) => ({ path, text, says: 'One way to the data' })),
    {
      path: 'src/areas/wallet/lint-any.ts',
      text: 'export const anything = (value: any): string => String(value);',
      says: 'Unexpected `any`',
    },
    {
      path: 'src/areas/wallet/lint-assertion.ts',
      text: 'export const first = (all: string[]): string => all[0]!;',
      says: 'non-null assertion',
    },
    ...['src/areas/files', 'src/http', 'workflows', 'activities', 'worker', 'test/api'].flatMap((folder) => [
      {
        path: `${folder}/lint-slow-search.ts`,
        text: "export const cut = (name: string): string => name.replace(/[. ]+$/, '');",
        says: 'will cause quadratic runtime',
      },
      {
        path: `${folder}/lint-slow-match.ts`,
        text: String.raw`const range = new RegExp('^bytes=\\s*(\\d*)\\s*-$');
export const isRange = (header: string): boolean => range.test(header);`,
        says: 'polynomial backtracking',
      },
    ]),
  ];
  for (const { path, text } of plants) plant(path, `${text}\n`);
  const oxlint = join(project, 'node_modules/.bin/oxlint');
  const refused = await run(oxlint, ['--format', 'json', ...plants.map(({ path }) => path)], { cwd: copy }).then(
    () => null,
    (error: { stdout: string }) => error.stdout,
  );
  const { diagnostics } = JSON.parse(refused ?? '{"diagnostics":[]}') as {
    diagnostics: { message: string; help?: string; filename: string }[];
  };
  const said = diagnostics.map(({ message, help, filename }) => `${filename}: ${message} ${help ?? ''}`);
  const missed = plants.filter(({ path, says }) => !said.some((line) => line.startsWith(`${path}: `) && line.includes(says)));
  expect({ missed, said: missed.length === 0 ? [] : said }).toEqual({ missed: [], said: [] });
});
