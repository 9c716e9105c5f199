import { randomUUID } from 'node:crypto';
import type { Stack } from '../../src/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import type { PreparedPerson } from '../support/prepared-people.ts';
import { countEvents, eventsOf, makePeople, signInAdministrator } from './bench-people.ts';
import { localUrl } from './bench-stack.ts';
import { interleaved, median } from './measure.ts';
import { ratio, say } from './report.ts';
import type { Verdict } from './report.ts';
import { startTwin } from './twin.ts';
import type { Twin } from './twin.ts';

const atOnce = 20;
const livesOfRound = 80;

/**
 * The main job at twenty people in parallel: apply, submit, invoice, checkout, the bank's word, pay, approved; against a twin of
 * as many processes, commands and activities that do nothing. The PDFs that follow an approval are drawn meanwhile.
 */
export async function benchLifecycle(stack: Stack, rounds: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const people = await makePeople(stack, (rounds + 1) * livesOfRound, { administratorId: administrator.id });
  const twin = await startTwin(stack);
  const applications: number[] = [];
  const twins: string[] = [];
  try {
    const ours = async () => lifecyclesPerSecond(async () => applications.push(await applyAndPay(stack, people.shift())));
    const theirs = async () => lifecyclesPerSecond(async () => twins.push(await liveAsTwin(twin)));
    await ours();
    await theirs();
    const seen = await interleaved(rounds, { ours, twin: theirs });
    const rates = (values: number[]) =>
      `${median(values).toFixed(1)} lifecycles/s (rounds: ${values.map((value) => value.toFixed(1)).join(', ')})`;
    say(`  applications: ${rates(seen.ours)}; ${countEvents(await eventsOf(stack, `application/${applications[0]}`))}`);
    say(`  no-op twin: ${rates(seen.twin)}; ${countEvents(await eventsOf(stack, twins[0] ?? ''))}`);
    const share = median(seen.ours) / median(seen.twin);
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

async function applyAndPay(stack: Stack, person: PreparedPerson | undefined): Promise<number> {
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
  return id;
}

/** As many processes, starts, commands and activities as above, in the same order. */
async function liveAsTwin(twin: Twin): Promise<string> {
  const application = `twin-application/${randomUUID()}`;
  const invoice = `twin-invoice/${randomUUID()}`;
  const applicationInput = { endsAfter: 2, makesFile: true };
  const invoiceInput = { endsAfter: 2, makesFile: false };
  await twin.touch(application, 'registry', applicationInput);
  await twin.command(application, 'registry', applicationInput);
  await twin.touch(invoice, 'bank', invoiceInput);
  await twin.command(invoice, 'bank', invoiceInput);
  await twin.command(invoice, 'bank', invoiceInput);
  await twin.command(application, 'registry', applicationInput);
  return application;
}
