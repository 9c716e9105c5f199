import { randomUUID } from 'node:crypto';
import type { InsertedPerson } from '../support/factories.ts';
import type { Random } from '../support/random.ts';
import { CarefulClient, type Watch } from './careful-client.ts';
import type { FaultStack } from './fault-stack.ts';

/** The ways from a draft to a certificate; each is a different race between the processes. */
export const stories = ['usual', 'money first', 'paid by two hands', 'bank tells twice', 'document reviewed last'] as const;
export type Story = (typeof stories)[number];

/** The effects that 2xx answers confirmed to a person; the verdict expects each once. */
export interface Accepted {
  person: InsertedPerson;
  story: Story;
  applicationId: number;
  invoiceId: number;
  /** Money added, tiyn. */
  toppedUpMinor: number;
  /** The price in the answer of the service, tiyn. */
  priceMinor: number;
}

export interface ApplicantSurroundings {
  baseUrl: string;
  bankUrl: string;
  watch: Watch;
  administratorKey: string;
}

const nationalCertificate = 1;
const toppedUpMinor = 2_000_000;

/** The story of the person with this index, so that its records can be prepared. */
export function storyOf(index: number): Story {
  return stories[index % stories.length] ?? 'usual';
}

/** One person's whole way to a paid application, despite all faults. */
export async function liveThrough(
  story: Story,
  person: InsertedPerson,
  { baseUrl, bankUrl, watch, administratorKey }: ApplicantSurroundings,
  random: Random,
): Promise<Accepted> {
  const client = new CarefulClient(baseUrl, person.key, watch);
  const keyOf = (step: string) => `${step}-${person.userId}-${random.between(0, 0xffffffff)}`;

  const topUp = async () => {
    const body = { amount: (toppedUpMinor / 100).toFixed(2) };
    const invoice = (await client.send('POST', '/invoices', { body, key: keyOf('invoice') })).body.data;
    await client.send('POST', `/invoices/${invoice.id}/checkout`, { key: keyOf('checkout') });
    await settleAtBank(bankUrl, invoice.number, story === 'bank tells twice' ? 'twice' : 'paid');
    const verified = (await client.send('POST', `/invoices/${invoice.id}/verify`, { key: keyOf('verify') })).body.data;
    if (verified.status !== 'paid') watch.surprises.push(`invoice ${invoice.id} is ${verified.status} after the bank said paid`);
    return Number(invoice.id);
  };

  const earlyInvoiceId = story === 'money first' ? await topUp() : null;
  const body = { profile_id: person.profileId, service_id: nationalCertificate, document_ids: person.documentIds, data: {} };
  const application = (await client.send('POST', '/applications', { body, key: keyOf('application') })).body.data;
  const path = `/applications/${application.id}`;
  await client.send('POST', `${path}/submit`, { key: keyOf('submit') });
  const invoiceId = earlyInvoiceId ?? (await topUp());

  const payKey = keyOf('pay');
  const pay = (key: string) => client.send('POST', `${path}/pay`, { key });
  await Promise.all([pay(payKey), ...(story === 'paid by two hands' ? [pay(keyOf('other-hand')), pay(payKey)] : [])]);
  if (story === 'document reviewed last') {
    const administrator = new CarefulClient(baseUrl, administratorKey, watch);
    const decision = { kind: 'document', id: person.documentIds[1], decision: 'approve' };
    await administrator.send('POST', '/admin/review', { body: decision, key: keyOf('review') });
  }
  return { person, story, applicationId: application.id, invoiceId, toppedUpMinor, priceMinor: application.amount_minor };
}

/** Pays at the bank, which is never killed. */
async function settleAtBank(bankUrl: string, number: string, outcome: 'paid' | 'twice'): Promise<void> {
  const answer = await fetch(`${bankUrl}/control/${number}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome }),
  });
  if (!answer.ok) throw new Error(`the bank refused: ${answer.status}`);
}

/** A submitted application and the money for it. @returns the id of the application */
export async function readyToPay({ stack }: FaultStack, client: CarefulClient, person: InsertedPerson): Promise<number> {
  const body = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
  const { id } = (await client.send('POST', '/applications', { body })).body.data;
  await client.send('POST', `/applications/${id}/submit`, { key: randomUUID() });
  await putIn(stack, client, '20000.00');
  return id;
}

/** Adds money to a wallet over HTTP. @param amount in tenge, with two decimals */
export async function putIn({ bankUrl }: FaultStack['stack'], client: CarefulClient, amount: string): Promise<void> {
  const invoice = (await client.send('POST', '/invoices', { body: { amount }, key: randomUUID() })).body.data;
  await client.send('POST', `/invoices/${invoice.id}/checkout`);
  await fetch(`${bankUrl}/control/${invoice.number}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'paid' }),
  });
  await client.send('POST', `/invoices/${invoice.id}/verify`);
}

const peopleAtOnce = 60;

/** People who are ready to apply, prepared in advance, each with their story. */
export class Crowd {
  private readonly faultStack: FaultStack;
  private readonly waiting: { person: InsertedPerson; story: Story }[] = [];
  private prepared = 0;
  private preparing: Promise<void> | null = null;

  constructor(faultStack: FaultStack) {
    this.faultStack = faultStack;
  }

  async next(): Promise<{ person: InsertedPerson; story: Story }> {
    for (;;) {
      const one = this.waiting.shift();
      if (one) return one;
      this.preparing ??= this.prepare().finally(() => {
        this.preparing = null;
      });
      await this.preparing;
    }
  }

  /** The database may be killed in the meantime, so this retries until it succeeds. */
  private async prepare(): Promise<void> {
    const first = this.prepared;
    this.prepared += peopleAtOnce;
    for (;;) {
      try {
        const people = await this.faultStack.people(peopleAtOnce, (index) => storyOf(first + index) === 'document reviewed last');
        this.waiting.push(...people.map((person, index) => ({ person, story: storyOf(first + index) })));
        return;
      } catch {
        await this.faultStack.stack.processes.postgres?.whenReady();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }
}
