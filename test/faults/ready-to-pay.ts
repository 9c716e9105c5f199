import { randomUUID } from 'node:crypto';
import type { InsertedPerson } from '../support/factories.ts';
import type { CarefulClient } from './careful-client.ts';
import type { FaultStack } from './fault-stack.ts';

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
