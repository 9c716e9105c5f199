import { after, defineNotifications, moneyOf, noteOf, reasonOf, words } from '../notifications/index.ts';

/** What a person is told about an application (decisions.md §8). */
export const applicationNotifications = defineNotifications({
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
});
