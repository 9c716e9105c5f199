import { after, defineNotifications, reasonOf, words } from '../notifications/index.ts';

/** What a person is told about an agreement (decisions.md §8). The last is told to administrators, the others to the organizer. */
export const agreementNotifications = defineNotifications({
  'agreement.confirmed': (facts) =>
    words('Agreement confirmed', `The federation has confirmed your agreement${after(' ', facts['number'])}: it is in force.`),
  'agreement.rejected': (facts) =>
    words(
      'Signed agreement returned',
      `The federation has not accepted the signed scan of your agreement${after(' ', facts['number'])}.`,
      reasonOf(facts),
      'Send another scan.',
    ),
  'agreement.replaced': (facts) =>
    words(
      'Agreement replaced',
      `Your agreement${after(' ', facts['number'])} was replaced${after(' by ', facts['replaced_by'])} and is no longer valid.`,
      reasonOf(facts),
      'Sign the new version and send its scan.',
    ),
  'agreement.cancelled': (facts) =>
    words('Agreement cancelled', `Your agreement${after(' ', facts['number'])} was cancelled and is not valid.`, reasonOf(facts)),
  'agreement.scan_missing': (facts) =>
    words(
      'Signed agreement missing',
      `Your agreement${after(' ', facts['number'])} is not in force yet: print it, sign every copy and send the scan of all its pages.`,
    ),
  'agreement.scan_waiting': (facts) =>
    words(
      'A signed agreement waits',
      `The signed scan of the agreement${after(' ', facts['number'])} has been waiting for a decision for three days.`,
    ),
});
