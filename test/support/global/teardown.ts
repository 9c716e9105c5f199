import { shared } from './setup.ts';

/** Under `--watch` the servers stay for the next run; the watchdog ends them with the process. */
export default async function tearDown({ watch, watchAll }: { watch: boolean; watchAll: boolean }): Promise<void> {
  if (watch || watchAll) return;
  await shared.servers?.close();
  delete shared.servers;
}
