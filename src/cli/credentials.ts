import { issueCredentials } from '../areas/applications/index.ts';
import { type Command, withDatabase } from './command.ts';

export const credentials: Command = {
  usage: 'credentials',
  summary: 'signs credentials for certificates that have none',
  help: `Gives certificates without a credential a place in a status list and a signed credential. Their PDFs stay.
Works in batches; may be stopped and repeated at any time. Reads DATABASE_URL, ENCRYPTION_KEY and BASE_URL.`,
  async run() {
    const count = await withDatabase('credentials', (platform) =>
      issueCredentials(platform, (done) => process.stdout.write(`${done} credentials\n`)),
    );
    process.stdout.write(`issued ${count} credentials\n`);
  },
};
