import { join } from 'node:path';
import { baseUrl, loadConfig, required } from '../../../registry/config.ts';
import { listen, runSimulator, type Simulator } from '../simulator.ts';
import { createBankApp } from './app.ts';
import { type BookFile, openBookFile, readBook } from './book-file.ts';
import { type BankRecord, Book } from './book.ts';
import { createCallbacks } from './callbacks.ts';

type BankSimulatorOptions = {
  /** 0 selects a free port */
  port: number;
  host?: string;
  terminal: string;
  secret: string;
  /** accepted too, as banks do for a while after a change */
  formerSecret?: string | undefined;
  /** address for callbacks of invoices without a form */
  callbackUrl?: string;
  /** file for the payments; by default in memory */
  file?: string;
  /** maximum number of invoices; the oldest is evicted first */
  limit?: number;
};

/**
 * Starts a bank for development and tests: payment page, status, callbacks, faults on demand.
 * @throws {Error} `EADDRINUSE` when another program uses the port; when `file` is unreadable
 */
export async function startBankSimulator(options: BankSimulatorOptions): Promise<Simulator> {
  const { port, host = '127.0.0.1', terminal, secret, formerSecret, callbackUrl, file, limit = 100_000 } = options;
  const book = new Book(terminal, limit);
  for (const record of file ? await readBook(file) : []) book.restore(record);
  let bookFile: BookFile | null = null;
  const save = async (record: BankRecord): Promise<void> => bookFile?.save(record);
  const closing = new AbortController();
  const callbacks = createCallbacks(book, callbackUrl ?? null, (record) => {
    save(record).catch((error: unknown) => process.stderr.write(`bank simulator: ${String(error)}\n`));
  });
  const app = createBankApp({ terminal, secret, formerSecret, book, callbacks, save, closing: closing.signal });
  const simulator = await listen(app, port, host);
  // The port ensures that no other simulator writes this file.
  if (file) bookFile = await openBookFile(file, book.all());
  // Pending callbacks of an earlier run.
  for (const record of book.all()) callbacks.schedule(record);

  return {
    ...simulator,
    close: async () => {
      callbacks.stop();
      closing.abort();
      await simulator.close();
      await bookFile?.close();
    },
  };
}

if (import.meta.main) {
  const config = loadConfig();
  await runSimulator('bank simulator', { variable: 'BANK_SIMULATOR_PORT', number: config.BANK_SIMULATOR_PORT }, async () => {
    if (config.NODE_ENV === 'production')
      throw new Error('the simulator accepts payments that no bank made; it refuses NODE_ENV=production');
    return startBankSimulator({
      port: config.BANK_SIMULATOR_PORT,
      host: config.HOST,
      terminal: required(config, 'BANK_TERMINAL'),
      secret: required(config, 'BANK_SECRET'),
      callbackUrl: `${baseUrl(config)}/api/v1/bank/callback`,
      file: join(config.DATA_DIR, 'bank-simulator.json'),
    });
  });
}
