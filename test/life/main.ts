import { parseArgs } from 'node:util';
import { live } from './life.ts';
import { curlOf } from './curl.ts';
import { livePlanted } from './planted.ts';
import { openServers } from './registry.ts';

/**
 * `npm run test:life [-- --seed 7 --minutes 2]` lives years of a federation through its API, two lives at a time (`--lives`), and asks an
 * auditor after each step. The seed of each life is printed; `--seed` with `--until` repeats it to one of its steps, however long that takes.
 * Ends with 1 after the first finding, which it shows with the shortest life that it found and the recorded order of its races (`--races`).
 * `--planted [name]` lives with each fault of `planted/` in a copy of the project and says which are found.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '2' },
    steps: { type: 'string', default: '20000' },
    until: { type: 'string' },
    lives: { type: 'string', default: '2' },
    shrink: { type: 'string', default: '5' },
    races: { type: 'string', default: '[]' },
    planted: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
if (values.planted) process.exit((await livePlanted(positionals[0] ?? '', say)) ? 0 : 1);
const isRepeat = values.until !== undefined;
const endsAt = isRepeat ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000;
/** The beginning of a life takes about this long on a busy machine. */
const shortestLifeMs = 30_000;
const servers = await openServers();
let seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
let [lived, total] = [0, 0];
let isFound = false;

const mayGoOn = () => !isFound && !isRepeat && Date.now() + shortestLifeMs < endsAt;

/** Lives one life after another, until the time is over or a life has a finding. */
async function liveOn(): Promise<void> {
  do {
    const own = seed;
    seed += 1;
    const startedAt = Date.now();
    const { steps, reached, failure } = await live(servers, {
      seed: own,
      steps: Number(values.steps),
      until: Number(values.until ?? Number.POSITIVE_INFINITY),
      isOver: () => isFound || Date.now() >= endsAt,
      shrinkMs: Number(values.shrink) * 60_000,
      races: new Map(JSON.parse(values.races)),
    });
    [lived, total] = [lived + 1, total + steps];
    if (failure === null) {
      say(`life ${own}: ${steps} steps in ${Math.round((Date.now() - startedAt) / 1000)} s, nothing found; ${reached}`);
      continue;
    }
    isFound = true;
    const races = failure.races.size === 0 ? '' : ` --races '${JSON.stringify([...failure.races])}'`;
    const repeat = `--seed ${own} --steps ${values.steps} --lives 1 --until ${steps}${races}`;
    process.exitCode = 1;
    say(`life ${own}: found after ${steps} steps; repeat it by ${repeat}; ${reached}\n\n${failure.finding}\n`);
    say(`The shortest life that shows it:\n${failure.turns.map((turn) => `  ${turn}`).join('\n')}\n`);
    say(failure.exchanges.map(curlOf).join('\n'));
    if (failure.errors.length > 0) say(`\nThe latest errors that the registry logged:\n${failure.errors.join('\n')}`);
  } while (mayGoOn());
}

try {
  await Promise.all(Array.from({ length: Number(values.lives) }, liveOn));
  say(`${total} steps in ${lived} lives`);
} finally {
  await servers.close();
}
process.exit();
