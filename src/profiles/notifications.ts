import { after, defineNotifications, noteOf, words } from '../notifications/index.ts';

/** What the owner of a profile or a document is told when an administrator corrects it (service.md "Administration"). */
export const recordNotifications = defineNotifications({
  'record.corrected': (facts, id) =>
    words(
      'Record corrected',
      `The federation has corrected your ${facts['record'] ?? 'record'} ${id}${after(': ', facts['fields'])}.`,
      'Write to the federation if this is not right.',
    ),
});

/** What a person is told about a profile and its photo (decisions.md §8). */
export const profileNotifications = defineNotifications({
  'profile.approved': (_, id) => words('Profile approved', `The data of your profile ${id} has been checked and approved.`),
  'profile.changes': (facts, id) =>
    words('Profile returned for correction', `Correct the data of your profile ${id} and submit it again.`, noteOf(facts)),
  'profile.cancelled': (facts, id) => words('Profile refused', `The data of your profile ${id} has been refused.`, noteOf(facts)),
  'photo.approved': (_, id) => words('Photo approved', `The photo of your profile ${id} has been checked and approved.`),
  'photo.changes': (facts, id) =>
    words('Photo returned for correction', `Replace the photo of your profile ${id} and submit it again.`, noteOf(facts)),
  'photo.cancelled': (facts, id) => words('Photo refused', `The photo of your profile ${id} has been refused.`, noteOf(facts)),
});
