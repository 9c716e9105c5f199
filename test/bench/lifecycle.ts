import { Client } from 'pg';
import type { Stack } from '../../src/embedded/stack.ts';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import type { PreparedPerson } from '../support/prepared-people.ts';
import { waitFor } from '../support/wait-for.ts';
import { countEvents, eventsOf, makePeople, signInAdministrator } from './bench-people.ts';
import { localUrl } from './bench-stack.ts';
import { interleaved, median, pairedRatio } from './measure.ts';
import { post } from './poster.ts';
import { ratio, say } from './report.ts';
import type { Verdict } from './report.ts';
import { startTwin } from './twin.ts';
import type { Twin } from './twin.ts';

const atOnce = 20;
// Short rounds, and more of them than of the others: the machine's own speed changes from one minute to the next.
const livesOfRound = 80;
const roundsFactor = 3;
// A process that has just begun runs uncompiled code for some hundreds of lives, and ours has more of it.
const warmUpRounds = 4;

interface Life {
  applicationId: number;
  invoiceId: number;
}

/**
 * The main job at twenty people in parallel: apply, submit, invoice, checkout, the bank's callback, verify, pay, approved; against
 * the twin's same messages. What follows an approval counts, though nobody waits for it: a round of either side ends with its last
 * certificate, drawn or not.
 */
export async function benchLifecycle(stack: Stack, rounds: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const people = await makePeople(stack, (roundsFactor * rounds + warmUpRounds) * livesOfRound, { administratorId: administrator.id });
  const twin = await startTwin(stack);
  const database = new Client({ connectionString: stack.migrationDatabaseUrl });
  await database.connect();
  let lastId = 0;
  const nextId = () => (lastId += 1);
  const lives: { ours: Life[]; twin: Life[] } = { ours: [], twin: [] };
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
        async () => lives.twin.push(await liveAsTwin(twin, nextId())),
        () => twin.settle(),
      );
    for (let round = 0; round < warmUpRounds; round += 1) {
      await ours();
      await theirs();
    }
    const seen = await interleaved(roundsFactor * rounds, { ours, twin: theirs });
    await describe('applications', seen.ours, lives.ours[0], (id) => eventsOf(stack, id));
    await describe('no-op twin', seen.twin, lives.twin[0], (id) => eventsOf(stack, id, twin.namespace));
    const share = pairedRatio(seen.ours, seen.twin);
    return [
      {
        what: 'lifecycle at 20 in parallel, throughput against its no-op twin',
        goal: '>= 0.75',
        measured: ratio(share),
        isMet: share >= 0.75,
      },
    ];
  } finally {
    await twin.stop();
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

async function applyAndPay(stack: Stack, person: PreparedPerson | undefined): Promise<Life> {
  if (!person) throw new RangeError('prepare more people');
  const send = (status: number, path: string, body?: unknown) => post(`${localUrl(stack)}${apiPrefix}${path}`, status, person.key, body);
  const documents = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
  const { id } = await send(201, '/applications', documents);
  await send(200, `/applications/${id}/submit`);
  const invoice = await send(201, '/invoices', { amount: '20000.00' });
  await send(200, `/invoices/${invoice.id}/checkout`);
  await post(`${stack.bankUrl}/control/${invoice.number}`, 200, null, { outcome: 'paid' });
  await send(200, `/invoices/${invoice.id}/verify`);
  const paid = await send(200, `/applications/${id}/pay`);
  if (paid.status !== 'approved') throw new Error(`application ${id} is ${paid.status}`);
  return { applicationId: id, invoiceId: invoice.id };
}

/** The same messages in the same order; the hint is the bank's callback. */
async function liveAsTwin(twin: Twin, id: number): Promise<Life> {
  await twin.touch('application', id);
  await twin.submit(id);
  await twin.touch('invoice', id);
  await twin.checkout(id);
  twin.hint(id);
  await twin.verify(id);
  await twin.pay(id);
  return { applicationId: id, invoiceId: id };
}
