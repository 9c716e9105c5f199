/** `npm run registry -- <command>`: the program of an operator. Exit code 0: done; 1: refused or failed; 2: a warning of `check`. */
import { ConfigurationError, loadStackEnvironment } from '../registry/config.ts';
import { admin } from './admin.ts';
import { check } from './check.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { credentials } from './credentials.ts';
import { keys } from './keys.ts';
import { migrate } from './migrate.ts';
import { retention } from './retention.ts';
import { processes } from './processes.ts';
import { secrets } from './secrets.ts';

const commands: Readonly<Record<string, Command>> = { migrate, admin, keys, credentials, secrets, processes, check, retention };

const [name = '--help', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
try {
  if (name === '--help') process.stdout.write(overview());
  else if (command === undefined) throw new UsageError(`there is no such command; known: ${Object.keys(commands).join(', ')}`);
  else await runCommand(command);
} catch (error) {
  process.stderr.write(`${name}: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}

async function runCommand(wanted: Command): Promise<void> {
  const given = readArguments(wanted, args);
  if (given.values['help'] === true) {
    process.stdout.write(`npm run registry -- ${wanted.usage}\n\n${wanted.help}\n`);
    return;
  }
  loadStackEnvironment();
  await wanted.run(given);
}

function overview(): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  const lines = Object.entries(commands).map(([title, { summary }]) => `  ${title.padEnd(width)}  ${summary}`);
  return `npm run registry -- <command> [--help]\n\n${lines.join('\n')}\n\nUses the variables of docs/configuration.md, or those of a running npm start.\n`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof ConfigurationError || error instanceof UsageError ? error.message : (error.stack ?? error.message);
}
