/**
 * Chooses the tests of a run. `npm test` covers every route and rule and leaves out slow tests: kills, floods, hostile input, outages, the
 * installation and what it starts (packages, the compose file, proxies, a whole demo), a year of timers, planted violations, and the plans
 * and pages of queries over large tables. `npm run test:all` runs everything; a path that names only slow tests runs them too.
 */
const slowFolders = /\/test\/(faults|production)\/(?!.*\.rules\.)/;
const hostility = ['lost-answers', 'bounded-server', 'http/hostile', 'platform/inspector', 'workflows/continue-as-new'];
const outages = ['silent-servers', 'workflows/adoption', 'notifications/deliveries.routes', 'wallet/invoice-waits.routes'];
const installation = ['embedded/(compose|demo|dev|proxies|start|bootstrap|test-run)', 'client/(package|verification-page)'];
const others = ['workflows/year-long-timer', 'platform/areas', 'database/query-budgets', '[^/]+\\.plans'];
const slowFiles = new RegExp(`/(${[...hostility, ...outages, ...installation, ...others].join('|')})\\.test\\.ts$`);

const isSlow = (path) => slowFolders.test(path) || slowFiles.test(path);

function chooseTests(paths) {
  const group = process.env.TEST_GROUP;
  const quick = paths.filter((path) => !isSlow(path.replaceAll('\\', '/')));
  if (group === 'slow') return { filtered: paths.filter((path) => !quick.includes(path)) };
  return { filtered: group === 'all' || quick.length === 0 ? paths : quick };
}

export { chooseTests as 'module.exports' };
