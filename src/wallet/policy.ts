import { mayReadRecordOf } from '../http/access.ts';
import type { SignedIn } from '../http/access.ts';
import type { Invoice } from './entities.ts';

/** Owner or administrator may read an invoice; to others it does not exist. */
export function canReadInvoice(principal: SignedIn, invoice: Pick<Invoice, 'ownerId'>): boolean {
  return mayReadRecordOf(principal.user, invoice.ownerId);
}

/** Only its owner pays an invoice. */
export function canPayInvoice(principal: SignedIn, invoice: Pick<Invoice, 'ownerId'>): boolean {
  return invoice.ownerId === principal.user.id;
}
