import { randomUUID } from 'node:crypto';
import type { TestClient } from '../../support/client.ts';
import type { TestApi } from '../../support/test-api.ts';

export const make = (owner: TestClient, amount: unknown = '1500.00', key: string = randomUUID()) =>
  owner.post('/invoices', { amount }, { 'idempotency-key': key });
export const made = async (owner: TestClient, amount = '1500.00') => owner.expect(201, await make(owner, amount)).body.data;
export const opened = async (owner: TestClient) => {
  const invoice = await made(owner);
  owner.expect(200, await owner.post(`/invoices/${invoice.id}/checkout`));
  return invoice;
};
export const refusal = (status: number, code: string) => ({ status, body: { error: { code } } });

/** Sets the simulator's next answers about an invoice. */
export async function control({ surroundings }: TestApi, number: string, body: Record<string, unknown>): Promise<void> {
  const answer = await fetch(`${surroundings.bank.url}/control/${number}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

/** Lists the queries that the bank has received about an invoice, oldest first. */
export async function questionsAbout({ surroundings }: TestApi, number: string): Promise<Date[]> {
  const { history } = (await (await fetch(`${surroundings.bank.url}/control/${number}`)).json()) as {
    history: { at: string; event: string }[];
  };
  return history.filter(({ event }) => event === 'question').map(({ at }) => new Date(at));
}
