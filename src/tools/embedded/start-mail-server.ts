import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Children } from './children.ts';
import { LogFile } from './log-file.ts';
import { ManagedProcess } from './managed-process.ts';
import { isAnswering } from './ports.ts';
import type { Progress } from './progress.ts';
import { projectDirectory } from './scripts.ts';

const host = '127.0.0.1';

/**
 * Starts MailDev, a mail server that delivers nothing: it keeps each mail as a file under `<dataDir>/mail` and shows it on its page.
 * @throws {EmbeddedError} when it does not start
 */
export async function startMailServer(options: {
  dataDir: string;
  /** Port of SMTP. */
  port: number;
  /** Port of the page. */
  uiPort: number;
  env: Record<string, string | undefined>;
  children: Children;
  progress: Progress;
}): Promise<ManagedProcess> {
  const { dataDir, port, uiPort } = options;
  const directory = join(dataDir, 'mail');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const server = new ManagedProcess(
    {
      name: 'mail',
      command: process.execPath,
      args: [
        join(projectDirectory, 'node_modules', 'maildev', 'bin', 'maildev'),
        `--ip=${host}`,
        `--smtp=${port}`,
        `--web-ip=${host}`,
        `--web=${uiPort}`,
        `--mail-directory=${directory}`,
        '--silent',
      ],
      env: Object.fromEntries(Object.entries(options.env).filter(([name]) => !name.startsWith('MAILDEV_'))),
      cwd: dataDir,
      log: new LogFile(join(dataDir, 'logs', 'mail.log')),
      stopSignal: 'SIGTERM',
      stopDeadlineMs: 5000,
      ready: async () => (await isAnswering(port)) && isAnswering(uiPort),
      readyDeadlineMs: 60_000,
    },
    options.children,
    options.progress,
  );
  await server.start();
  return server;
}
