import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPlatformApp } from './app.ts';
import { Deliveries } from './deliveries.ts';
import { Faults } from './faults.ts';
import { MemoryFile, readMemory } from './memory-file.ts';
import { Phonebook } from './phonebook.ts';
import { Telephones } from './telephones.ts';

export interface BotPlatformOptions {
  /** 0 takes a free one. */
  port: number;
  host?: string;
  /** Of the one bot that there is. */
  token: string;
  username: string;
  /** The file that keeps telephones and the webhook between two starts; memory only when not given. */
  file?: string;
}

export interface BotPlatformSimulator {
  url: string;
  port: number;
  close(): Promise<void>;
}

/**
 * Starts a messenger to develop and test against: the methods that the bot calls, updates to its webhook, pages that play the telephones of
 * people, faults on demand.
 * @throws {Error} `EADDRINUSE` when the port is taken; when `file` cannot be read.
 */
export async function startBotPlatform({
  port,
  host = '127.0.0.1',
  token,
  username,
  file,
}: BotPlatformOptions): Promise<BotPlatformSimulator> {
  const phonebook = new Phonebook(file === undefined ? null : await readMemory(file));
  const faults = new Faults();
  let memoryFile: MemoryFile | null = null;
  const changed = async (): Promise<void> => memoryFile?.save();
  const deliveries = new Deliveries(phonebook, faults);
  const telephones = new Telephones({ phonebook, deliveries, botName: username, changed });
  const closing = new AbortController();
  const app = createPlatformApp({ token, username, phonebook, faults, deliveries, telephones, changed, closing: closing.signal });
  const server = createServer(
    { requestTimeout: 15_000, headersTimeout: 10_000, keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024 },
    app.callback(),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // Only now is it sure that no other simulator writes this file.
  if (file !== undefined) memoryFile = new MemoryFile(file, phonebook.memory);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    close: async () => {
      closing.abort();
      await deliveries.stop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await memoryFile?.close();
    },
  };
}
