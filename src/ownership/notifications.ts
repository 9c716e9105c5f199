import { defineNotifications, words } from '../notifications/index.ts';

/** What both owners are told of a transfer (decisions.md §8); neither is told of the other, or why. */
export const ownershipNotifications = defineNotifications({
  'profile.transferred': ({ side }, id) =>
    side === 'new'
      ? words(
          'Profile received',
          `The federation has given the profile ${id} to your account, with its documents, applications and competitions.`,
          'Documents of international licences are shown to nobody by their QR until you allow it.',
        )
      : words(
          'Profile transferred',
          `The federation has given your profile ${id} to another account, with its documents, applications and competitions.`,
          'Your wallet and your payments stay with you.',
        ),
});
