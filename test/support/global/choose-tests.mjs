/**
 * Chooses the tests of a run. `npm test` leaves out slow tests of the whole system: process kills, the compose file, proxies, a whole demo, the
 * installation, its rollback and its alerts, and the plans of queries over large tables. `npm run test:all` runs everything; a path that names only slow
 * tests runs them too.
 */
const slow =
  /\/test\/faults\/|\/test\/production\/(installation|metrics|rollback)\.test\.ts$|\/test\/embedded\/(compose|demo|dev|proxies)\.test\.ts$|\.plans\.test\.ts$/;

function chooseTests(paths) {
  const group = process.env.TEST_GROUP;
  const others = paths.filter((path) => !slow.test(path.replaceAll('\\', '/')));
  if (group === 'slow') return { filtered: paths.filter((path) => !others.includes(path)) };
  return { filtered: group === 'all' || others.length === 0 ? paths : others };
}

export { chooseTests as 'module.exports' };
