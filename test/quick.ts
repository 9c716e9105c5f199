import { run } from 'jest';
import { readdirSync } from 'node:fs';

/** What a new route or command of any area is held to beside its own tests. */
const ofAllAreas = ['test/http/examples.rules', 'test/steps/step-cases.rules', 'test/areas/accounts/impersonated-actions.routes'];

/** `npm run test:quick -- <area>`: the rules, commands and routes of an area, and what holds for all areas. */
const [area = '', ...options] = process.argv.slice(2);
const areas = readdirSync(new URL('areas', import.meta.url));
if (areas.includes(area)) await run([`test/areas/${area}/`, ...ofAllAreas, ...options]);
else {
  const problem = area === '' ? 'An area is missing' : `There is no area "${area}"`;
  process.stderr.write(`${problem}: npm run test:quick -- <area>, with one of ${areas.toSorted().join(', ')}\n`);
  process.exitCode = 2;
}
