import { sql } from 'kysely';
import type { z } from 'zod';
import type { Language } from '../../../http/language.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { type Database, inList } from '../../../platform/database/database.ts';
import { definePoint } from '../../../platform/extensions.ts';
import type { StreamEventKind } from '../entities.ts';

/** Reads the events of one kind for the live stream; entered by the area that owns their subject. */
export interface StreamSubject {
  kind: StreamEventKind;
  /** Shape of `data` in the OpenAPI document. */
  shape?: z.ZodType;
  /** Returns the `data` of events by subject id, in one statement. Leaves out subjects that are deleted or that the reader may not see. */
  read(db: Database, reader: { userId: number; language: Language }, ids: readonly number[]): Promise<Map<number, unknown>>;
}

export const streamSubjects = definePoint<StreamSubject>('subjects of live stream events');

/** Writes a message event into the live streams of accounts, in the same transaction (NOT-5). */
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
