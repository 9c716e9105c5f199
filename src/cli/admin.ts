import { createFirstAdministrator, isCommonPassword, makeToken } from '../areas/accounts/index.ts';
import { isDomainError } from '../errors.ts';
import { ConfigurationError } from '../registry/config.ts';
import { type Command, withDatabase } from './command.ts';

export const admin: Command = {
  usage: 'admin',
  summary: 'creates the first administrator',
  help: `Creates the administrator of ADMIN_EMAIL, if the registry has none. Without ADMIN_PASSWORD it makes a password and prints it once,
as the last line: administrator <email> <password>. Prints nothing to standard output when an administrator exists.`,
  async run() {
    await withDatabase('administrator', async (platform, { ADMIN_EMAIL: email, ADMIN_PASSWORD: given }) => {
      if (given !== undefined && isCommonPassword(given))
        throw new ConfigurationError(['ADMIN_PASSWORD is a common password; choose another']);
      const password = given ?? makeToken().slice(0, 20);
      const isNew = await createFirstAdministrator(platform, { email, password }).catch((error: unknown) => {
        if (!isDomainError(error) || error.code !== 'email_taken') throw error;
        throw new ConfigurationError(['an account without administrator rights has the address of ADMIN_EMAIL; choose another']);
      });
      if (isNew) process.stdout.write(`administrator ${email}${given === undefined ? ` ${password}` : ''}\n`);
      else if (process.stdout.isTTY) process.stderr.write('An administrator exists; nothing was changed.\n');
    });
  },
};
