import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { benchCallers, callersEnvironment } from './callers.ts';
import { benchChanges } from './changes.ts';
import { benchBatch, benchCommand, benchLifecycle } from './commands.ts';
import { benchEventsEnd, benchLapseNight, benchNewYear, deadlineEnvironment } from './deadlines.ts';
import { benchAthletesCsv, benchExport, benchPrintZip, exportEnvironment } from './exports.ts';
import { benchBrokenCertificates, benchRecovery } from './failures.ts';
import { benchGrowing, benchPopulation } from './growing.ts';
import { benchAdminLists, benchCalendar } from './lists.ts';
import { benchMemory, benchWorkerMemory, memoryEnvironment } from './memory.ts';
import { benchOffline } from './offline.ts';
import { benchRebuild, benchSweep } from './processes.ts';
import { benchStreams } from './streams.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { printTable, say, type Verdict } from './support/measure.ts';
import { benchTableSize, benchVerification } from './verification.ts';
import { benchWebhooks } from './webhooks.ts';

/**
 * `npm run bench [-- --only verify,command --rounds 5 ...]` prints figures of this machine, most of them as ratios to a measurement in the
 * same run: a bare server, the frozen baseline (`baseline/workflows.ts`), a small registry. Rounds alternate; figures are medians. Each
 * benchmark has a stack of its own. Exits with 0 unless a measurement failed. All benchmarks take about an hour on two cores.
 *
 *   verify         verification, to a bare server with the same statement
 *   command        one command at a time, to the baseline
 *   lifecycle      20 parallel lifecycles, to the baseline
 *   recovery       a worker killed during commands, `--rounds` times
 *   memory         the API after each kind of a day's work, and while fifty files of 20 MB are uploaded and downloaded
 *   export         the API's memory while an event with `--registrations 2000` is exported, to a tenth of them
 *   print-zip      requests beside print archives with `--photos 200`, and the worker's memory
 *   worker-memory  a worker at rest and after `--minutes 5` of lifecycles, eight at a time
 *   size           verification among `--certificates 1000000`, to 1,000
 *   sweep          a sweep with nothing due among `--living 100000` records, to 1,000
 *   rebuild        start of the processes of `--records 20000` living records
 *   growing        what a lifecycle costs each part, in processor time and bytes, and 2 and 4 APIs and workers to 1
 *   population     start of `--records 20000` processes, then commands beside them: memory of Temporal, latency
 *   broken-certificates  reviews beside `--broken 3000` certificates that cannot be made, to none
 *   calendar       the public calendar among `--events 10000`, to 100
 *   admin-lists    each of the administrators' lists among `--athletes 100000` with three applications each
 *   streams        `--streams 500` live streams during 50 notifications a second for a minute
 *   changes        a page of changes and a command's change among `--changes 20000000` changes, to 100,000
 *   webhooks       20 parallel lifecycles beside a webhook of all changes, to none, and the time to its receiver
 *   callers        one caller beside each attack from another address, and the processor time of the attack
 *   athletes-csv   the API's heap while the CSV of `--athletes 100000` is downloaded, to a tenth of them
 *   offline        verification without a network: sizes of lists, editions, downloads, checks in Node, a day at the gates
 *   batch          100 registrations in a batch, to 100 single ones: statements, time
 *   lapse-night    commands while the documents of `--lapses 2000` registrations expire on one night
 *   events-end     commands while `--ending 500` events with two registrations each end in the same second
 *   new-year       commands while `--records 20000` applications end in the same second, for `--minutes 5`
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
    changes: { type: 'string', default: '20000000' },
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
  verify: { title: 'Verification, to a bare server', run: (stack) => benchVerification(stack, rounds) },
  command: { title: 'A command, to the baseline', run: (stack) => benchCommand(stack, rounds) },
  lifecycle: { title: 'Lifecycles, to the baseline', run: (stack) => benchLifecycle(stack, rounds) },
  recovery: { title: 'Commands after a killed worker', run: (stack) => benchRecovery(stack, rounds) },
  memory: { title: 'Memory of the API', run: benchMemory, env: memoryEnvironment },
  export: {
    title: 'Memory of the API during an export',
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
  rebuild: { title: 'Start of processes from their records', run: (stack) => benchRebuild(stack, countOf('records')) },
  growing: { title: 'What growing needs', run: (stack) => benchGrowing(stack, rounds) },
  population: { title: 'Commands beside many processes', run: (stack) => benchPopulation(stack, countOf('records')) },
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
    title: 'Memory of the API during the CSV of all athletes',
    run: (stack) => benchAthletesCsv(stack, rounds, countOf('athletes')),
  },
  streams: { title: 'Live streams', run: (stack) => benchStreams(stack, 60, countOf('streams')) },
  changes: { title: 'The log of changes', run: (stack) => benchChanges(stack, rounds, countOf('changes')) },
  webhooks: { title: 'A webhook of all changes', run: (stack) => benchWebhooks(stack, rounds) },
  callers: { title: 'A caller beside attacks of another', run: benchCallers, env: callersEnvironment },
  offline: { title: 'Verification without a network', run: (stack) => benchOffline(stack, rounds) },
  batch: { title: 'A batch of registrations, to single ones', run: (stack) => benchBatch(stack, rounds) },
  'lapse-night': {
    title: 'A night on which registrations lapse',
    run: (stack) => benchLapseNight(stack, countOf('lapses'), minutes),
    env: deadlineEnvironment,
  },
  'events-end': {
    title: 'A day on which competitions end',
    run: (stack) => benchEventsEnd(stack, countOf('ending'), minutes),
    env: deadlineEnvironment,
  },
  'new-year': {
    title: '1 January',
    run: (stack) => benchNewYear(stack, countOf('records'), minutes),
    env: deadlineEnvironment,
  },
};
const wanted = values.only?.split(',') ?? Object.keys(benches);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}. Known: ${Object.keys(benches).join(', ')}.\n`);
  process.exit(2);
}

say(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; ${rounds} rounds each, alternating, medians`);
const verdicts: Verdict[] = [];
for (const name of wanted) {
  const bench = benches[name];
  if (!bench) continue;
  say(`\n${bench.title}`);
  // A stack of its own: the data of one benchmark must not slow the next.
  const stack = await startBenchStack(bench.env);
  try {
    verdicts.push(...(await bench.run(stack)));
  } catch (error) {
    say(`  measurement failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exitCode = 1;
  } finally {
    await stack.stop();
  }
}
printTable(verdicts);

function countOf(name: Exclude<keyof typeof values, 'only'>): number {
  const count = Number(values[name]);
  if (count > 0) return count;
  process.stderr.write(`--${name} must be a number above 0\n`);
  process.exit(2);
}
