import { run } from 'jest';
import { readdirSync } from 'node:fs';

/** `npm run test:quick -- <area>`: the rules, commands and routes of an area, and the examples of all routes. */
const [area = '', ...options] = process.argv.slice(2);
const areas = readdirSync(new URL('areas', import.meta.url));
if (areas.includes(area)) await run([`test/areas/${area}/`, 'test/http/examples.rules.test.ts', ...options]);
else {
  const problem = area === '' ? 'An area is missing' : `There is no area "${area}"`;
  process.stderr.write(`${problem}: npm run test:quick -- <area>, with one of ${areas.toSorted().join(', ')}\n`);
  process.exitCode = 2;
}
