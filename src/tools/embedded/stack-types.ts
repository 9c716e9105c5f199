import type { Variables } from '../../config.ts';
import type { ManagedProcess } from './managed-process.ts';
import type { Progress } from './progress.ts';
import type { Programs } from './scripts.ts';

/** What a stack is started with, and what it is then. */
export type StackOptions = {
  /** The variables of `src/config.ts` and the rest of the environment; this process's own when absent. */
  env?: Record<string, string | undefined>;
  progress?: Progress;
  /** False leaves the database as it is. */
  migrate?: boolean;
  /** Gives up and stops what has been started so far. */
  abort?: AbortSignal;
  /** Other programs in place of the project's own. */
  programs?: Partial<Programs>;
  /** Opens the debugger ports of the API and the worker (`inspectorPorts`). */
  inspect?: boolean;
  /** The data directory is removed should this process be killed. */
  isThrowaway?: boolean;
};

/** `postgres`, `temporal`, `bank` and `bot` are absent where a server of the user's is used instead; `bot` also where there is no bot. */
export type StackProcesses = {
  postgres?: ManagedProcess;
  temporal?: ManagedProcess;
  bank?: ManagedProcess;
  bot?: ManagedProcess;
  worker: ManagedProcess;
  api: ManagedProcess;
};

export type Stack = {
  config: Variables;
  dataDir: string;
  baseUrl: string;
  databaseUrl: string;
  migrationDatabaseUrl: string;
  temporalAddress: string;
  temporalUiUrl: string | undefined;
  bankUrl: string;
  /** Of the messenger whose bot the registry has; undefined where it has none, or that of the messenger itself. */
  botPlatformUrl: string | undefined;
  /** `isNew` at the start that created it; later the password may have been changed. */
  administrator: { email: string; password: string; isNew: boolean };
  processes: StackProcesses;
  /** What a further process of the stack (a second worker, a script) is to be started with. */
  env: Record<string, string>;
  /** Stops in order: api, worker, bot, bank, temporal, postgres; `force` kills at once. */
  stop: (options?: { force?: boolean }) => Promise<void>;
};
