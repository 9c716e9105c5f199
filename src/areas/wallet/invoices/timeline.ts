import { sql } from 'kysely';
import type { TimelineStep } from '../../../http/schemas.ts';
import type { Database } from '../../../platform/database/database.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { partyOf } from '../../../platform/workflows/define-process.ts';
import type { Invoice } from '../entities.ts';
import { describeInvoice } from './process.ts';

interface Fact {
  at: Date;
  step: string;
  source: 'audit' | 'bank';
  /** The account that acted; the impersonated one for an impersonated action. */
  userId: number | null;
}

/** Text of each recorded step. */
const texts: Record<string, string> = {
  created: 'The invoice was created.',
  checked_out: "The bank's payment form was issued.",
  bank_pending: 'The bank reported no payment yet.',
  bank_failed: 'The bank reported a refused payment.',
  bank_paid: 'The bank reported that the invoice is paid.',
  bank_mismatch: "The bank's answer did not match the invoice.",
  paid: 'The money was credited to the wallet.',
  failed: 'The payment failed. Late money is still credited.',
  expired: 'The invoice expired. Late money is still credited.',
  mismatched: 'Nothing was credited. The federation checks the payment.',
  reversed: 'The federation reversed the credit to the wallet.',
  verified: 'The owner had the bank queried.',
};

/**
 * Builds an invoice's timeline from audit events and stored bank responses. At the same instant the bank's response comes before
 * its consequences.
 */
export async function buildInvoiceTimeline(db: Database, invoice: Readonly<Invoice>, now: Date): Promise<TimelineStep[]> {
  const facts: Fact[] = await db
    .selectFrom('audit_events')
    .where('subjectKind', '=', 'invoice')
    .where('subjectId', '=', String(invoice.id))
    // A read is not a step of the invoice.
    .where('action', '<>', 'invoice.read')
    .select(['at', sql<string>`split_part(action, '.', 2)`.as('step'), sql<'audit' | 'bank'>`'audit'`.as('source')])
    .select((eb) => [eb.fn.coalesce('impersonatedUserId', 'actorId').as('userId'), 'id', sql<number>`1`.as('rank')])
    .unionAll(
      db
        .selectFrom('bank_answers')
        .where('invoiceId', '=', invoice.id)
        .select(['at', sql<string>`'bank_' || verdict`.as('step'), sql<'audit' | 'bank'>`'bank'`.as('source')])
        .select([sql<number | null>`null::int`.as('userId'), 'id', sql<number>`0`.as('rank')]),
    )
    .orderBy('at')
    .orderBy('rank')
    .orderBy('id')
    .execute();
  const steps = facts.map((fact): TimelineStep => ({
    at: formatDateTime(fact.at),
    step: fact.step,
    text: texts[fact.step] ?? `${fact.step.replaceAll('_', ' ')}.`,
    actor: fact.source === 'bank' ? 'bank' : actorOf(fact, invoice),
    waiting_for: null,
  }));
  const last = steps.at(-1);
  if (last) last.waiting_for = partyOf(describeInvoice(invoice, now));
  return steps;
}

function actorOf(fact: Fact, invoice: Readonly<Invoice>): TimelineStep['actor'] {
  const isConsequence = ['paid', 'failed', 'expired', 'mismatched'].includes(fact.step);
  if (fact.userId === null || isConsequence) return 'system';
  // Only an administrator reverses, also when the invoice is their own.
  if (fact.step === 'reversed') return 'administrator';
  return fact.userId === invoice.ownerId ? 'owner' : 'administrator';
}
