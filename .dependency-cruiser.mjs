import { readFileSync } from 'node:fs';

/**
 * Which part of the code may know which: `npm run lint:areas`. The areas stand in one order (`src/registry/areas.ts`); an area imports only
 * those below it, and of those only their `index.ts`. Types count as much as values.
 */

/** From the lowest to the uppermost, as `src/registry/areas.ts` lists them. */
const source = readFileSync(new URL('./src/registry/areas.ts', import.meta.url), 'utf8');
const [, list = ''] = /export const areas: readonly Area\[\] = \[([^\]]*)\]/.exec(source) ?? [];
/** An area of two words has them joined by a hyphen in its folder's name. */
const areas = [...list.matchAll(/\b(\w+)Area,/g)].map(([, name]) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
if (areas.length === 0) throw new Error('src/registry/areas.ts lists no areas');

const folder = (names) => `^src/areas/(${names.join('|')})/`;

/** What composes the service, or stands beside it, and may know all of it. */
const composition = '^src/(registry/|cli/|[^/]+[.]ts$)';

const orderOfAreas = areas.flatMap((area, position) => {
  const above = areas.slice(position + 1);
  return above.length === 0
    ? []
    : [
        {
          name: `${area}-knows-no-area-above-it`,
          comment: 'What a lower area needs of an upper one it asks through an extension point (src/platform/extensions.ts).',
          severity: 'error',
          from: { path: folder([area]) },
          to: { path: folder(above) },
        },
      ];
});

/**
 * The folders of accounts, from the lowest to the uppermost. The files at the top of the area lie below all of them, but for those that
 * compose them.
 */
const accountFolders =
  'sessions captcha contact email-confirmation second-factor api-keys passwords login impersonation users account requests'.split(' ');
const accounts = '^src/areas/accounts/';
const orderOfAccounts = ['', ...accountFolders.slice(0, -1)].map((name, position) => ({
  name: `accounts-${name === '' ? 'top' : name}-knows-no-folder-above-it`,
  comment: 'Move what both need into the lower of the two folders.',
  severity: 'error',
  from:
    name === '' ? { path: `${accounts}[^/]+$`, pathNot: `${accounts}(index|clear-expired-data)[.]ts$` } : { path: `${accounts}${name}/` },
  to: { path: `${accounts}(${accountFolders.slice(position).join('|')})/` },
}));

const throughTheIndex = areas.map((area) => ({
  name: `${area}-by-its-index`,
  comment: 'An area is imported through its index.ts.',
  severity: 'error',
  from: { path: '^(src|activities|worker|workflows)/', pathNot: [folder([area]), '^src/registry/entities[.]ts$'] },
  to: { path: folder([area]), pathNot: `^src/areas/${area}/index[.]ts$` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other, be it for a type, are one thing, or a third is missing.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...orderOfAreas,
    ...orderOfAccounts,
    ...throughTheIndex,
    {
      name: 'platform-knows-no-area',
      comment: 'The platform lies under HTTP and the areas. `openDatabase` is given their tables.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/', pathNot: ['^src/platform/', '^src/(registry/config|errors)[.]ts$'] },
    },
    {
      name: 'http-knows-no-area',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^src/', pathNot: ['^src/(http|platform)/', '^src/(registry/config|errors)[.]ts$'] },
    },
    {
      name: 'areas-do-not-know-the-composition',
      severity: 'error',
      from: { path: folder(areas) },
      to: { path: composition, pathNot: '^src/(registry/config|errors)[.]ts$' },
    },
    {
      name: 'production-without-the-embedded-servers',
      comment: 'What runs in production imports nothing of npm start, of the simulators or of the demo.',
      severity: 'error',
      from: { path: '^(src|worker|activities|workflows)/', pathNot: '^src/tools/' },
      to: { path: '^src/tools/' },
    },
    {
      name: 'workflows-know-types-only',
      comment: 'Facts and rules reach a workflow through its activities.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^(src|activities|worker)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'areas-know-no-activities',
      comment: 'Activities call the areas, not the other way round.',
      severity: 'error',
      from: { path: '^src/', pathNot: composition },
      to: { path: '^(activities|worker)/' },
    },
    {
      name: 'workflows-by-their-contracts',
      comment: 'A workflow runs from its bundle. Its `.contract.ts` says how it is called; `patches.ts` names its changes.',
      severity: 'error',
      from: { path: '^(src|activities|worker)/' },
      to: { path: '^workflows/', pathNot: '([.]contract|/patches)[.]ts$' },
    },
    {
      name: 'client-stands-alone',
      comment: 'A package for browsers and Node, which others install; the gate runs on it alone, without a network.',
      severity: 'error',
      from: { path: '^(client|web/gate)/' },
      to: { path: '^(src|worker|activities|workflows)/' },
    },
    {
      name: 'nothing-knows-the-tests',
      comment: 'The image of production has none.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'only-the-dialect-knows-the-driver',
      comment: 'One way to the data: src/platform/database/README.md. What is said by NOTIFY is heard outside of it.',
      severity: 'error',
      from: {
        path: '^(src|worker|activities)/',
        pathNot: '^src/(platform/database/(dialect|listener)[.]ts$|tools/(embedded|migrations)/)',
      },
      to: { path: '^node_modules/(pg|pg-cursor|@types/pg)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // swc reads the imports of types too; planted violations show that it sees all (areas.test.ts).
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
