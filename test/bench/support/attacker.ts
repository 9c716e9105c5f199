/** A program that sends one attack from `localAddress` until it is killed, and reconnects when the server closes a connection. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { reportReady } from '../../../src/platform/runtime/exit-with-parent.ts';

/** What each connection sends: a head, then the same bytes repeatedly. */
export interface Attack {
  head: string;
  repeat: string;
  /** Between two repeats. */
  pauseMs: number;
  connections: number;
}

interface AttackOrder {
  attack: Attack;
  port: number;
  localAddress: string;
}

/** Also resolves when the connection is closed. */
async function drained(socket: Socket): Promise<void> {
  const over = new AbortController();
  await Promise.race([once(socket, 'drain', { signal: over.signal }), once(socket, 'close', { signal: over.signal })]).catch(
    () => undefined,
  );
  over.abort();
}

async function attackOnce({ attack: { head, repeat, pauseMs }, port, localAddress }: AttackOrder): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(head);
  while (!socket.destroyed) {
    if (!socket.write(repeat)) await drained(socket);
    await pause(pauseMs);
  }
}

async function attackRepeatedly(order: AttackOrder): Promise<never> {
  for (;;) {
    await attackOnce(order);
    await pause(10);
  }
}

process.once('message', (order: AttackOrder) => {
  for (let nth = 0; nth < order.attack.connections; nth += 1) void attackRepeatedly(order);
});
process.once('disconnect', () => process.exit(0));
reportReady();
