import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { errorCode } from '../../platform/logging/error-code.ts';
import { EmbeddedError, messageOf } from './errors.ts';

const loopback = '127.0.0.1';

export type WantedPort = { variable: string; port: number; server: string; host?: string };

/**
 * Checks that all ports are free.
 * @throws {EmbeddedError} with every unusable port, and one line that sets free ones
 */
export async function checkPorts(wanted: readonly WantedPort[]): Promise<void> {
  const seen = new Map<number, WantedPort>();
  for (const one of wanted) {
    const other = seen.get(one.port);
    if (other) throw new EmbeddedError(`${one.variable} and ${other.variable} are both ${one.port}; change one of them`);
    seen.set(one.port, one);
  }
  const checked = await Promise.all(wanted.map(async (one) => ({ one, problem: await listenProblem(one.port, one.host ?? loopback) })));
  const unusable = checked.flatMap(({ one, problem }) => (problem === undefined ? [] : [{ one, words: wordsOf(one, problem) }]));
  if (unusable.length === 0) return;
  const free = await freePorts(unusable.length);
  const settings = unusable.map(({ one }, index) => `${one.variable}=${free[index]}`).join(' ');
  throw new EmbeddedError(
    `${unusable.map(({ words }) => words).join('\n')}\nSet other ports: ${settings} npm start (or PORT_BASE=18000 for all of them)`,
  );
}

type ListenProblem = { code: string | undefined; message: string };

function wordsOf({ port, server, host = loopback }: WantedPort, { code, message }: ListenProblem): string {
  if (code === 'EADDRINUSE') return `port ${port} (${server}) is used by another program`;
  if (code === 'EACCES') return `port ${port} (${server}) requires privileges, as all below 1024 do`;
  return `port ${port} (${server}) cannot be used on ${host}: ${message}`;
}

async function listenProblem(port: number, host: string): Promise<ListenProblem | undefined> {
  // Some systems allow a second server on the loopback address, next to one on all addresses.
  if (await isAnswering(port)) return { code: 'EADDRINUSE', message: 'in use' };
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve({ code: errorCode(error), message: messageOf(error) }));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Returns whether a server listens on a port of the loopback address. */
export function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: loopback, timeout: 1000 });
    const answer = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}

/** Range below the ports of outgoing connections, which could take a port meanwhile. */
const firstFreePort = 20_000;
const endOfFreePorts = 32_000;

/**
 * Finds `count` free ports of the loopback address. No other program that asks here gets one of them while this one lives: between the
 * search and the start of a server, the UDP port of the same number, which no server uses, marks it as taken.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let attempt = 0; ports.length < count; attempt += 1) {
    if (attempt > 100 + count) throw new EmbeddedError(`no ${count} free ports were found between ${firstFreePort} and ${endOfFreePorts}`);
    const port = randomInt(firstFreePort, endOfFreePorts);
    if ((await listenProblem(port, '0.0.0.0')) === undefined && (await markAsTaken(port))) ports.push(port);
  }
  return ports;
}

/** Returns whether the mark was free. The system removes it when the program ends. */
function markAsTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const mark = createSocket('udp4').unref();
    mark.once('error', () => resolve(false));
    mark.bind({ port, address: loopback, exclusive: true }, () => resolve(true));
  });
}
