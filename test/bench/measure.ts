import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { TestClient } from '../support/client.ts';

/** One line of the table at the end. */
export interface Verdict {
  what: string;
  goal: string;
  measured: string;
  isMet: boolean;
}

/** Verdict on a ratio that may be at most `goal`. @param details printed after the ratio */
export function atMost(goal: number, what: string, value: number, details = ''): Verdict {
  return { what, goal: `<= ${ratio(goal)}`, measured: ratio(value) + details, isMet: value <= goal };
}

/** Verdict on a ratio that must be at least `goal`. */
export function atLeast(goal: number, what: string, value: number): Verdict {
  return { what, goal: `>= ${ratio(goal)}`, measured: ratio(value), isMet: value >= goal };
}

/** Verdict on a figure that may be at most `goal`. */
export function within(goal: number, what: string, value: number, unit: string, digits = 0): Verdict {
  return { what, goal: `<= ${goal} ${unit}`, measured: `${value.toFixed(digits)} ${unit}`, isMet: value <= goal };
}

/** Verdict that nothing was counted. */
export function none(what: string, count: number): Verdict {
  return { what, goal: '0', measured: String(count), isMet: count === 0 };
}

/** Prints the latencies of requests in a busy and a quiet period. @returns a verdict on the ratio of their p95, at most 2 */
export function besideQuiet(what: string, busy: readonly number[], quiet: readonly number[]): Verdict {
  say(`  quiet: ${describeLatencies(quiet)}`);
  say(`  busy: ${describeLatencies(busy)}`);
  const [busyP95, quietP95] = [percentile(busy, 0.95), percentile(quiet, 0.95)];
  return atMost(2, `p95 of ${what}`, busyP95 / quietP95, ` (${busyP95.toFixed(1)} ms to ${quietP95.toFixed(1)} ms)`);
}

/** A figure without a goal: it is a basis for sizing. */
export function figure(what: string, measured: string): Verdict {
  return { what, goal: '', measured, isMet: true };
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function ratio(value: number): string {
  return value.toFixed(2);
}

/** Seconds since a moment of `performance.now()`, with one decimal. */
export function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}

export function printTable(verdicts: readonly Verdict[]): void {
  const rows = [
    ['', 'goal', 'measured', ''],
    ...verdicts.map(({ what, goal, measured, isMet }) => [what, goal, measured, isMet ? 'met' : 'MISSED']),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  say('');
  for (const row of rows) say(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

/** Median; the mean of the two middle values of an even count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Percentile by nearest rank. @param share 0.99 for p99 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** `p50 12.3, p95 20.1, p99 31.0 ms`. */
export function describeLatencies(millis: readonly number[]): string {
  const at = (share: number) => percentile(millis, share).toFixed(1);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)} ms (${millis.length} samples)`;
}

/** Duration of some work, milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Requests the paths in turn, one after another with pauses, while some work is done. @returns milliseconds of each request */
export async function timeRequestsDuring(client: TestClient, paths: readonly string[], work: () => Promise<unknown>): Promise<number[]> {
  const state = { isOver: false };
  const done = work().finally(() => (state.isOver = true));
  const millis: number[] = [];
  for (let index = 0; !state.isOver; index += 1) {
    millis.push(await timed(async () => client.expect(200, await client.get(paths[index % paths.length] ?? ''))));
    await setTimeout(20);
  }
  await done;
  return millis;
}

/** Runs rounds of both sides and alternates which begins, so that neither side profits from a warm or a slow machine. */
export async function interleaved<Ours, Theirs>(
  rounds: number,
  sides: { ours: (round: number) => Promise<Ours>; theirs: (round: number) => Promise<Theirs> },
): Promise<{ ours: Ours[]; theirs: Theirs[] }> {
  const ours: Ours[] = [];
  const theirs: Theirs[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) ours.push(await sides.ours(round));
    theirs.push(await sides.theirs(round));
    if (round % 2 === 1) ours.push(await sides.ours(round));
  }
  return { ours, theirs };
}

/** Median of the ratios of all rounds: what slows the machine for a while slows both sides of a round. */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

/** Resident memory of a process, MB. Linux only. */
export function residentMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

/** Processor time of a process with its children, also of those that ended, seconds. Linux only. */
export function cpuSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), readSeconds(`/proc/${pid}/stat`, [11, 12, 13, 14]));
}

/** Processor time of the main thread of a process, seconds. Linux only. */
export function mainThreadSeconds(pid: number): number {
  return readSeconds(`/proc/${pid}/task/${pid}/stat`, [11, 12]);
}

/** A tick in `/proc` is a hundredth of a second. */
const ticksPerSecond = 100;

function readSeconds(path: string, fields: readonly number[]): number {
  const text = readFileSync(path, 'utf8');
  // The name, in brackets, may contain spaces; the first word after it is the third field.
  const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.reduce((sum, field) => sum + Number(words[field]), 0) / ticksPerSecond;
}

/** Peak of the resident memory since the start or `resetPeak`, MB. Linux only. */
export function peakMb(pid: number): number {
  return statusMb(pid, 'VmHWM');
}

/** Resets the peak; where the system refuses it, the peak counts from the start of the process. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    say('  the peak counts from the start of the process');
  }
}

function statusMb(pid: number, field: string): number {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status has no ${field}`);
  return Math.round(Number(kilobytes) / 1024);
}
