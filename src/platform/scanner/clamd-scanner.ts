import { createReadStream } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Variables } from '../../registry/config.ts';
import { type Scanner, ScannerUnavailableError, type ScanVerdict } from './scanner.ts';

export type ClamdOptions = {
  host: string;
  port: number;
  /** time limit from the connection to the verdict */
  timeoutMs: number;
};

/** Below clamd's default limits of 25 MB for chunk and stream. */
const chunkBytes = 64 * 1024;
/** A verdict is one line. */
const longestReply = 4096;

/**
 * Scans by ClamAV's daemon over TCP (clamd(8), INSTREAM). Sends the file in chunks, each after its length in four bytes; an empty chunk ends
 * it. One line answers. Only a plain "OK" accepts a file.
 *
 * No maintained client exists: `clamscan` (last change October 2024) gives no clear result for an aborted scan, waits after its time-out and
 * can start programs.
 */
export function createClamdScanner({ host, port, timeoutMs }: ClamdOptions): Scanner {
  return {
    async scan(path, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const ended = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const socket = connect({ host, port });
      const end = (): void => void socket.destroy(new Error('scan aborted'));
      ended.addEventListener('abort', end, { once: true });
      try {
        return verdictOf(await ask(socket, path));
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof ScannerUnavailableError) throw error;
        throw new ScannerUnavailableError(timeout.aborted ? 'the scanner did not answer in time' : 'the scanner cannot be reached', {
          cause: error,
        });
      } finally {
        ended.removeEventListener('abort', end);
        socket.destroy();
      }
    },
  };
}

function ask(socket: Socket, path: string): Promise<string> {
  const reply = readReply(socket);
  // clamd may answer and close before it has read everything; the reply decides.
  pipeline(Readable.from(instream(path)), socket, { end: false }).catch((error: unknown) => {
    socket.destroy(error instanceof Error ? error : new Error('the file could not be sent'));
  });
  return reply;
}

async function* instream(path: string): AsyncGenerator<Buffer> {
  yield Buffer.from('zINSTREAM\0');
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
    yield lengthOf(chunk.length);
    yield chunk;
  }
  yield lengthOf(0);
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** Reads until the scanner ends its line or closes. */
function readReply(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      reply += text;
      if (reply.includes('\0')) resolve(reply.slice(0, reply.indexOf('\0')));
      else if (reply.length > longestReply) reject(new Error('the reply is too long'));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed without a verdict')));
  });
}

/** @throws {ScannerUnavailableError} without a verdict: an error, a limit or a time-out of the scanner */
function verdictOf(reply: string): ScanVerdict {
  if (reply === 'stream: OK') return { isInfected: false };
  const prefix = 'stream: ';
  const suffix = ' FOUND';
  if (reply.startsWith(prefix) && reply.endsWith(suffix))
    return { isInfected: true, signature: reply.slice(prefix.length, -suffix.length) };
  throw new ScannerUnavailableError(`the scanner gave no verdict: ${reply}`);
}

const usualPort = 3310;

/** Returns the configured scanner; null without one: files are then not scanned. */
export function createScanner(config: Pick<Variables, 'CLAMAV_URL' | 'CLAMAV_TIMEOUT_SECONDS'>): Scanner | null {
  if (config.CLAMAV_URL === undefined) return null;
  const { hostname, port } = new URL(config.CLAMAV_URL);
  // A URL has an IPv6 address in brackets; a connection needs it without them.
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return createClamdScanner({ host, port: port === '' ? usualPort : Number(port), timeoutMs: config.CLAMAV_TIMEOUT_SECONDS * 1000 });
}
