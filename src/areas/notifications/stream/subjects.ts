import { sql } from 'kysely';
import type { z } from 'zod';
import type { Language } from '../../../http/language.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { type Database, inList } from '../../../platform/database/database.ts';
import { definePoint } from '../../../platform/extensions.ts';
import type { StreamEventKind } from '../entities.ts';

/** What the live stream tells by events of one kind: entered by the area that owns what they are about. */
export interface StreamSubject {
  kind: StreamEventKind;
  /** Of the `data`, for the published description. */
  shape?: z.ZodType;
  /**
   * The `data` of events, by the id of what they are about; what the person may not see any more, or is gone, is left out. One statement for
   * however many.
   */
  read(db: Database, reader: { userId: number; language: Language }, ids: readonly number[]): Promise<Map<number, unknown>>;
}

export const streamSubjects = definePoint<StreamSubject>('what the live stream tells');

/** Tells of a message in the live streams of accounts, by rows of the same transaction (decisions.md §8 "Stream"). */
export async function announceMessage({ db, now }: CommandContext, userIds: readonly number[], messageId: number): Promise<void> {
  await db
    .insertInto('stream_events')
    .columns(['userId', 'kind', 'subjectId', 'createdAt'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .where('id', '=', inList(userIds))
        .select(['id', sql.lit('message').as('kind'), sql.val(messageId).as('subjectId'), sql.val(now).as('createdAt')])
        .orderBy('id'),
    )
    .execute();
}
