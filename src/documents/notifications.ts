import { after, defineNotifications, noteOf, words } from '../notifications/index.ts';
import type { NotificationFacts } from '../notifications/index.ts';

/** What a person is told about a document (decisions.md §8). */
export const documentNotifications = defineNotifications({
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
});

function ofType(facts: NotificationFacts): string {
  return after(' (', facts['document_type'], ')');
}

function expiredDocumentConsequence(facts: NotificationFacts): string {
  const applications = facts['applications'];
  if (applications === undefined || applications === '') return 'Upload a new one.';
  return `These applications stand on it: ${applications}. Attach a valid document and submit them again; nothing is charged twice.`;
}
