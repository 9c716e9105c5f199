import { readFileSync } from 'node:fs';
import { definitions } from '../../src/registry/areas.ts';
import { placeOf } from '../support/place-of.ts';

test('each step of each process has a case, which runs twice and whose statements are counted', () => {
  const file = 'test/steps/step-cases.ts';
  const cases = readFileSync(file, 'utf8');
  const missing = definitions
    .filter((definition) => definition.type === 'record')
    .flatMap(({ kind, contract, reconsider }) =>
      [...Object.keys(contract.commands), ...(reconsider ? ['reconsider'] : [])]
        .filter((name) => ![`'`, ' ', ','].some((after) => cases.includes(`'${kind}: ${name}${after}`)))
        .map((name) => `${placeOf(file, `'${kind}: `)}: add a case '${kind}: ${name}', then run npm test -- test/steps`),
    );
  expect(missing).toEqual([]);
});
