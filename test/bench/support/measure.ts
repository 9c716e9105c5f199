/** The middle of some numbers; of an even count the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The value that this share of the numbers does not exceed (nearest rank). @param share 0.99 for p99 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** `p50 12.3, p95 20.1, p99 31.0 ms`. */
export function describeLatencies(millis: readonly number[]): string {
  const at = (share: number) => percentile(millis, share).toFixed(1);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)} ms (${millis.length} samples)`;
}

/** How long one piece of work took, milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** A round of both sides, each beginning every other round, so that whatever warms up or tires favours neither. */
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

/** Ours by theirs, round by round, and the middle of that: what slows the machine for a while slows both sides of a round. */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}
