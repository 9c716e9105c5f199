import { after, defineNotifications, noteOf, words } from '../notifications/index.ts';
import type { NotificationFacts } from '../notifications/index.ts';

/** What an organizer is told about an additional document of an event (decisions.md §6). */
export const additionalDocumentNotifications = defineNotifications({
  'additional_document.approved': (facts, id) =>
    words('Additional document approved', `The additional document ${id}${whose(facts)} has been checked and approved.`),
  'additional_document.changes': (facts, id) =>
    words(
      'Additional document returned for correction',
      `The additional document ${id}${whose(facts)} needs a correction: delete it and add it anew.`,
      noteOf(facts),
    ),
  'additional_document.cancelled': (facts, id) =>
    words('Additional document refused', `The additional document ${id}${whose(facts)} has been refused.`, noteOf(facts)),
});

function whose(facts: NotificationFacts): string {
  return `${after(' (', facts['kind'], ')')}${after(' of your event ', facts['event_id'])}`;
}
