/**
 * Chooses the tests of a run. `npm test` leaves out slow tests of the whole system: kills, lost answers and silent servers, floods and hostile
 * input, the installation, the compose file, proxies, a whole demo, and the plans and pages of queries over large tables. `npm run test:all` runs
 * everything; a path that names only slow tests runs them too.
 */
const slowFolders = /\/test\/(faults|production)\/(?!.*\.rules\.)/;
const slowFiles =
  /\/(embedded\/(compose|demo|dev|proxies)|silent-servers|lost-answers|bounded-server|http\/hostile|database\/query-budgets)\.test\.ts$|\.plans\.test\.ts$/;

const isSlow = (path) => slowFolders.test(path) || slowFiles.test(path);

function chooseTests(paths) {
  const group = process.env.TEST_GROUP;
  const others = paths.filter((path) => !isSlow(path.replaceAll('\\', '/')));
  if (group === 'slow') return { filtered: paths.filter((path) => !others.includes(path)) };
  return { filtered: group === 'all' || others.length === 0 ? paths : others };
}

export { chooseTests as 'module.exports' };
