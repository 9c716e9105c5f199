import type { ProcessView } from '../../workflows/process.contract.ts';
import { assertNever } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { formatDateTime } from '../platform/date-time.ts';
import type { Invoice } from './entities.ts';
import { findInvoice } from './queries.ts';

/**
 * How an invoice's process stands, in the transaction of the step before (design.md "Processes").
 * @param known the invoice where that step has it at hand; else it is read
 */
export async function viewInvoice(ctx: Pick<CommandContext, 'em' | 'now'>, id: number, known?: Invoice | null): Promise<ProcessView> {
  const invoice = known ?? (await findInvoice(ctx.em, id));
  return invoice ? viewOfInvoice(invoice, ctx.now) : viewOfAbsentInvoice(id);
}

export function viewOfAbsentInvoice(id: number): ProcessView {
  return { stage: 'absent', waitingFor: 'nobody', details: `There is no invoice ${id}.`, isOver: true, wakeAfterMs: null };
}

/** The same for a row at hand. */
export function viewOfInvoice(invoice: Invoice, now: Date): ProcessView {
  return {
    stage: invoice.status,
    waitingFor: waitingFor(invoice),
    details: detailsOf(invoice),
    isOver: invoice.nextAskAt === null,
    wakeAfterMs: invoice.nextAskAt === null ? null : Math.max(0, invoice.nextAskAt.getTime() - now.getTime()),
  };
}

function waitingFor(invoice: Invoice): ProcessView['waitingFor'] {
  switch (invoice.status) {
    case 'created':
      return 'owner';
    case 'pending':
      return 'bank';
    case 'failed':
    case 'expired':
      return invoice.nextAskAt === null ? 'nobody' : 'bank';
    case 'mismatch':
      return 'administrator';
    case 'paid':
      return 'nobody';
    default:
      return assertNever(invoice.status);
  }
}

function detailsOf(invoice: Invoice): string {
  const { number } = invoice;
  switch (invoice.status) {
    case 'created':
      return `Waits for the payer to open the bank's form: invoice ${number}. ${nextQuestion(invoice)}`;
    case 'pending':
      return `Waits for the bank: invoice ${number}, asked ${times(invoice.asked)} since the form was given out. ${nextQuestion(invoice)}`;
    case 'failed':
      return `The bank refused the payment of invoice ${number}. ${lateMoney(invoice)}`;
    case 'expired':
      return `Invoice ${number} was not paid in time. ${lateMoney(invoice)}`;
    case 'mismatch':
      return `What the bank reports about invoice ${number} does not fit it; nothing was credited. A person of the federation must look at the incident.`;
    case 'paid':
      return invoice.late ? `Invoice ${number} is paid and credited; the money came late.` : `Invoice ${number} is paid and credited.`;
    default:
      return assertNever(invoice.status);
  }
}

function nextQuestion(invoice: Invoice): string {
  return invoice.nextAskAt === null ? 'The bank is not asked any more.' : `Next question at ${formatDateTime(invoice.nextAskAt)}.`;
}

function lateMoney(invoice: Invoice): string {
  return invoice.nextAskAt === null
    ? 'The bank is not asked any more.'
    : `The bank is asked for late money at ${formatDateTime(invoice.nextAskAt)}.`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
