import { sql } from 'kysely';
import type { Variables } from '../../registry/config.ts';
import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { countRows } from '../../platform/database/database.ts';
import { requireEncryptionKey } from '../../platform/secrets/encryption.ts';
import { audit } from '../audit/index.ts';
import { readChanges } from '../changes/index.ts';
import type { Webhook } from './entities.ts';
import { webhookRef } from './queries.ts';
import { makeSecret, sealSecret } from './secrets.ts';

/** Most webhooks of one account (WHK-1). */
export const webhookLimit = 10;

export interface NewWebhook {
  userId: number;
  url: string;
  types: string[];
  description: string | null;
  /** The caller may read the records of others. */
  seesAll: boolean;
  /** The API key that creates it, and with which it ends (WHK-9); null for a browser session. */
  keyId: number | null;
}

/**
 * Creates a webhook, which gets the changes from now on (WHK-1). Its secret is shown once. Locks the account, so that two concurrent
 * requests cannot both take the last place.
 * @throws {DomainError} quota_exceeded; service_unavailable without ENCRYPTION_KEY
 */
export async function createWebhook(
  ctx: CommandContext,
  config: Variables,
  input: NewWebhook,
): Promise<{ webhook: Readonly<Webhook>; secret: string }> {
  const keys = requireEncryptionKey(config);
  await ctx.db.selectFrom('users').select('id').where('id', '=', input.userId).forNoKeyUpdate().executeTakeFirstOrThrow();
  const used = await countRows(ctx.db.selectFrom('webhooks').where('userId', '=', input.userId).where('status', '<>', 'deleted'));
  if (used >= webhookLimit)
    throw new DomainError(
      'quota_exceeded',
      { quota: 'webhooks', used, limit: webhookLimit },
      'The account has reached its limit of webhooks.',
    );
  const { next } = await readChanges(ctx.db, { audience: 'all', after: null, limit: 1, actions: null, now: ctx.now });
  const secret = makeSecret();
  // The id is part of what the secret is encrypted for.
  const { id } = await ctx.db.selectNoFrom(sql<number>`nextval('webhooks_id_seq')::int`.as('id')).executeTakeFirstOrThrow();
  const webhook = await ctx.db
    .insertInto('webhooks')
    .values({
      ...input,
      id,
      secret: sealSecret(keys, id, secret),
      place: next.place,
      changeId: next.id,
      positionAt: next.at,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await audit(ctx, 'webhook.created', { kind: 'webhook', id });
  ctx.wake(webhookRef(id));
  return { webhook, secret };
}
