import { randomUUID } from 'node:crypto';
import type { CommandContext } from './context.ts';
import { databaseOf, json } from '../database/database.ts';
import type { Platform } from '../platform.ts';

/**
 * Stores the private part of a command (a note, a reason) in the database, so that Temporal receives only its id and histories contain no
 * personal text. The sweeper deletes rows older than a day.
 * @returns the id to send as `privateInputId`
 */
export async function storePrivateInput(platform: Pick<Platform, 'orm'>, body: Record<string, unknown>): Promise<string> {
  const id = randomUUID();
  await databaseOf(platform.orm.em.fork())
    .insertInto('private_inputs')
    .values({ id, body: json(body), createdAt: new Date() })
    .execute();
  return id;
}

/** Reads it in the command's transaction; null when the sweeper deleted it, after a day. */
export async function findPrivateInput(ctx: CommandContext, id: string): Promise<Record<string, unknown> | null> {
  const found = await ctx.db.selectFrom('private_inputs').select('body').where('id', '=', id).executeTakeFirst();
  return found?.body ?? null;
}
