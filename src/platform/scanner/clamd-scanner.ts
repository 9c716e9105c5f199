import { createReadStream } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Variables } from '../../config.ts';
import { type Scanner, ScannerUnavailableError, type ScanVerdict } from './scanner.ts';

export type ClamdOptions = {
  host: string;
  port: number;
  /** for one file, from the connection to the verdict */
  timeoutMs: number;
};

/** Below the 25 MB chunk and stream limits that clamd comes with. */
const chunkBytes = 64 * 1024;
/** A verdict is one line. */
const longestReply = 4096;

/**
 * ClamAV's daemon by its TCP protocol (clamd(8), INSTREAM): the file goes over the connection in chunks, each after its length in four
 * bytes, an empty one ends it, and one line comes back. Nothing else of the protocol is used.
 *
 * It is written here because no client in the registry is kept up: the usual one (`clamscan`) had its last change in October 2024, answers
 * a scan that clamd gave up with neither yes nor no, keeps waiting after its timeout, and brings the means to start programs. The protocol
 * is three lines; what matters is that nothing but a plain "OK" lets a file pass.
 */
export function createClamdScanner({ host, port, timeoutMs }: ClamdOptions): Scanner {
  return {
    async scan(path, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const ended = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const socket = connect({ host, port });
      const end = (): void => void socket.destroy(new Error('given up'));
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
  // It may answer before it has all, and then closes: what counts is the reply.
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

/** All that comes until the scanner closes or ends its line. */
function readReply(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      reply += text;
      if (reply.includes('\0')) resolve(reply.slice(0, reply.indexOf('\0')));
      else if (reply.length > longestReply) reject(new Error('the reply does not end'));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed without a verdict')));
  });
}

/** @throws {ScannerUnavailableError} for anything but a verdict: an error, a limit, a time-out of the scanner's own */
function verdictOf(reply: string): ScanVerdict {
  if (reply === 'stream: OK') return { isInfected: false };
  const prefix = 'stream: ';
  const suffix = ' FOUND';
  if (reply.startsWith(prefix) && reply.endsWith(suffix))
    return { isInfected: true, signature: reply.slice(prefix.length, -suffix.length) };
  throw new ScannerUnavailableError(`the scanner gave no verdict: ${reply}`);
}

const usualPort = 3310;

/** The configured scanner; null when there is none, and files are kept unscanned. */
export function createScanner(config: Pick<Variables, 'CLAMAV_URL' | 'CLAMAV_TIMEOUT_SECONDS'>): Scanner | null {
  if (config.CLAMAV_URL === undefined) return null;
  const { hostname, port } = new URL(config.CLAMAV_URL);
  // An IPv6 address stands in brackets in an address, and without them in a connection.
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return createClamdScanner({ host, port: port === '' ? usualPort : Number(port), timeoutMs: config.CLAMAV_TIMEOUT_SECONDS * 1000 });
}
