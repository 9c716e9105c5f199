import { Client } from 'pg';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Baseline, startBaseline } from './baseline.ts';
import { countEvents, eventsOf, makePeople, signInAdministrator } from './support/bench-people.ts';
import { applyAndPay, type Life } from './support/life.ts';
import { interleaved, median, pairedRatio } from './support/measure.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const atOnce = 20;
// Short rounds, and more of them than of the others: the machine's own speed changes from one minute to the next.
const livesOfRound = 80;
const roundsFactor = 3;
// A process that has just begun runs uncompiled code for some hundreds of lives, and ours has more of it.
const warmUpRounds = 4;

/**
 * The main job at twenty people in parallel: apply, submit, invoice, checkout, the bank's callback, verify, pay, approved; against the
 * baseline's same messages. What follows an approval counts, though nobody waits for it: a round of either side ends with its last
 * certificate, drawn or not.
 */
export async function benchLifecycle(stack: Stack, rounds: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const people = await makePeople(stack, (roundsFactor * rounds + warmUpRounds) * livesOfRound, { administratorId: administrator.id });
  const baseline = await startBaseline(stack);
  const database = new Client({ connectionString: stack.migrationDatabaseUrl });
  await database.connect();
  let lastId = 0;
  const nextId = () => (lastId += 1);
  const lives: { ours: Life[]; theirs: Life[] } = { ours: [], theirs: [] };
  try {
    const ours = () =>
      lifecyclesPerSecond(
        async () => lives.ours.push(await applyAndPay(stack, people.shift())),
        () =>
          waitFor(
            () => countUnmadeCertificates(database),
            (unmade) => unmade === 0,
            'the certificates',
          ),
      );
    const theirs = () =>
      lifecyclesPerSecond(
        async () => lives.theirs.push(await liveAsBaseline(baseline, nextId())),
        () => baseline.settle(),
      );
    for (let round = 0; round < warmUpRounds; round += 1) {
      await ours();
      await theirs();
    }
    const seen = await interleaved(roundsFactor * rounds, { ours, theirs });
    await describe('applications', seen.ours, lives.ours[0], (id) => eventsOf(stack, id));
    await describe('baseline', seen.theirs, lives.theirs[0], (id) => eventsOf(stack, id, baseline.namespace));
    const share = pairedRatio(seen.ours, seen.theirs);
    return [
      {
        what: 'lifecycle at 20 in parallel, throughput against that of the baseline',
        goal: '>= 0.95',
        measured: ratio(share),
        isMet: share >= 0.95,
      },
    ];
  } finally {
    await baseline.stop();
    await database.end();
  }
}

async function countUnmadeCertificates(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>('select count(*)::int from certificates where pdf_storage_key is null');
  return rows[0]?.count ?? 0;
}

async function describe(name: string, rates: number[], life: Life | undefined, events: (id: string) => Promise<string[]>): Promise<void> {
  say(`  ${name}: ${median(rates).toFixed(1)} lifecycles/s (rounds: ${rates.map((value) => value.toFixed(1)).join(', ')})`);
  if (!life) return;
  say(`    application: ${countEvents(await events(`application/${life.applicationId}`))}`);
  say(`    invoice, last run: ${countEvents(await events(`invoice/${life.invoiceId}`))}`);
}

/** @param settle what the lives have left to be done; part of the round, lest it slows the other side's */
async function lifecyclesPerSecond(live: () => Promise<unknown>, settle: () => Promise<unknown>): Promise<number> {
  let left = livesOfRound;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left > 0) {
        left -= 1;
        await live();
      }
    }),
  );
  await settle();
  return livesOfRound / ((performance.now() - startedAt) / 1000);
}

/** The same messages in the same order; the hint is the bank's callback. */
async function liveAsBaseline(baseline: Baseline, id: number): Promise<Life> {
  await baseline.touch('application', id);
  await baseline.submit(id);
  await baseline.touch('invoice', id);
  await baseline.checkout(id);
  baseline.hint(id);
  await baseline.verify(id);
  await baseline.pay(id);
  return { applicationId: id, invoiceId: id };
}
