import type { Socket } from 'node:net';
import { networkOf, parseAddress } from '../request/client-address.ts';

/** Maximum blocked addresses, about 100 bytes each. */
const maxBlocked = 50_000;

/** Limits the connections of each client address (IPv6: /64); none while the address is blocked. */
export class ConnectionLimits {
  readonly #maxOfAddress: number;
  readonly #open = new Map<string, Set<Socket>>();
  /** End of each block, by `performance.now()`. */
  readonly #blocked = new Map<string, number>();

  constructor(maxOfAddress: number) {
    this.#maxOfAddress = maxOfAddress;
  }

  /** Accepts a new connection or destroys it without an answer. */
  admit(socket: Socket): void {
    const network = networkOf(parseAddress(socket.remoteAddress ?? ''));
    const open = this.#open.get(network) ?? new Set();
    if (this.#isBlocked(network) || open.size >= this.#maxOfAddress) {
      socket.destroy();
      return;
    }
    this.#open.set(network, open.add(socket));
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) this.#open.delete(network);
    });
  }

  /** Destroys the connections of an address and refuses new ones for some milliseconds. */
  block(network: string, ms: number): void {
    const [oldest] = this.#blocked.keys();
    if (oldest !== undefined && this.#blocked.size >= maxBlocked) this.#blocked.delete(oldest);
    this.#blocked.set(network, performance.now() + ms);
    for (const socket of this.#open.get(network) ?? []) socket.destroy();
  }

  #isBlocked(network: string): boolean {
    const endsAt = this.#blocked.get(network);
    if (endsAt === undefined) return false;
    if (endsAt > performance.now()) return true;
    this.#blocked.delete(network);
    return false;
  }
}
