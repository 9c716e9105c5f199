import { addressVariable } from '../servers.ts';
import { findTemporal, SharedServers } from './shared-servers.ts';

/** `--watch` sets up before each of its runs; the servers of the run before still stand then. */
export const shared: { servers?: SharedServers } = {};

export default async function setUp(): Promise<void> {
  if (shared.servers) shared.servers.refresh();
  else {
    shared.servers = await SharedServers.open();
    // Where it must be downloaded or built, this takes minutes, more than a test is given. If it fails, the first file that needs it
    // says so: the others need not care.
    await findTemporal().catch(() => undefined);
  }
  process.env[addressVariable] = shared.servers.address;
}
