import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { benchBatch, benchCommand, benchLifecycle, benchWebhooks } from './commands.ts';
import { benchEventsEnd, benchLapseNight, benchNewYear, deadlineEnvironment } from './deadlines.ts';
import { benchBrokenCertificates, benchCallers, benchRecovery, callersEnvironment } from './failures.ts';
import { benchAdminLists, benchAthletesCsv, benchCalendar, benchChanges, benchExport, benchPrintZip, exportEnvironment } from './lists.ts';
import { printTable, say, type Verdict } from './measure.ts';
import { benchMemory, benchStreams, benchWorkerMemory, memoryEnvironment } from './memory.ts';
import { benchGrowing, benchPopulation, benchRebuild, benchSweep } from './processes.ts';
import { startBenchStack } from './stack.ts';
import { benchOffline, benchTableSize, benchVerification } from './verification.ts';

/**
 * `npm run bench [-- --only verify,command --rounds 5 ...]` prints figures of this machine, most of them as ratios to a measurement in the
 * same run: a bare server, the frozen baseline (`baseline/workflows.ts`), a small registry. Rounds alternate; figures are medians. Each
 * benchmark has a stack of its own. Exits with 0 unless a measurement failed. All benchmarks take about an hour on two cores.
 */
const defaults = {
  rounds: 5,
  minutes: 5,
  certificates: 1_000_000,
  living: 100_000,
  records: 20_000,
  broken: 3_000,
  events: 10_000,
  lapses: 2_000,
  ending: 500,
  registrations: 2_000,
  athletes: 100_000,
  photos: 200,
  streams: 500,
  changes: 20_000_000,
};
const options = Object.fromEntries(['only', ...Object.keys(defaults)].map((name) => [name, { type: 'string' as const }]));
const { values } = parseArgs({ options });
const sizes = { ...defaults };
for (const name of Object.keys(defaults) as (keyof typeof defaults)[]) {
  sizes[name] = Number(values[name] ?? defaults[name]);
  if (sizes[name] > 0) continue;
  process.stderr.write(`--${name} must be a number above 0\n`);
  process.exit(2);
}
const { rounds, minutes } = sizes;

/** Title, measurement, and variables of the stack that differ. */
type Bench = [title: string, run: (stack: Stack) => Promise<Verdict[]>, env?: Record<string, string>];

const benches: Record<string, Bench> = {
  verify: ['Verification, to a bare server with the same statement', (stack) => benchVerification(stack, rounds)],
  command: ['One command at a time, to the baseline', (stack) => benchCommand(stack, rounds)],
  lifecycle: ['20 parallel lifecycles, to the baseline', (stack) => benchLifecycle(stack, rounds)],
  recovery: ['Commands after a killed worker', (stack) => benchRecovery(stack, rounds)],
  memory: ["Memory of the API after each kind of a day's work", benchMemory, memoryEnvironment],
  export: ['Memory of the API during an export', (stack) => benchExport(stack, rounds, sizes.registrations), exportEnvironment],
  'print-zip': ['Requests beside print archives', (stack) => benchPrintZip(stack, rounds, sizes.photos), exportEnvironment],
  'worker-memory': ['Memory of a worker', (stack) => benchWorkerMemory(stack, minutes)],
  size: ['Verification in a large table, to 1,000', (stack) => benchTableSize(stack, rounds, sizes.certificates)],
  sweep: ['A sweep with nothing due, to 1,000 records', (stack) => benchSweep(stack, rounds, sizes.living)],
  rebuild: ['Start of processes from their records', (stack) => benchRebuild(stack, sizes.records)],
  growing: ['What a lifecycle costs each part, and 2 and 4 APIs and workers', (stack) => benchGrowing(stack, rounds)],
  population: ['Commands beside many processes', (stack) => benchPopulation(stack, sizes.records)],
  'broken-certificates': [
    'Reviews beside certificates that cannot be made',
    (stack) => benchBrokenCertificates(stack, rounds, sizes.broken),
  ],
  calendar: ['The public calendar, to 100 events', (stack) => benchCalendar(stack, rounds, sizes.events)],
  'admin-lists': ['Lists of the administrators', (stack) => benchAdminLists(stack, rounds, sizes.athletes)],
  'athletes-csv': ['Memory of the API during the CSV of all athletes', (stack) => benchAthletesCsv(stack, rounds, sizes.athletes)],
  streams: ['Live streams', (stack) => benchStreams(stack, 60, sizes.streams)],
  changes: ['The log of changes, to 100,000', (stack) => benchChanges(stack, rounds, sizes.changes)],
  webhooks: ['A webhook of all changes', (stack) => benchWebhooks(stack, rounds)],
  callers: ['A caller beside attacks of another', benchCallers, callersEnvironment],
  offline: ['Verification without a network', (stack) => benchOffline(stack, rounds)],
  batch: ['A batch of registrations, to single ones', (stack) => benchBatch(stack, rounds)],
  'lapse-night': ['Commands while registrations lapse', (stack) => benchLapseNight(stack, sizes.lapses, minutes), deadlineEnvironment],
  'events-end': ['Commands while competitions end', (stack) => benchEventsEnd(stack, sizes.ending, minutes), deadlineEnvironment],
  'new-year': ['Commands on 1 January', (stack) => benchNewYear(stack, sizes.records, minutes), deadlineEnvironment],
};
const wanted = values['only']?.split(',') ?? Object.keys(benches);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}. Known: ${Object.keys(benches).join(', ')}.\n`);
  process.exit(2);
}

say(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; ${rounds} rounds each, alternating, medians`);
const verdicts: Verdict[] = [];
for (const name of wanted) {
  const [title, run, env] = benches[name] ?? [];
  if (!run) continue;
  say(`\n${title}`);
  // A stack of its own: the data of one benchmark must not slow the next.
  const stack = await startBenchStack(env);
  try {
    verdicts.push(...(await run(stack)));
  } catch (error) {
    say(`  measurement failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exitCode = 1;
  } finally {
    await stack.stop();
  }
}
printTable(verdicts);
