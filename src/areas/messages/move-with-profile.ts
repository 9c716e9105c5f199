import type { OwnedWithProfile } from '../profiles/index.ts';

/**
 * Moves conversations with their registrations and, for an organizer, with its competitions (MSG-6), by triggers
 * (`guards.sql`). A transfer locks conversation rows last. Messages unread by the old owner stay unread for the new one.
 */
export const conversationsOfProfile: OwnedWithProfile = {
  // Only those with a message.
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
