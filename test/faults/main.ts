import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { describeKill } from './killer.ts';
import { runScenario } from './run-scenario.ts';

/**
 * `npm run test:faults [-- --seed 7 --minutes 10 --applicants 12]`: the long run on a temporary stack. It kills worker, API, Temporal and
 * PostgreSQL at random moments, alone and in pairs, while people apply and pay. Then the database must have every accepted command exactly
 * once. The seed repeats the order of the kills and the pauses between them.
 */
const { values } = parseArgs({
  options: { seed: { type: 'string' }, minutes: { type: 'string', default: '10' }, applicants: { type: 'string', default: '12' } },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const { accepted, kills, outcomes, faults } = await runScenario({
  seed: values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed),
  killForMs: Number(values.minutes) * 60_000,
  concurrency: Number(values.applicants),
  log: say,
});

const worst = (name: 'readyAfterMs' | 'commandAfterMs') => Math.max(...kills.map((kill) => kill[name]));
say('');
say(
  `${kills.length} kills; the slowest: served again after ${worst('readyAfterMs')} ms, a command went through after ${worst('commandAfterMs')} ms`,
);
const slowest = kills.toSorted((left, right) => right.commandAfterMs - left.commandAfterMs)[0];
if (slowest) say(`  ${describeKill(slowest)}`);
say(
  `answers: ${Object.entries(outcomes)
    .map(([outcome, count]) => `${count} x ${outcome}`)
    .join(', ')}`,
);
say(`${accepted.length} applications paid and approved`);
for (const fault of faults) say(`FAULT: ${fault}`);
say(faults.length === 0 ? 'Every accepted command is in effect exactly once.' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
