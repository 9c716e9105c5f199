import type { SignedIn } from '../http/access.ts';
import type { Invoice } from './entities.ts';

/** Only its owner pays an invoice. */
export function canPayInvoice(principal: SignedIn, invoice: Pick<Invoice, 'ownerId'>): boolean {
  return invoice.ownerId === principal.user.id;
}
