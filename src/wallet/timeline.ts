import type { EntityManager } from '@mikro-orm/postgresql';
import type { TimelineStep } from '../http/schemas.ts';
import { formatDateTime } from '../platform/date-time.ts';
import type { Invoice } from './entities.ts';
import { viewOfInvoice } from './process-view.ts';

interface FactRow {
  at: string | Date;
  step: string;
  source: 'audit' | 'bank';
  actor_id: number | null;
}

/** What each recorded fact means in words. */
const texts: Record<string, string> = {
  created: 'The invoice was made.',
  checked_out: "The bank's form was given out.",
  bank_pending: 'The bank said that nothing had been paid yet.',
  bank_failed: 'The bank said that the payment was refused.',
  bank_paid: 'The bank said that the invoice is paid.',
  bank_mismatch: "The bank's answer did not fit the invoice.",
  paid: 'The money was credited to the wallet.',
  failed: 'The invoice failed; late money is still looked for.',
  expired: 'The invoice expired; late money is still looked for.',
  mismatched: 'Nothing was credited; the federation looks into it.',
  verified: 'The bank was asked because the owner wanted to know.',
};

/**
 * An invoice's process as a person would tell it, from recorded facts (decisions.md §9): the audit tells what was done, the
 * kept answers what the bank said. Of one instant, what the bank said comes before what followed from it.
 */
export async function tellInvoiceTimeline(em: EntityManager, invoice: Invoice, now: Date): Promise<TimelineStep[]> {
  const facts = await em.execute<FactRow[]>(
    `select at, step, source, actor_id from (
       select at, split_part(action, '.', 2) as step, 'audit' as source, actor_id, id, 1 as rank
       from audit_events where subject_kind = 'invoice' and subject_id = ?
       union all
       select at, 'bank_' || verdict, 'bank', null, id, 0 from bank_answers where invoice_id = ?
     ) facts order by at, rank, id`,
    [String(invoice.id), invoice.id],
  );
  const steps = facts.map((fact): TimelineStep => ({
    at: formatDateTime(new Date(fact.at)),
    step: fact.step,
    text: texts[fact.step] ?? `${fact.step.replaceAll('_', ' ')}.`,
    actor: fact.source === 'bank' ? 'bank' : actorOf(fact, invoice),
    waiting_for: null,
  }));
  const last = steps.at(-1);
  if (last) last.waiting_for = waitingFor(invoice, now);
  return steps;
}

function actorOf(fact: FactRow, invoice: Invoice): TimelineStep['actor'] {
  const isConsequence = ['paid', 'failed', 'expired', 'mismatched'].includes(fact.step);
  if (fact.actor_id === null || isConsequence) return 'system';
  return fact.actor_id === invoice.ownerId ? 'owner' : 'administrator';
}

function waitingFor(invoice: Invoice, now: Date): TimelineStep['waiting_for'] {
  const { waitingFor: whom } = viewOfInvoice(invoice, now);
  return whom === 'nobody' ? null : whom;
}
