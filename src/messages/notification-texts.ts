import type { NotificationType } from './notification-types.ts';

/**
 * What a text may tell of; every fact is optional, a sentence without its fact is left out.
 * - `note`: the administrator's words on a decision; `reason`: why something happened by itself
 * - `number`: of a certificate or an invoice; `valid_until`: `YYYY-MM-DD`
 * - `amount_minor`: money in tiyn
 * - `document_id`, `document_type`, `applications` (ids, `12, 15`), `expires_at`: of a document
 * - `service`: title of the service applied for; `year`
 */
export type NotificationFacts = Readonly<Record<string, string | number>>;

export interface NotificationWords {
  /** At most 200 characters. */
  title: string;
  text: string;
}

type Writer = (facts: NotificationFacts, subjectId: string) => NotificationWords;

const writers = {
  'profile.approved': (_, id) => words('Profile approved', `The data of your profile ${id} has been checked and approved.`),
  'profile.changes': (facts, id) =>
    words('Profile returned for correction', `Correct the data of your profile ${id} and submit it again.`, noteOf(facts)),
  'profile.cancelled': (facts, id) => words('Profile refused', `The data of your profile ${id} has been refused.`, noteOf(facts)),

  'photo.approved': (_, id) => words('Photo approved', `The photo of your profile ${id} has been checked and approved.`),
  'photo.changes': (facts, id) =>
    words('Photo returned for correction', `Replace the photo of your profile ${id} and submit it again.`, noteOf(facts)),
  'photo.cancelled': (facts, id) => words('Photo refused', `The photo of your profile ${id} has been refused.`, noteOf(facts)),

  'document.approved': (facts, id) => words('Document approved', `Your document ${id}${ofType(facts)} has been checked and approved.`),
  'document.changes': (facts, id) =>
    words('Document returned for correction', `Your document ${id}${ofType(facts)} needs a correction.`, noteOf(facts)),
  'document.cancelled': (facts, id) => words('Document refused', `Your document ${id}${ofType(facts)} has been refused.`, noteOf(facts)),
  'document.expired': (facts, id) =>
    words(
      'Document expired',
      `Your document ${id}${ofType(facts)} expired${after(' after ', facts['expires_at'])}.`,
      expiredDocumentConsequence(facts),
    ),

  'application.approved': (facts, id) =>
    words(
      'Application approved',
      `Your application ${id}${after(' for ', facts['service'])} has been approved.`,
      after('Number: ', facts['number'], '.'),
      after('Valid until ', facts['valid_until'], '.'),
    ),
  'application.changes': (facts, id) =>
    words(
      'Application returned',
      `Your application ${id}${after(' for ', facts['service'])} needs your attention.`,
      reasonOf(facts),
      noteOf(facts),
    ),
  'application.cancelled': (facts, id) =>
    words(
      'Application cancelled',
      `Your application ${id}${after(' for ', facts['service'])} has been cancelled.`,
      reasonOf(facts),
      noteOf(facts),
    ),
  'application.closed': (facts, id) =>
    words(
      'Application closed',
      `Your application ${id}${after(' for ', facts['service'])} is closed: its year${after(' ', facts['year'])} has ended.`,
    ),
  'application.refunded': (facts, id) =>
    words('Payment returned', `The payment${after(' of ', moneyOf(facts))} for your application ${id} has been returned to your wallet.`),

  'invoice.paid': (facts, id) =>
    words(
      'Wallet topped up',
      `The bank has confirmed invoice ${invoiceOf(facts, id)}${after('; your wallet was credited with ', moneyOf(facts))}.`,
    ),
  'invoice.paid_late': (facts, id) =>
    words(
      'Late payment received',
      `The bank has confirmed invoice ${invoiceOf(facts, id)} after its time had run out${after('; your wallet was credited with ', moneyOf(facts))}.`,
    ),
  'invoice.failed': (facts, id) =>
    words(
      'Payment failed',
      `The bank has not accepted the payment of invoice ${invoiceOf(facts, id)}. No money was credited.`,
      reasonOf(facts),
    ),
  'invoice.expired': (facts, id) =>
    words('Invoice expired', `Invoice ${invoiceOf(facts, id)} was not paid in time. Create a new one to top up your wallet.`),
  'invoice.mismatch': (facts, id) =>
    words(
      'Payment is being checked',
      `What the bank reports about invoice ${invoiceOf(facts, id)} does not match it. Nothing was credited; the federation will look into it.`,
    ),
} satisfies Record<NotificationType, Writer>;

/** The words of a notification: what happened, to which record, and what the person can do about it (decisions.md §8). */
export function writeNotification(type: NotificationType, subjectId: string, facts: NotificationFacts = {}): NotificationWords {
  return writers[type](facts, subjectId);
}

function words(title: string, ...sentences: string[]): NotificationWords {
  return { title, text: sentences.filter((sentence) => sentence !== '').join(' ') };
}

/** A phrase around a fact, or nothing where there is no fact. */
function after(before: string, fact: string | number | undefined, end = ''): string {
  return fact === undefined || fact === '' ? '' : `${before}${fact}${end}`;
}

function noteOf(facts: NotificationFacts): string {
  return after('Note of the federation: ', facts['note']);
}

function reasonOf(facts: NotificationFacts): string {
  return after('Reason: ', facts['reason']);
}

function ofType(facts: NotificationFacts): string {
  return after(' (', facts['document_type'], ')');
}

function moneyOf(facts: NotificationFacts): string | undefined {
  const minor = facts['amount_minor'];
  return minor === undefined ? undefined : `${(Number(minor) / 100).toFixed(2)} KZT`;
}

function invoiceOf(facts: NotificationFacts, id: string): string | number {
  return facts['number'] ?? id;
}

function expiredDocumentConsequence(facts: NotificationFacts): string {
  const applications = facts['applications'];
  if (applications === undefined || applications === '') return 'Upload a new one.';
  return `These applications stand on it: ${applications}. Attach a valid document and submit them again; nothing is charged twice.`;
}
