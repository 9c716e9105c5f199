import type { OwnedWithProfile } from '../profiles/index.ts';

/**
 * What was said about registrations goes along with these, and with the competitions of an organizer, by triggers of the migration
 * `conversations`: the row of a conversation is the last that a transfer locks. What the old owner has not read is unread for the new one. An
 * account's chat with the federation stays with it.
 */
export const conversationsOfProfile: OwnedWithProfile = {
  // Those in which something was said.
  counted: {
    conversations: (db, profileId) =>
      db
        .selectFrom('conversations as c')
        .innerJoin('registrations as r', 'r.id', 'c.registrationId')
        .select('c.id')
        .where('r.profileId', '=', profileId)
        .where('c.lastMessageId', 'is not', null)
        .unionAll((eb) =>
          eb
            .selectFrom('conversations as c')
            .innerJoin('registrations as r', 'r.id', 'c.registrationId')
            .innerJoin('events as e', 'e.id', 'r.eventId')
            .select('c.id')
            .where('e.profileId', '=', profileId)
            .where('c.lastMessageId', 'is not', null),
        ),
  },
};
