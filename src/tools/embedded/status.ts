/** `npm run status`: tells where everything of the running registry is, as the start did. Ends with 1 when none runs. */
import { join, resolve } from 'node:path';
import { baseUrl, ConfigurationError, environment, loadConfig, loadStackEnvironment } from '../../registry/config.ts';
import { describeStack } from './describe-stack.ts';

try {
  loadStackEnvironment();
  const config = loadConfig(environment());
  const answer = await fetch(`${baseUrl(config)}/health/ready`).catch(() => null);
  if (answer === null) {
    process.stderr.write(`No registry answers at ${baseUrl(config)} (data: ${resolve(config.DATA_DIR)}). Start it by npm start.\n`);
    process.exitCode = 1;
  } else {
    const state = answer.ok ? 'is running' : `runs but is not ready; see ${join(config.DATA_DIR, 'logs')}`;
    process.stdout.write(`The registry ${state}.\n\n${describeStack(config).join('\n')}\n`);
  }
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
