import { join } from 'node:path';
import { LogFile } from './log-file.ts';
import { silentProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import { Warden } from './warden.ts';
import type { Guardian } from './warden.ts';

export type Attendants = { log: LogFile; guardian: Guardian; progress: Progress };

/** Completes what a server is started with, for one that runs by itself; `dismiss` lets go of what was made here. */
export function attend(name: string, given: { dataDir: string } & Partial<Attendants>): Attendants & { dismiss: () => void } {
  const log = given.log ?? new LogFile(join(given.dataDir, 'logs', `${name}.log`));
  const guardian = given.guardian ?? new Warden();
  return {
    log,
    guardian,
    progress: given.progress ?? silentProgress,
    dismiss: () => {
      if (guardian instanceof Warden && guardian !== given.guardian) guardian.close();
      if (log !== given.log) log.close();
    },
  };
}
