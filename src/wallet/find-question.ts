import type { ProcessView } from '../../workflows/process.contract.ts';
import type { CommandContext } from '../platform/context.ts';
import type { Invoice } from './entities.ts';
import { viewOfAbsentInvoice, viewOfInvoice } from './process-view.ts';
import { findInvoice } from './queries.ts';
import { isFinal } from './states.ts';

/** The invoice about which the bank is to be asked, and how its process stands before the answer. */
export interface Question {
  /** Null when there is nothing to ask. */
  invoice: Invoice | null;
  view: ProcessView;
}

/**
 * Finds out whether the bank is to be asked about an invoice: never about one that is settled for good.
 * @param onlyIfDue not before the planned time (decisions.md §5)
 */
export async function findQuestion({ em, now }: Pick<CommandContext, 'em' | 'now'>, id: number, onlyIfDue: boolean): Promise<Question> {
  const invoice = await findInvoice(em, id);
  if (!invoice) return { invoice: null, view: viewOfAbsentInvoice(id) };
  const isDue = invoice.nextAskAt !== null && invoice.nextAskAt <= now;
  const isOpen = !isFinal(invoice.status) && (isDue || !onlyIfDue);
  return { invoice: isOpen ? invoice : null, view: viewOfInvoice(invoice, now) };
}
