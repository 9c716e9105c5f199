import { rmSync } from 'node:fs';
import { readServers } from './servers.ts';

export default async function tearDown(): Promise<void> {
  await (globalThis as { stopTestServers?: () => Promise<void> }).stopTestServers?.();
  rmSync(readServers().folder, { recursive: true, force: true });
}
