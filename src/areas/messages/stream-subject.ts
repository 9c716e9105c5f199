import { sql } from 'kysely';
import type { z } from 'zod';
import { inList } from '../../platform/database/database.ts';
import type { StreamSubject } from '../notifications/index.ts';
import { withNames } from './queries.ts';
import type { Side } from './sides.ts';
import { presentMessage, streamedMessage } from './wire.ts';

/**
 * A message in the live stream of whom it was written to, with the dialog it belongs to. Judged when it is told: after a transfer the old owner
 * hears nothing any more, and nobody of the federation's side but its active administrators.
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
    const told = new Map<number, z.input<typeof streamedMessage>>();
    for (const row of rows) {
      const { kind, registrationId, athleteId, organizerId } = row;
      // The side it was written to.
      const side: Side = row.side !== 'athlete' ? 'athlete' : kind === 'federation' ? 'federation' : 'organizer';
      const isReader = side === 'federation' ? row.isAdministrator : (side === 'athlete' ? athleteId : organizerId) === userId;
      if (!isReader) continue;
      told.set(row.id, {
        dialog: {
          kind: kind === 'federation' ? 'administration' : 'registration',
          perspective: kind === 'federation' || side === 'federation' ? null : side,
          registration_id: registrationId,
          user_id: side === 'federation' ? athleteId : null,
        },
        // To administrators it is told of people alone, to people of the federation: nobody asks which account wrote.
        message: presentMessage({ ...row, authorName: null }, row, { side, language }),
      });
    }
    return told;
  },
};
