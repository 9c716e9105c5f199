import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { PoolClient, QueryResult } from 'pg';
import { errorCode } from '../error-code.ts';

/** A statement of a fixed text with its parameters `$1`, `$2`. */
export interface Prepared {
  name: string;
  text: string;
  values: unknown[];
}

/** The driver's connection, which its types do not show. */
interface Wire {
  connection: { stream: Writable };
}

/** SQL state of a statement in a transaction that has failed already. */
const abortedState = '25P02';

const names = new Map<string, string>();

/** Gives a statement the name under which each connection plans it once. */
export function prepare(text: string, values: readonly unknown[]): Prepared {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    names.set(text, name);
  }
  return { name, text, values: [...values] };
}

/**
 * A transaction and the connection it holds until it ends. Statements go out in the order in which they are given, without
 * waiting for the answers of those before: BEGIN travels with the first of them, those given at a time are one write, and what is
 * only `sent` is waited for by COMMIT. Whatever happens to it, its connection goes back to the pool, which keeps only a sound one.
 */
export class OpenTransaction {
  readonly #client: PoolClient;
  readonly #stream: Writable;
  readonly #sent: Promise<unknown>[] = [];
  #isOver = false;
  #isGathering = false;
  /** Why the first statement that failed did. */
  #fault: unknown;

  /** @param begin the statement, with the modes of the transaction */
  constructor(client: PoolClient, begin: string) {
    this.#client = client;
    this.#stream = (client as unknown as Wire).connection.stream;
    this.#note(this.query(begin));
  }

  /** @throws the driver's error; that of an earlier statement, where it is why this one was not even tried */
  query(statement: string | Prepared): Promise<QueryResult> {
    if (this.#isOver) return Promise.reject(new Error('the transaction is over'));
    this.#gather();
    return this.#client.query(statement).catch((error: unknown) => {
      this.#fault ??= error;
      throw errorCode(error) === abortedState ? this.#fault : error;
    });
  }

  /** For a statement whose outcome matters to nobody before the transaction ends; a refusal of it is the refusal of COMMIT. */
  send(statement: Prepared): void {
    this.#note(this.query(statement));
  }

  /** @throws whatever refused a statement that was only sent; the server has rolled back then, and `rollback` is still to be called. */
  async commit(): Promise<void> {
    const committed = this.query('commit');
    await Promise.all([...this.#sent, committed]);
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error('the transaction had failed before its end and was rolled back', { cause: this.#fault });
    this.#end();
  }

  /** Never fails: what the server could not be told any more it has rolled back by itself. */
  async rollback(): Promise<void> {
    if (this.#isOver) return;
    await this.query('rollback').then(
      () => this.#end(),
      (error: unknown) => this.#end(error),
    );
  }

  /** Holds back what goes out until whoever is at it now has given all he has to give. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      this.#stream.uncork();
    });
  }

  #note(sent: Promise<unknown>): void {
    // It is waited for by COMMIT; after a ROLLBACK nobody asks.
    sent.catch(() => undefined);
    this.#sent.push(sent);
  }

  #end(fault?: unknown): void {
    this.#isOver = true;
    this.#client.release(fault !== undefined);
  }
}
