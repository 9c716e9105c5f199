/** An attacker in a process of its own: sends one attack from `localAddress` until it is killed, and reconnects whenever it is cut. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { reportReady } from '../../src/platform/exit-with-parent.ts';
import { callerAttacks } from './caller-attacks.ts';

const [name = '', port = '', localAddress = ''] = process.argv.slice(2);
const attack = callerAttacks[name];
if (!attack) throw new Error(`there is no attack ${name}`);
const { head, repeat, pauseMs, connections } = attack;

/** Also resolves when the connection is cut. */
async function drained(socket: Socket): Promise<void> {
  const over = new AbortController();
  await Promise.race([once(socket, 'drain', { signal: over.signal }), once(socket, 'close', { signal: over.signal })]).catch(
    () => undefined,
  );
  over.abort();
}

async function attackOnce(): Promise<void> {
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(head);
  while (!socket.destroyed) {
    if (!socket.write(repeat)) await drained(socket);
    await pause(pauseMs);
  }
}

reportReady();
await Promise.all(
  Array.from({ length: connections }, async () => {
    for (;;) {
      await attackOnce();
      await pause(10);
    }
  }),
);
