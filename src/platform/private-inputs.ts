import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { CommandContext } from './context.ts';
import { PrivateInputEntity } from './database/entities.ts';
import type { Platform } from './platform.ts';

/**
 * Keeps the private part of a command (a note, a reason) in the database, so that only its id travels through the engine and
 * no word of a person lies in a workflow's history. Rows older than a day are cleared by the sweeper.
 * @returns the id to send as `privateInputId`
 */
export async function keepPrivateInput(platform: Pick<Platform, 'orm'>, body: Record<string, unknown>): Promise<string> {
  const id = randomUUID();
  const em: EntityManager = platform.orm.em.fork();
  await em.insert(PrivateInputEntity, { id, body, createdAt: new Date() });
  return id;
}

/** Reads it in the command's transaction. @throws when it is gone, which only a command older than a day can meet */
export async function readPrivateInput<Schema extends z.ZodType>(
  ctx: CommandContext,
  id: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const row = await ctx.em.findOneOrFail(PrivateInputEntity, { id });
  return schema.parse(row.body);
}
