import { encryptSecretsAnew } from '../areas/accounts/index.ts';
import { encryptKeysAnew } from '../areas/credentials/index.ts';
import { encryptWebhookSecretsAnew } from '../areas/webhooks/index.ts';
import { required } from '../registry/config.ts';
import { type Command, withDatabase } from './command.ts';

export const secrets: Command = {
  usage: 'secrets',
  summary: 'encrypts the secrets of the database with the first key of ENCRYPTION_KEY',
  help: `Encrypts the secrets of the database with the first key of ENCRYPTION_KEY, so that the former keys can be removed from it.
May be stopped and repeated. Goes on after a secret that no key decrypts, and names it at the end with exit code 1.`,
  async run() {
    await withDatabase('keys', async (platform, config) => {
      const encryptionKeys = required(config, 'ENCRYPTION_KEY');
      const factors = await encryptSecretsAnew(platform, encryptionKeys);
      const signing = await encryptKeysAnew(platform, encryptionKeys);
      const webhooks = await encryptWebhookSecretsAnew(platform, encryptionKeys);
      process.stdout.write(
        `Encrypted ${factors.changed} second factors, ${signing.changed} signing keys and ${webhooks.changed} webhooks anew.\n`,
      );
      const unreadable = [
        ...factors.unreadable.map((id) => `second factor of user ${id}`),
        ...signing.unreadable.map((id) => `signing key ${id}`),
        ...webhooks.unreadable.map((id) => `webhook ${id}`),
      ];
      if (unreadable.length === 0) {
        process.stdout.write('No secret needs the other keys of ENCRYPTION_KEY any more.\n');
        return;
      }
      process.stderr.write(
        `No key of ENCRYPTION_KEY decrypts the secrets of these records. Add the key that encrypted them to its end and run this again, or replace the secrets (docs/security.md).\n${unreadable.map((line) => `  ${line}\n`).join('')}`,
      );
      process.exitCode = 1;
    });
  },
};
