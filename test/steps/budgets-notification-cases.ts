import { sql } from 'kysely';
import { markAllRead } from '../../src/areas/notifications/inbox/mark-all-read.ts';
import { markRead } from '../../src/areas/notifications/inbox/mark-read.ts';
import { commit } from '../../src/platform/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { fixturesIn } from '../support/factories.ts';
import type { Case, Stage } from './budgets-cases.ts';

/** What people do with what they are told, by its name. */
export function notificationCases({ platform }: Stage): Record<string, Case> {
  const fixtures = fixturesIn(platform);

  /** An account with ten notifications. @returns the id of the last */
  async function told() {
    const { userId, caller } = await fixtures.person();
    const db = databaseOf(platform.orm.em.fork());
    const rows = await sql<{ id: number }>`insert into notifications (user_id, type, subject_kind, subject_id, facts, created_at)
      select ${userId}, 'document.approved', 'document', n::text, '{}', now() from generate_series(1, 10) n returning id`.execute(db);
    return { userId, caller, lastId: rows.rows.at(-1)?.id ?? 0 };
  }

  return {
    'plain: markRead': async () => {
      const { userId, caller, lastId } = await told();
      return () => commit(platform, caller, (ctx) => markRead(ctx, { userId, id: lastId }));
    },
    'plain: markAllRead, ten': async () => {
      const { userId, caller, lastId } = await told();
      return () => commit(platform, caller, (ctx) => markAllRead(ctx, { userId, upToId: lastId }));
    },
  };
}
