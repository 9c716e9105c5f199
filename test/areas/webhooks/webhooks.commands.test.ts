import { randomUUID } from 'node:crypto';
import { createWebhook } from '../../../src/areas/webhooks/create-webhook.ts';
import { encryptWebhookSecretsAnew } from '../../../src/areas/webhooks/index.ts';
import { replaceSecret } from '../../../src/areas/webhooks/replace-secret.ts';
import { openSecret, sealSecret } from '../../../src/areas/webhooks/secrets.ts';
import { takeRound } from '../../../src/areas/webhooks/take-round.ts';
import { testWebhook } from '../../../src/areas/webhooks/test-webhook.ts';
import { required } from '../../../src/registry/config.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { fixturesIn } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

test('secrets of webhooks are encrypted anew, the former ones too (WHK-2)', async () => {
  const { platform, close } = await startTestPlatform();
  try {
    const { userId, caller } = await fixturesIn(platform).person();
    const { config } = platform;
    const wanted = { userId, url: 'https://example.com/', types: ['*'], description: null, seesAll: false, keyId: null };
    const by = { userId, isAdministrator: false, seesAll: false, keyId: null };
    const { id, former, secret } = await commit(platform, caller, async (ctx) => {
      const made = await createWebhook(ctx, config, wanted);
      return { id: made.webhook.id, former: made.secret, secret: await replaceSecret(ctx, config, by, made.webhook.id) };
    });
    const [old, next] = [required(config, 'ENCRYPTION_KEY'), randomUUID()];
    expect(await encryptWebhookSecretsAnew(platform, `${next},${old}`)).toMatchObject({ changed: 1, unreadable: [] });
    expect(await encryptWebhookSecretsAnew(platform, `${next},${old}`)).toMatchObject({ changed: 0, unreadable: [] });
    const stored = await databaseOf(platform.orm.em.fork())
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(openSecret(next, id, stored.secret)?.secret).toBe(secret);
    expect(openSecret(next, id, stored.formerSecret ?? '')?.secret).toBe(former);
    expect(openSecret(old, id, stored.secret)).toBeNull();

    // A former secret whose key was lost signs no longer; the secret itself must be readable.
    await commit(platform, caller, (ctx) => testWebhook(ctx, config, by, id));
    const round = (keys: string) => commit(platform, caller, (ctx) => takeRound(ctx, { ...config, ENCRYPTION_KEY: keys }, id, []));
    expect(await round(next)).toMatchObject({ secrets: [secret, former] });
    await commit(platform, caller, ({ db }) =>
      db
        .updateTable('webhooks')
        .set({ formerSecret: sealSecret(randomUUID(), id, former) })
        .where('id', '=', id)
        .execute(),
    );
    expect(await round(next)).toMatchObject({ secrets: [secret] });
    await expect(round(old)).rejects.toThrow('no ENCRYPTION_KEY opens the secret');
  } finally {
    await close();
  }
});

test('the webhook of an administrator who must set up a second factor is disabled (WHK-9, ACC-31)', async () => {
  const { platform, close } = await startTestPlatform();
  try {
    const { userId, caller } = await fixturesIn(platform).person();
    const config = { ...platform.config, SECOND_FACTOR: 'administrators' as const };
    const wanted = { userId, url: 'https://example.com/', types: ['*'], description: null, seesAll: true, keyId: null };
    const { webhook } = await commit(platform, caller, (ctx) => createWebhook(ctx, config, wanted));
    const look = () => commit(platform, caller, (ctx) => takeRound(ctx, config, webhook.id, []));
    const become = (fields: { role?: 'administrator'; secondFactor?: boolean }) =>
      commit(platform, caller, ({ db }) => db.updateTable('users').set(fields).where('id', '=', userId).execute());
    expect(await look()).not.toBe('over');
    await become({ role: 'administrator', secondFactor: true });
    expect(await look()).not.toBe('over');
    await become({ secondFactor: false });
    expect(await look()).toBe('over');
    const stored = await databaseOf(platform.orm.em.fork())
      .selectFrom('webhooks')
      .select(['status', 'disabledBy'])
      .where('id', '=', webhook.id)
      .executeTakeFirstOrThrow();
    expect(stored).toEqual({ status: 'disabled', disabledBy: 'no_second_factor' });
  } finally {
    await close();
  }
});
