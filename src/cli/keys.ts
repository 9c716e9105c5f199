import { addSigningKey } from '../areas/credentials/index.ts';
import { required } from '../registry/config.ts';
import { type Command, withDatabase } from './command.ts';

export const keys: Command = {
  usage: 'keys',
  summary: 'makes the next signing key of credentials and status lists',
  help: `Makes and publishes the next signing key of credentials and status lists. It signs an hour later, the first one at once.
Reads DATABASE_URL and ENCRYPTION_KEY.`,
  async run() {
    const made = await withDatabase('keys', (platform, config) => addSigningKey(platform, required(config, 'ENCRYPTION_KEY')));
    process.stdout.write(`signing key ${made?.kid}, signs from ${made?.signsFrom.toISOString()}\n`);
  },
};
