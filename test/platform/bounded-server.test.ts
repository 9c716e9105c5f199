import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ConnectionLimits, createBoundedServer } from '../../src/http/connections/bounded-server.ts';
import { waitFor } from '../support/wait-for.ts';

const usual = {
  TRUST_PROXY: [] as string[],
  MAX_CONNECTIONS: 1_000,
  MAX_CONNECTIONS_PER_IP: 5,
  RATE_LIMIT_KEY_PER_MINUTE: 2,
  RATE_LIMIT_TINY_CHUNKS_PER_10_SECONDS: 5_000,
};
const attacker = '127.0.0.2';
const victim = '127.0.0.3';

let server: Server;

async function start(overrides: Partial<typeof usual> = {}): Promise<void> {
  const readAll: RequestListener = (request, response) => {
    request.resume().once('end', () => response.end('done'));
  };
  server = createBoundedServer(readAll, { ...usual, ...overrides }).listen(0, '127.0.0.1');
  await once(server, 'listening');
}
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

interface Connection {
  socket: Socket;
  received(): string;
}

function open(localAddress: string): Connection {
  let received = '';
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
  socket.on('data', (bytes) => (received += bytes.toString('latin1'))).on('error', () => undefined);
  return { socket, received: () => received };
}

/** @returns the status, or 0 when the connection was closed */
async function ask({ socket, received }: Connection, headers = ''): Promise<number> {
  const before = received().length;
  socket.write(`GET / HTTP/1.1\r\nHost: registry\r\n${headers}\r\n`);
  const text = await waitFor(
    () => received().slice(before),
    (answer) => socket.destroyed || answer.includes('\r\n\r\n'),
    'an answer or the end of the connection',
  );
  return Number(/^HTTP\/1[.]1 (\d+)/.exec(text)?.[1] ?? 0);
}

test('an address has a limit of connections; another address still gets one', async () => {
  await start();
  const held = Array.from({ length: 5 }, () => open(attacker));
  for (const connection of held) expect(await ask(connection)).toBe(200);
  expect(await ask(open(attacker))).toBe(0);
  expect(await ask(open(victim))).toBe(200);
  held[0]?.socket.destroy();
  await pause(100);
  expect(await ask(open(attacker))).toBe(200);
});

test('connections of a trusted proxy and requests of its other clients are not limited', async () => {
  await start({ TRUST_PROXY: [attacker] });
  const proxied = Array.from({ length: 10 }, () => open(attacker));
  for (const connection of proxied) expect(await ask(connection, 'X-Forwarded-For: 192.0.2.1\r\n')).toBe(200);
  const [first] = proxied;
  if (!first) throw new Error('no connection');
  const answers: number[] = [];
  for (let count = 0; count < 11; count += 1) answers.push(await ask(first, 'X-Forwarded-For: 192.0.2.1\r\n'));
  expect(answers.at(-1)).toBe(429);
  expect(await ask(first, 'X-Forwarded-For: 192.0.2.2\r\n')).toBe(200);
});

test('a client that goes around the proxy chooses no address and has the limit of connections', async () => {
  await start({ TRUST_PROXY: ['127.0.0.9'] });
  const held = Array.from({ length: 5 }, () => open(attacker));
  for (const [count, connection] of held.entries()) expect(await ask(connection, `X-Forwarded-For: 192.0.2.${count}\r\n`)).toBe(200);
  expect(await ask(open(attacker), 'X-Forwarded-For: 192.0.2.77\r\n')).toBe(0);
});

test('an address that floods with requests loses its connections and gets no new one', async () => {
  await start();
  const [one, two] = [open(attacker), open(attacker)];
  expect(await ask(two)).toBe(200);
  const answers: number[] = [];
  while (answers.at(-1) !== 0) answers.push(await ask(one));
  expect(answers).toEqual([...Array.from({ length: 19 }, () => 200), 0]);
  await waitFor(
    () => two.socket.destroyed,
    (isDestroyed) => isDestroyed,
    'the other connection to be closed',
  );
  expect(await ask(open(attacker))).toBe(0);
  expect(await ask(open(victim))).toBe(200);
});

test('an address that repeats requests with tiny chunks is blocked', async () => {
  await start({ RATE_LIMIT_KEY_PER_MINUTE: 1_000 });
  const { socket } = open(attacker);
  const body = `${'1\r\nx\r\n'.repeat(1_000)}0\r\n\r\n`;
  for (let count = 0; count < 10; count += 1) {
    socket.write(`POST / HTTP/1.1\r\nHost: registry\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
    await pause(20);
  }
  await waitFor(
    () => socket.destroyed,
    (isDestroyed) => isDestroyed,
    'the connection to be closed',
  );
  expect(await ask(open(attacker))).toBe(0);
  expect(await ask(open(victim))).toBe(200);
});

test('a client that never ends its headers is disconnected at their timeout, not half a minute later', async () => {
  await start();
  const { socket } = open(attacker);
  const startedAt = performance.now();
  socket.write('GET / HTTP/1.1\r\nHost: registry\r\n');
  await once(socket, 'close');
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('a block expires', async () => {
  await start();
  const limits = new ConnectionLimits(5);
  limits.block('127.0.0.2', 3_000);
  const admitted = async () => {
    const { socket } = open(attacker);
    const [accepted] = (await once(server, 'connection')) as [Socket];
    limits.admit(accepted);
    socket.destroy();
    return !accepted.destroyed;
  };
  expect(await admitted()).toBe(false);
  await waitFor(admitted, (isAdmitted) => isAdmitted, 'the end of the block');
});
