import { sql } from 'kysely';
import type { z } from 'zod';
import { inList } from '../../platform/database/database.ts';
import { type ChangedRecord, nullColumn } from '../changes/index.ts';
import type { StreamSubject } from '../notifications/index.ts';
import type { OwnedWithProfile } from '../profiles/index.ts';
import { withNames } from './queries.ts';
import type { Side } from './sides.ts';
import { presentMessage, streamedMessage } from './wire.ts';

/**
 * A message event in the live streams of its recipients, with its conversation. Checked at reading time: after a transfer the old owner
 * gets nothing, and on the federation's side only active administrators do.
 */
export const messageStream: StreamSubject = {
  kind: 'message',
  shape: streamedMessage,

  async read(db, { userId, language }, ids) {
    const rows = await withNames(db)
      .innerJoin('messages as m', 'm.conversationId', 'c.id')
      .where('m.id', '=', inList(ids))
      .select(['m.id', 'm.side', 'm.text', 'm.createdAt', 'm.readAt'])
      .select(['c.kind', 'c.registrationId', 'c.athleteId', 'c.organizerId'])
      .select((eb) =>
        eb
          .exists(
            eb
              .selectFrom('users as own')
              .where('own.id', '=', userId)
              .where('own.role', '=', 'administrator')
              .where('own.status', '=', 'active')
              .select(sql.lit(1).as('one')),
          )
          .as('isAdministrator'),
      )
      .execute();
    const shown = new Map<number, z.input<typeof streamedMessage>>();
    for (const row of rows) {
      const { kind, registrationId, athleteId, organizerId } = row;
      // The side that receives it.
      const side: Side = row.side !== 'athlete' ? 'athlete' : kind === 'federation' ? 'federation' : 'organizer';
      const isReader = side === 'federation' ? row.isAdministrator : (side === 'athlete' ? athleteId : organizerId) === userId;
      if (!isReader) continue;
      shown.set(row.id, {
        dialog: {
          kind: kind === 'federation' ? 'administration' : 'registration',
          perspective: kind === 'federation' || side === 'federation' ? null : side,
          registration_id: registrationId,
          user_id: side === 'federation' ? athleteId : null,
        },
        // Administrators get only messages of accounts here, so no author name is needed.
        message: presentMessage({ ...row, authorName: null }, row, { side, language }),
      });
    }
    return shown;
  },
};

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

/** Messages in the log of changes. */
export const messageChanges: readonly ChangedRecord[] = [
  {
    record: 'messenger',
    select: (db) =>
      db
        .selectFrom('conversations as c')
        .where('c.registrationId', 'is not', null)
        .select(['c.registrationId as id', nullColumn.status, 'c.athleteId as ownerId', 'c.organizerId', nullColumn.parent])
        .$narrowType<{ id: number }>(),
    path: ({ id }, reader) =>
      reader === 'administrator' ? `/event-registrations/${id}` : `/messenger/${sides[reader]}/registrations/${id}`,
  },
  {
    record: 'chat',
    select: (db) =>
      db.selectFrom('users as u').select(['u.id', nullColumn.status, 'u.id as ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }, reader) => (reader === 'owner' ? '/chat' : `/admin/chats/${id}`),
  },
];

const sides = { owner: 'athlete', organizer: 'organizer' } as const;
