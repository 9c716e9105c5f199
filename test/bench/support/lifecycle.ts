import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { apiPrefix } from '../../../src/http/api-prefix.ts';
import type { Stack } from '../../../src/tools/embedded/stack.ts';
import type { InsertedPerson } from '../../support/factories.ts';
import { localUrl } from './bench-stack.ts';

/** Records of one person's way to a certificate. */
export interface Lifecycle {
  applicationId: number;
  invoiceId: number;
}

/** Runs one lifecycle: apply, submit, invoice, checkout, the bank's callback, verify, pay, approved. */
export async function applyAndPay(stack: Stack, person: InsertedPerson | undefined): Promise<Lifecycle> {
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

const agent = new Agent({ keepAlive: true });

/** Fields of the responses that the load reads. */
interface Posted {
  id: number;
  number: string;
  status: string;
}

/**
 * Posts JSON over persistent connections, with little work of its own: the load shares the processor with the measured programs.
 *
 * @returns `data` of the response
 * @throws {Error} with the response when its status differs
 */
export function post(url: string, status: number, key: string | null = null, body?: unknown): Promise<Posted> {
  const headers = {
    'idempotency-key': randomUUID(),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === status) resolve((JSON.parse(text) as { data: Posted }).data);
        else reject(new Error(`expected ${status}, got ${response.statusCode}: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
