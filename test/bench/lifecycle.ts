import { randomUUID } from 'node:crypto';
import type { Stack } from '../../src/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import type { PreparedPerson } from '../support/prepared-people.ts';
import { countEvents, eventsOf, makePeople, signInAdministrator } from './bench-people.ts';
import { localUrl } from './bench-stack.ts';
import { interleaved, median, pairedRatio } from './measure.ts';
import { ratio, say } from './report.ts';
import type { Verdict } from './report.ts';
import { startTwin } from './twin.ts';
import type { Twin } from './twin.ts';

const atOnce = 20;
const livesOfRound = 160;

interface Life {
  applicationId: number;
  invoiceId: number;
}

/**
 * The main job at twenty people in parallel: apply, submit, invoice, checkout, the bank's callback, verify, pay, approved; against
 * the twin's same messages. The PDFs that follow an approval are drawn meanwhile, and count.
 */
export async function benchLifecycle(stack: Stack, rounds: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const people = await makePeople(stack, (rounds + 1) * livesOfRound, { administratorId: administrator.id });
  const twin = await startTwin(stack);
  let lastId = 0;
  const nextId = () => (lastId += 1);
  const lives: { ours: Life[]; twin: Life[] } = { ours: [], twin: [] };
  try {
    const ours = () => lifecyclesPerSecond(async () => lives.ours.push(await applyAndPay(stack, people.shift())));
    const theirs = () => lifecyclesPerSecond(async () => lives.twin.push(await liveAsTwin(twin, nextId())));
    await ours();
    await theirs();
    const seen = await interleaved(rounds, { ours, twin: theirs });
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
  }
}

async function describe(name: string, rates: number[], life: Life | undefined, events: (id: string) => Promise<string[]>): Promise<void> {
  say(`  ${name}: ${median(rates).toFixed(1)} lifecycles/s (rounds: ${rates.map((value) => value.toFixed(1)).join(', ')})`);
  if (!life) return;
  say(`    application: ${countEvents(await events(`application/${life.applicationId}`))}`);
  say(`    invoice, last run: ${countEvents(await events(`invoice/${life.invoiceId}`))}`);
}

async function lifecyclesPerSecond(live: () => Promise<unknown>): Promise<number> {
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
  return livesOfRound / ((performance.now() - startedAt) / 1000);
}

async function applyAndPay(stack: Stack, person: PreparedPerson | undefined): Promise<Life> {
  if (!person) throw new RangeError('prepare more people');
  const client = new TestClient(localUrl(stack), person.key);
  const send = async (status: number, path: string, body?: unknown) =>
    client.expect(status, await client.post(path, body, { 'idempotency-key': randomUUID() })).body.data;
  const documents = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
  const { id } = await send(201, '/applications', documents);
  await send(200, `/applications/${id}/submit`);
  const invoice = await send(201, '/invoices', { amount: '20000.00' });
  await send(200, `/invoices/${invoice.id}/checkout`);
  await fetch(`${stack.bankUrl}/control/${invoice.number}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'paid' }),
  });
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
