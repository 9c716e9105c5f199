import type { Variables } from '../../registry/config.ts';
import { type CommandPlatform, commit, query } from '../../platform/commands/command.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { EncryptedAnew, type RenewedSecret, requireEncryptionKey } from '../../platform/secrets/encryption.ts';
import { audit } from '../audit/index.ts';
import { lockForChange } from '../../platform/database/lock.ts';
import { WebhookEntity } from './entities.ts';
import type { WebhookCaller } from './policy.ts';
import { lockWebhook } from './queries.ts';
import { makeSecret, openSecret, renew, sealSecret } from './secrets.ts';
import { dayMs } from '../../platform/time/date-time.ts';

/** Time for which a former secret signs too, milliseconds (WHK-2). */
export const secretOverlapMs = dayMs;

/**
 * Gives a webhook a new secret, which is shown once. The former one signs too for 24 hours (WHK-2); one before it no longer.
 * @throws {DomainError} not_found; insufficient_scope; service_unavailable without ENCRYPTION_KEY
 */
export async function replaceSecret(ctx: CommandContext, config: Variables, by: WebhookCaller, id: number): Promise<string> {
  const keys = requireEncryptionKey(config);
  const webhook = await lockWebhook(ctx, by, id);
  const secret = makeSecret();
  // One whose key of ENCRYPTION_KEY was lost cannot sign.
  webhook.formerSecret = openSecret(keys, id, webhook.secret) === null ? null : webhook.secret;
  webhook.formerUntil = new Date(ctx.now.getTime() + secretOverlapMs);
  webhook.secret = sealSecret(keys, id, secret);
  webhook.updatedAt = ctx.now;
  await audit(ctx, 'webhook.secret_replaced', { kind: 'webhook', id });
  return secret;
}

/**
 * Encrypts the secrets of all webhooks with the first key of ENCRYPTION_KEY, each in a transaction of its own. May be repeated. Goes on
 * after a secret that no key decrypts.
 */
export async function encryptWebhookSecretsAnew(platform: CommandPlatform, keys: string): Promise<EncryptedAnew> {
  const ids = await query(platform, (db) =>
    db.selectFrom('webhooks').select('id').where('status', '<>', 'deleted').orderBy('id').execute(),
  );
  const done = new EncryptedAnew();
  for (const { id } of ids) done.add(id, await encryptAnew(platform, keys, id));
  return done;
}

function encryptAnew(platform: CommandPlatform, keys: string, id: number): Promise<RenewedSecret[]> {
  return commit(platform, { actor: { kind: 'process' }, requestId: 'encrypt-secrets', ip: null }, async ({ em }) => {
    const webhook = await lockForChange(em, WebhookEntity, { id, status: { $ne: 'deleted' } });
    if (webhook === null) return [];
    const secrets = { secret: webhook.secret, formerSecret: webhook.formerSecret };
    const renewed = Object.entries(secrets).flatMap(([name, sealed]) => (sealed === null ? [] : [{ name, ...renew(keys, id, sealed) }]));
    for (const { name, stored, state } of renewed) if (state === 'renewed') Object.assign(webhook, { [name]: stored });
    return renewed;
  });
}
