/**
 * Chooses the tests of a run. `npm test` covers every route and rule, and leaves out slow tests: `*.faults.test.ts` and the folder `faults`
 * (kills, outages, floods, hostile input), `*.plans.test.ts` (queries over large tables), the installation and what it starts (packages,
 * clients, the compose file, proxies, a whole demo), and a few others. `npm run test:all` runs everything but the image, which
 * `npm run test:image` builds and starts; a path that names only slow tests runs them too.
 */
const slowFolders = /\/test\/(faults|production)\/(?!.*\.rules\.)/;
const hostility = [
  'lost-answers',
  'bounded-server',
  'http/(hostile|read-upload)',
  'platform/files/(inspector|pdf-scan)',
  'client/fuzz.rules',
];
const outages = [
  'silent-servers',
  'workflows/(adoption|continue-as-new)',
  'notifications/deliveries.routes',
  'wallet/invoice-waits.routes',
];
const installation = [
  'embedded/(bootstrap|compose|demo|dev|proxies|servers|start|test-run)',
  'client/(gate-of-registry|package|recipes|runtimes|start-page|verification-page)',
];
const others = [
  'workflows/year-long-timer',
  'platform/(areas|supply-chain)',
  'database/query-budgets',
  'web/(audit|chats|national|office|outage|pages|paper|processes|queue|signing)',
  '[^/]+\\.(faults|plans)',
];
const slowFiles = new RegExp(`/(${[...hostility, ...outages, ...installation, ...others].join('|')})\\.test\\.ts$`);

const isSlow = (path) => slowFolders.test(path) || slowFiles.test(path);

function chooseTests(all) {
  const group = process.env.TEST_GROUP;
  if (group === 'image') return { filtered: all };
  const paths = all.filter((path) => !path.replaceAll('\\', '/').includes('/test/image/'));
  const quick = paths.filter((path) => !isSlow(path.replaceAll('\\', '/')));
  if (group === 'slow') return { filtered: paths.filter((path) => !quick.includes(path)) };
  return { filtered: group === 'all' || quick.length === 0 ? paths : quick };
}

export { chooseTests as 'module.exports' };
