import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { benchAdminLists } from './admin-lists.ts';
import { benchAthletesCsv } from './athletes-csv.ts';
import { benchBatch } from './batch.ts';
import { benchBrokenCertificates } from './broken-certificates.ts';
import { benchCalendar } from './calendar.ts';
import { benchCallers, callersEnvironment } from './callers.ts';
import { benchCommand } from './command.ts';
import { benchEventsEnd } from './events-end.ts';
import { benchExport, exportEnvironment } from './export.ts';
import { benchLapseNight } from './lapse-night.ts';
import { benchLifecycle } from './lifecycle.ts';
import { benchMemory } from './memory.ts';
import { benchNewYear, newYearEnvironment } from './new-year.ts';
import { benchPrintZip } from './print-zip.ts';
import { benchRebuild } from './rebuild.ts';
import { benchRecovery } from './recovery.ts';
import { benchStreams } from './streams.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { printTable, say, type Verdict } from './support/report.ts';
import { benchSweep } from './sweep.ts';
import { benchTableSize, benchVerification } from './verification.ts';
import { benchWorkerMemory } from './worker-memory.ts';

/**
 * `npm run bench [-- --only verify,command --rounds 5 ...]`: figures of this machine, as ratios of something measured beside them in the
 * same run wherever that says more: a bare server, the frozen baseline (`baseline/index.ts`), a small registry beside a large one.
 * Interleaved rounds, medians. Each benchmark has a stack of its own. Ends with 0 unless it could not measure. All of it takes about
 * 50 minutes on two cores.
 *
 *   verify         verification against a bare server with the same statement
 *   command        one command at a time against the baseline
 *   lifecycle      whole lives, 20 at a time, against the baseline
 *   recovery       a worker killed in the middle of commands, `--rounds` times
 *   memory         the API while fifty files of 20 MB go in and out
 *   export         the API's memory while an event with `--registrations 2000` is exported, against one with a tenth of them
 *   print-zip      requests beside print archives with `--photos 200`, and the worker's memory meanwhile
 *   worker-memory  a worker at rest and after `--minutes 5` of lives, eight at a time
 *   size           verification among `--certificates 1000000` against 1,000
 *   sweep          a sweep with nothing due among `--living 100000` records against 1,000
 *   rebuild        the processes of `--records 20000` living records started anew
 *   broken-certificates  reviews beside `--broken 3000` certificates that cannot be made, against none
 *   calendar       the public calendar among `--events 10000` against 100
 *   admin-lists    each list of the administrators among `--athletes 100000` with three applications each
 *   streams        `--streams 500` live streams while people are told 50 things a second for a minute
 *   callers        one caller beside each attack of another address, and the CPU that the attack costs
 *   athletes-csv   what the API holds while the CSV of `--athletes 100000` is read, against a tenth of them
 *   batch          a batch of 100 registrations against 100 of one: statements, time
 *   lapse-night    `--lapses 2000` registrations whose documents expire on one night; commands in each minute of it
 *   events-end     `--ending 500` events that end in one second, with two registrations each; commands in each minute after it
 *   new-year       `--records 20000` applications that end in the same second; commands in `--minutes 5` after it
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '5' },
    certificates: { type: 'string', default: '1000000' },
    living: { type: 'string', default: '100000' },
    records: { type: 'string', default: '20000' },
    broken: { type: 'string', default: '3000' },
    events: { type: 'string', default: '10000' },
    lapses: { type: 'string', default: '2000' },
    ending: { type: 'string', default: '500' },
    registrations: { type: 'string', default: '2000' },
    athletes: { type: 'string', default: '100000' },
    photos: { type: 'string', default: '200' },
    streams: { type: 'string', default: '500' },
  },
});
const rounds = countOf('rounds');
const minutes = countOf('minutes');

interface Bench {
  title: string;
  run: (stack: Stack) => Promise<Verdict[]>;
  env?: Record<string, string>;
}

const benches: Record<string, Bench> = {
  verify: { title: 'Verification against a bare server', run: (stack) => benchVerification(stack, rounds) },
  command: { title: 'A command against the baseline', run: (stack) => benchCommand(stack, rounds) },
  lifecycle: { title: 'Whole lifecycles against the baseline', run: (stack) => benchLifecycle(stack, rounds) },
  recovery: { title: 'Commands after a killed worker', run: (stack) => benchRecovery(stack, rounds) },
  memory: { title: 'Memory of the API under large files', run: benchMemory },
  export: {
    title: 'Memory of the API under an export',
    run: (stack) => benchExport(stack, rounds, countOf('registrations')),
    env: exportEnvironment,
  },
  'print-zip': {
    title: 'Requests beside print archives',
    run: (stack) => benchPrintZip(stack, rounds, countOf('photos')),
    env: exportEnvironment,
  },
  'worker-memory': { title: 'Memory of a worker', run: (stack) => benchWorkerMemory(stack, minutes) },
  size: { title: 'Verification in a large table', run: (stack) => benchTableSize(stack, rounds, countOf('certificates')) },
  sweep: { title: 'A sweep with nothing due', run: (stack) => benchSweep(stack, rounds, countOf('living')) },
  rebuild: { title: 'Processes started from their records', run: (stack) => benchRebuild(stack, countOf('records')) },
  'broken-certificates': {
    title: 'Reviews beside certificates that cannot be made',
    run: (stack) => benchBrokenCertificates(stack, rounds, countOf('broken')),
  },
  calendar: { title: 'The public calendar', run: (stack) => benchCalendar(stack, rounds, countOf('events')) },
  'admin-lists': {
    title: 'Lists of the administrators',
    run: (stack) => benchAdminLists(stack, rounds, countOf('athletes')),
  },
  'athletes-csv': {
    title: 'Memory of the API under the CSV of all athletes',
    run: (stack) => benchAthletesCsv(stack, rounds, countOf('athletes')),
  },
  streams: { title: 'Live streams', run: (stack) => benchStreams(stack, 60, countOf('streams')) },
  callers: { title: 'One caller beside attacks of another', run: benchCallers, env: callersEnvironment },
  batch: { title: 'A batch of registrations against single ones', run: (stack) => benchBatch(stack, rounds) },
  'lapse-night': {
    title: 'A night on which registrations lapse',
    run: (stack) => benchLapseNight(stack, countOf('lapses'), minutes),
    env: newYearEnvironment,
  },
  'events-end': {
    title: 'A day on which competitions end',
    run: (stack) => benchEventsEnd(stack, countOf('ending'), minutes),
    env: newYearEnvironment,
  },
  'new-year': {
    title: 'The first of January',
    run: (stack) => benchNewYear(stack, countOf('records'), minutes),
    env: newYearEnvironment,
  },
};
const wanted = values.only?.split(',') ?? Object.keys(benches);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(`there is no benchmark ${unknown.join(', ')}; known: ${Object.keys(benches).join(', ')}\n`);
  process.exit(2);
}

say(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; ${rounds} rounds each, interleaved, medians`);
const verdicts: Verdict[] = [];
for (const name of wanted) {
  const bench = benches[name];
  if (!bench) continue;
  say(`\n${bench.title}`);
  // Each begins with a stack of its own: what one leaves behind must not slow the next.
  const stack = await startBenchStack(bench.env);
  try {
    verdicts.push(...(await bench.run(stack)));
  } catch (error) {
    say(`  could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exitCode = 1;
  } finally {
    await stack.stop();
  }
}
printTable(verdicts);

function countOf(name: Exclude<keyof typeof values, 'only'>): number {
  const count = Number(values[name]);
  if (count > 0) return count;
  process.stderr.write(`--${name} takes a number above 0\n`);
  process.exit(2);
}
