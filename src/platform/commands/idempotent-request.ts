import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { DomainError } from '../../errors.ts';
import type { Database } from '../database/database.ts';
import { decrypt, encrypt } from '../secrets/encryption.ts';
import { secretsIn } from '../secrets/secret-list.ts';

/**
 * A request that its client may repeat with an `Idempotency-Key` (API-6; docs/architecture.md "A request that is repeated").
 *
 * Its row binds the key to one request, and a request has one recorded effect. The transaction of that commit writes the row with its
 * result, so effect and row exist both or not at all; a command of a process does so in a worker (`recordKeyedCommand`). The answer is
 * added later. Result and answer may hold personal data and secrets: they are encrypted with a key derived from SESSION_SECRET and the
 * client's own key, of which the row has only the hash.
 */

/** A larger answer (characters of its JSON) is not stored: a repeat generates it again from the record. */
const maxAnswerLength = 64 * 1024;

/** The answer as the client received it, without its request id. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  data: unknown;
  meta: Record<string, unknown>;
}

/** What identifies a request as the same. */
export interface RequestContent {
  method: string;
  /** With its query string. */
  url: string;
  body: unknown;
  /** SHA-256 of the uploaded file; null without one. */
  fileSha256: string | null;
}

/** What the command of a request with an `Idempotency-Key` records with its effect (API-6). */
export interface KeyedRequest {
  /** Keyed hash of the request. */
  fingerprint: string;
}

/** What a command did, as it was audited. */
export interface ChangedSubject {
  /** `<record>.<past verb>`, as in the audit. */
  action: string;
  subject: { kind: string; id: number | string };
}

/** The effect of an earlier run. */
export interface RecordedEffect {
  result: unknown;
  /** What it changed, when the account has lost a right since; null otherwise. */
  toCheck: readonly ChangedSubject[] | null;
}

/** The encrypted part of the row. */
interface Stored {
  /** Of the commit; null for a command of a process, which has none. */
  result: unknown;
  subjects: readonly ChangedSubject[];
  answer: StoredAnswer | null;
}

interface Row {
  fingerprint: string;
  isCommitted: boolean;
  sealed: string | null;
  createdAt: Date;
}

/** What one SESSION_SECRET gives for a client's key. */
interface RequestKeys {
  /** Tells which secret made a row. */
  name: string;
  encryption: KeyObject;
  fingerprint: KeyObject;
}

function keysOf(secret: string, clientKey: string): RequestKeys {
  const keys = Buffer.from(hkdfSync('sha256', secret, clientKey, 'repeated requests', 64));
  const name = Buffer.from(hkdfSync('sha256', secret, '', 'name of the secret of repeated requests', 8)).toString('hex');
  // Node takes longer to recognize bytes as a key than to use it.
  return { name, encryption: createSecretKey(keys.subarray(0, 32)), fingerprint: createSecretKey(keys.subarray(32)) };
}

export class IdempotentRequest {
  /** SHA-256 of the credential and the client's key. */
  readonly id: string;
  /** Of each secret, the current one first. */
  readonly #keys: readonly RequestKeys[];
  /** Those of the row, or the current ones. */
  #used: RequestKeys;
  #content = '';
  #fingerprint = '';
  #row: Row | null = null;
  #stored: Stored = { result: null, subjects: [], answer: null };
  /** The effect of this run, or what an earlier run recorded. */
  #isCommitted = false;
  #isClosed = false;
  readonly #rightsNarrowedAt: Date | null;

  /**
   * @param caller.credential see `credentialOf`
   * @param caller.rightsNarrowedAt an older answer was given by rights that the account has lost
   * @param secret SESSION_SECRET; a row of any of several is read, the first makes new ones
   */
  constructor(caller: { credential: string; rightsNarrowedAt: Date | null }, clientKey: string, secret: string) {
    this.id = createHash('sha256').update(`${caller.credential}\n${clientKey}`).digest('hex');
    this.#rightsNarrowedAt = caller.rightsNarrowedAt;
    const [current, ...former] = secretsIn(secret);
    this.#used = keysOf(current, clientKey);
    this.#keys = [this.#used, ...former.map((one) => keysOf(one, clientKey))];
  }

  /** Whether an earlier request with the key took effect, in full or in part. */
  get isRepeat(): boolean {
    return this.#row !== null;
  }

  /**
   * The answer to the first request. Null when it is unknown, or when the account had more rights then: the repeat reads the record again,
   * by today's rights.
   */
  get answer(): StoredAnswer | null {
    return this.#isByFormerRights ? null : this.#stored.answer;
  }

  get #isByFormerRights(): boolean {
    return this.#row !== null && this.#rightsNarrowedAt !== null && this.#row.createdAt <= this.#rightsNarrowedAt;
  }

  /** Reads whether the key was used before. */
  async find(db: Database): Promise<void> {
    this.#row =
      (await db
        .selectFrom('idempotent_requests')
        .select(['fingerprint', 'isCommitted', 'sealed', 'createdAt'])
        .where('id', '=', this.id)
        .executeTakeFirst()) ?? null;
  }

  /**
   * Identifies the request after its body is read.
   * @throws {DomainError} idempotency_key_conflict when the key was used for another request
   */
  identify({ method, url, body, fileSha256 }: RequestContent): void {
    this.#content = JSON.stringify([method, url, sorted(body) ?? null, fileSha256]);
    this.#use(this.#used);
    this.#open();
  }

  /** Whether an earlier run took effect, so that its preparation can be skipped. */
  get isInEffect(): boolean {
    return this.#row?.isCommitted === true;
  }

  /**
   * Begins the commit of the request, or its command of a process.
   * @returns its recorded result if an earlier run took effect; null once the request is answered: background work of the handler is not
   *   repeated
   * @throws {Error} for a second recorded effect: a handler runs the others `unrecorded`
   */
  beginCommit(): { recorded: RecordedEffect | null } | null {
    if (this.#isClosed) return null;
    if (this.#isCommitted) throw new Error('a request has one recorded effect; run the others unrecorded');
    return { recorded: this.#recorded() };
  }

  /**
   * Records a commit in its own transaction.
   * @param subjects the records that it changed
   * @throws {DomainError} request_in_progress when the same request was first, which only a lost connection of `RunningRequests` allows
   */
  async record(db: Database, result: unknown, subjects: readonly ChangedSubject[]): Promise<void> {
    this.#stored = { result: recordable(result), subjects: subjects.map(({ action, subject }) => ({ action, subject })), answer: null };
    const row = this.#rowOf(this.#stored);
    const written = await db
      .insertInto('idempotent_requests')
      .values({ ...row, isCommitted: true, isAnswered: false, createdAt: new Date() })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((eb) => ({ isCommitted: true, sealed: eb.ref('excluded.sealed') }))
          .where('idempotent_requests.isCommitted', '=', false)
          .whereRef('idempotent_requests.fingerprint', '=', 'excluded.fingerprint'),
      )
      .returning('id')
      .executeTakeFirst();
    if (!written) throw new DomainError('request_in_progress');
  }

  /** Returns what a command of a process takes along, so that a worker records it (`recordKeyedCommand`). */
  ofCommand(): KeyedRequest {
    return { fingerprint: this.#fingerprint };
  }

  /** Returns the id of the command to one of the records that the request changes, the same in each repeat. */
  commandIdFor(recordId: number): string {
    return createHash('sha256').update(`${this.id}\n${recordId}`).digest('hex');
  }

  /** The commit or command is in effect. */
  endCommit(result: unknown): void {
    this.#isCommitted = true;
    this.#stored.result = recordable(result);
  }

  /**
   * Finds the result of a failed commit. It is in effect when the same request committed first, or when only the answer to COMMIT was lost.
   * @returns null when it is not in effect
   * @throws {DomainError} idempotency_key_conflict when another request took the key meanwhile
   */
  async findConcurrentResult(db: Database): Promise<RecordedEffect | null> {
    await this.find(db);
    this.#open();
    return this.#recorded();
  }

  /** Stores the answer for repeats. */
  async storeAnswer(db: Database, answer: StoredAnswer): Promise<void> {
    this.#isClosed = true;
    const isStored = JSON.stringify(answer).length <= maxAnswerLength;
    // The row of a commit already binds the key.
    if (!isStored && this.#isCommitted) return;
    await db
      .insertInto('idempotent_requests')
      .values({
        ...this.#rowOf({ ...this.#stored, answer: isStored ? answer : null }),
        isCommitted: this.#isCommitted,
        isAnswered: isStored,
        createdAt: new Date(),
      })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((eb) => ({ isAnswered: eb.ref('excluded.isAnswered'), sealed: eb.ref('excluded.sealed') }))
          .where('idempotent_requests.isAnswered', '=', false)
          .whereRef('idempotent_requests.isCommitted', '=', 'excluded.isCommitted')
          .whereRef('idempotent_requests.fingerprint', '=', 'excluded.fingerprint'),
      )
      .execute();
  }

  /** Releases the key of a request that was refused after a commit. */
  async releaseKey(db: Database): Promise<void> {
    this.#isClosed = true;
    if (!this.#isCommitted) return;
    await db
      .deleteFrom('idempotent_requests')
      .where('id', '=', this.id)
      .where('isAnswered', '=', false)
      .where('fingerprint', '=', this.#fingerprint)
      .execute();
  }

  #recorded(): RecordedEffect | null {
    if (!this.isInEffect) return null;
    return { result: this.#stored.result, toCheck: this.#isByFormerRights ? this.#stored.subjects : null };
  }

  /** Compares and decrypts the row that was found. @throws {DomainError} idempotency_key_conflict */
  #open(): void {
    const row = this.#row;
    if (row === null) return;
    const keys = this.#keys.find(({ name }) => row.fingerprint.startsWith(`${name}:`));
    if (keys === undefined) {
      // The row belongs to a removed SESSION_SECRET. Commands of processes recognize repeats themselves and receive a new answer.
      if (row.isCommitted) throw new DomainError('idempotency_key_conflict');
      return;
    }
    this.#use(keys);
    if (row.fingerprint !== this.#fingerprint) throw new DomainError('idempotency_key_conflict');
    if (row.sealed !== null)
      this.#stored = {
        ...this.#stored,
        ...(JSON.parse(decrypt(this.#used.encryption, Buffer.from(row.sealed, 'base64'), this.id)) as Stored),
      };
  }

  #use(keys: RequestKeys): void {
    this.#used = keys;
    this.#fingerprint = `${keys.name}:${createHmac('sha256', keys.fingerprint).update(this.#content).digest('hex')}`;
  }

  #rowOf(stored: Stored): { id: string; fingerprint: string; sealed: string | null } {
    return {
      id: this.id,
      fingerprint: this.#fingerprint,
      sealed: encrypt(this.#used.encryption, JSON.stringify(stored), this.id).toString('base64'),
    };
  }
}

/**
 * Records a command of a process under its client's key, in the command's own transaction.
 * @returns whether the command is new; false when it took effect before
 * @throws {DomainError} idempotency_key_conflict when the key belongs to another request
 */
export async function recordKeyedCommand(db: Database, id: string, { fingerprint }: KeyedRequest): Promise<boolean> {
  const written = await db
    .insertInto('idempotent_requests')
    .values({ id, fingerprint, isCommitted: true, isAnswered: false, sealed: null, createdAt: new Date() })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ isCommitted: true })
        .where('idempotent_requests.isCommitted', '=', false)
        .whereRef('idempotent_requests.fingerprint', '=', 'excluded.fingerprint'),
    )
    .returning('id')
    .executeTakeFirst();
  if (written) return true;
  const before = await db.selectFrom('idempotent_requests').select('fingerprint').where('id', '=', id).executeTakeFirst();
  if (before && before.fingerprint !== fingerprint) throw new DomainError('idempotency_key_conflict');
  return false;
}

type IsJson<T> = unknown extends T
  ? true
  : T extends string | number | boolean | null | undefined | void
    ? true
    : T extends bigint | symbol | Date | DomainError | Buffer | ((...args: never[]) => unknown)
      ? false
      : false extends { [Key in keyof T]-?: IsJson<T[Key]> }[keyof T]
        ? false
        : true;

/** The recorded part of a command's result, which a request may use: all of it when it is JSON, otherwise its id. */
export type Recorded<T> = false extends IsJson<T> ? (T extends { id: infer Id extends number | string } ? { id: Id } : undefined) : T;

/** Returns the recorded part of a result (`Recorded`). */
function recordable(result: unknown): unknown {
  if (isJson(result)) return result ?? null;
  const isRecord = typeof result === 'object' && result !== null && 'id' in result;
  return isRecord && isJson(result.id) ? { id: result.id } : null;
}

function isJson(value: unknown): boolean {
  if (typeof value !== 'object') return !['bigint', 'symbol', 'function'].includes(typeof value);
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && Object.values(value).every(isJson);
}

/** Validation refuses a deeper body (`bound-value.ts`). */
const maxDepth = 100;

/** Sorts the fields of every object, because a repeat may send them in another order. */
function sorted(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return null;
  // Long lists of plain values need no copy, which would block the event loop.
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object') ? value.map((item) => sorted(item, depth + 1)) : value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, item]) => [name, sorted(item, depth + 1)]),
  );
}
