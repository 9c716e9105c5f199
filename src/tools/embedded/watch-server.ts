import { join } from 'node:path';
import { LogFile } from './log-file.ts';
import { type Progress, silentProgress } from './progress.ts';
import { type Guardian, Watchdog } from './watchdog.ts';

/** What a running server is watched with: its log, who ends it when the supervisor is killed, and where news of it are shown. */
export type ServerWatch = { log: LogFile; guardian: Guardian; progress: Progress };

/**
 * Completes what a server is watched with, for a server that is started outside of a stack.
 * @returns `dismiss` closes the log and the watchdog if they were made here
 */
export function watchServer(name: string, given: { dataDir: string } & Partial<ServerWatch>): ServerWatch & { dismiss: () => void } {
  const log = given.log ?? new LogFile(join(given.dataDir, 'logs', `${name}.log`));
  const guardian = given.guardian ?? new Watchdog();
  return {
    log,
    guardian,
    progress: given.progress ?? silentProgress,
    dismiss: () => {
      if (guardian instanceof Watchdog && guardian !== given.guardian) guardian.close();
      if (log !== given.log) log.close();
    },
  };
}
