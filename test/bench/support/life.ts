import { apiPrefix } from '../../../src/http/api-prefix.ts';
import type { Stack } from '../../../src/tools/embedded/stack.ts';
import type { InsertedPerson } from '../../support/factories.ts';
import { localUrl } from './bench-stack.ts';
import { post } from './poster.ts';

/** The records of one person's way to a certificate. */
export interface Life {
  applicationId: number;
  invoiceId: number;
}

/** The main job once: apply, submit, invoice, checkout, the bank's callback, verify, pay, approved. */
export async function applyAndPay(stack: Stack, person: InsertedPerson | undefined): Promise<Life> {
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
