import { ConfigurationError, loadConfig } from '../registry/config.ts';
import { checkProduction, type Finding } from './check-production.ts';
import type { Command } from './command.ts';

const signs = { ok: 'ok   ', weak: 'WEAK ', wrong: 'WRONG' } as const;

export const check: Command = {
  usage: 'check',
  summary: 'tries each part of an installation',
  help: `Reads the configuration and tries each part of the installation; writes one line for each finding, and leaves nothing behind.
Exit code 0: all is well; 1: something is wrong; 2: something is weak only.`,
  async run() {
    const findings = await findAll();
    for (const { verdict, part, words } of findings) process.stdout.write(`${signs[verdict]} ${part}: ${words}\n`);
    process.exitCode = exitCodeOf(findings);
  },
};

async function findAll(): Promise<Finding[]> {
  try {
    const config = loadConfig();
    const environment: Finding =
      config.NODE_ENV === 'production'
        ? { verdict: 'ok', part: 'configuration', words: 'production' }
        : { verdict: 'weak', part: 'configuration', words: `NODE_ENV is ${config.NODE_ENV}: the rules of production were not applied` };
    const accepted = config.UNSAFE_SETTINGS.map((name): Finding => ({
      verdict: 'weak',
      part: 'configuration',
      words: `UNSAFE_SETTINGS accepts ${name}`,
    }));
    return [environment, ...accepted, ...(await checkProduction(config))];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.map((words) => ({ verdict: 'wrong', part: 'configuration', words }));
    throw error;
  }
}

function exitCodeOf(all: readonly Finding[]): number {
  if (all.some(({ verdict }) => verdict === 'wrong')) return 1;
  return all.some(({ verdict }) => verdict === 'weak') ? 2 : 0;
}
