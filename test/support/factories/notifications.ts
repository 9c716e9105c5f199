import { sql } from 'kysely';
import { type NotificationKind, notificationKinds, notify } from '../../../src/areas/notifications/index.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { CommandContext } from '../../../src/platform/commands/context.ts';
import type { Platform } from '../../../src/platform/platform.ts';

export type Telling = Pick<Platform, 'orm' | 'clock' | 'extensions' | 'outbox'>;

const registry = { actor: { kind: 'process' }, requestId: 'notified-by-a-test', ip: null } as const;

function kindOf({ extensions }: Pick<Platform, 'extensions'>, type: string): NotificationKind {
  const kind = extensions.of(notificationKinds).find((kinds) => kinds[type])?.[type];
  if (!kind) throw new Error(`there is no kind ${type}`);
  return kind;
}

/** Tells a person of documents with these numbers, each by a transaction of its own, one after the other. */
export async function tell(platform: Telling, userId: number, ...documentIds: number[]): Promise<void> {
  for (const id of documentIds)
    await commit(platform, registry, (ctx) => notify(ctx, userId, kindOf(platform, 'document.approved'), { kind: 'document', id }));
}

/** Writes events of messages for persons in the order given, as one transaction does. */
export async function announce({ db, now }: CommandContext, userIds: readonly number[], messageId: number): Promise<void> {
  for (const userId of userIds)
    await sql`insert into stream_events (user_id, kind, subject_id, created_at) values (${userId}, 'message', ${messageId}, ${now})`.execute(
      db,
    );
}
