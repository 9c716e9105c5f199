import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBankApp } from './app.ts';
import { BookFile, readBook } from './book-file.ts';
import { type BankRecord, Book } from './book.ts';
import { Callbacks } from './callbacks.ts';

export type BankSimulatorOptions = {
  /** 0 takes a free one */
  port: number;
  host?: string;
  terminal: string;
  secret: string;
  /** where callbacks go when an invoice's form was never opened */
  callbackUrl?: string;
  /** the file that keeps the payments between two starts; memory only when not given */
  file?: string;
  /** invoices remembered; the oldest is forgotten first */
  limit?: number;
};

export type BankSimulator = { url: string; port: number; close: () => Promise<void> };

/**
 * Starts a bank to develop and test against: payment page, status, callbacks, faults on demand.
 * @throws {Error} `EADDRINUSE` when the port is taken; when `file` cannot be read.
 */
export async function startBankSimulator(options: BankSimulatorOptions): Promise<BankSimulator> {
  const { port, host = '127.0.0.1', terminal, secret, callbackUrl, file, limit = 100_000 } = options;
  const book = new Book({ terminal, limit });
  for (const record of file ? await readBook(file) : []) book.restore(record);
  let bookFile: BookFile | null = null;
  const save = async (record: BankRecord): Promise<void> => bookFile?.save(record);
  const closing = new AbortController();
  const callbacks = new Callbacks({
    book,
    fallbackUrl: callbackUrl ?? null,
    changed: (record) => {
      save(record).catch((error: unknown) => process.stderr.write(`bank simulator: ${String(error)}\n`));
    },
  });

  const app = createBankApp({ terminal, secret, book, callbacks, save, closing: closing.signal });
  const server = createServer(
    // An idle connection is the client's to end: one that ends as a status query is sent looks like a bank that is away.
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
  // Only now is it sure that no other simulator writes this book.
  if (file) bookFile = await BookFile.open(file, book.all());
  // Callbacks that an earlier run still owed.
  for (const record of book.all()) callbacks.schedule(record);

  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    close: async () => {
      callbacks.stop();
      closing.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await bookFile?.close();
    },
  };
}
