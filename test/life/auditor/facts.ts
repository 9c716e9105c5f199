import type { Caller, Exchange } from './exchange.ts';

/** A fact that stands in the audit once (AUD-2, AUD-3). */
export interface Fact {
  /** As the audit names it, such as `document.approved`. */
  action: string;
  /** `kind/id`. */
  subject: string;
  /** Who acted; null for the registry. */
  by: Caller | null;
  /** The requests that may have written it; none for a fact of a process. */
  requestIds: readonly string[];
  /** False for a fact that may happen at any time from now on, or never. */
  isCertain: boolean;
  /** Who may have caused a fact through the bot, by requests that the life does not send: accounts, or null for no account. */
  byBot?: readonly (number | null)[];
}

/** How often something unexplained is read before it is a finding. */
const readings = 2;

/** What each account is told: how often at least, and how often at most, by type and id of the record. */
export class Notices {
  readonly #told = new Map<number, Map<string, { least: number; most: number }>>();
  readonly #read = new Map<number, Set<number>>();
  readonly #counts = new Map<number, Map<string, number>>();
  /** How often something unexplained was read, by account and name. */
  readonly #suspects = new Map<string, number>();
  /** Accounts whose notifications the next question reads. */
  readonly touched = new Set<number>();

  /** The account is told of it once, from now on. */
  expect(accountId: number, type: string, subjectId: number | string): void {
    const one = this.#of(accountId, `${type} ${subjectId}`);
    one.least += 1;
    one.most += 1;
  }

  /** The account may be told of it once, from now on. */
  allow(accountId: number, type: string, subjectId: number | string): void {
    this.#of(accountId, `${type} ${subjectId}`).most += 1;
  }

  /** By type and id of the record. */
  of(accountId: number): ReadonlyMap<string, { least: number; most: number }> {
    return this.#told.get(accountId) ?? new Map<string, never>();
  }

  /** Notes a notification of the account's list. @returns whether it was not read before */
  sees(accountId: number, id: number, name: string): boolean {
    const read = this.#read.get(accountId) ?? new Set<number>();
    this.#read.set(accountId, read);
    if (read.has(id)) return false;
    read.add(id);
    const counts = this.seen(accountId);
    this.#counts.set(accountId, counts);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return true;
  }

  /** How often the account was told, by type and id of the record. */
  seen(accountId: number): Map<string, number> {
    return this.#counts.get(accountId) ?? new Map<string, number>();
  }

  explained(accountId: number, name: string): void {
    this.#suspects.delete(`${accountId} ${name}`);
  }

  /** Whether something unexplained stays so, after the areas have looked at its record again. */
  isSuspect(accountId: number, name: string): boolean {
    const times = (this.#suspects.get(`${accountId} ${name}`) ?? 0) + 1;
    this.#suspects.set(`${accountId} ${name}`, times);
    return times > readings;
  }

  #of(accountId: number, name: string): { least: number; most: number } {
    this.touched.add(accountId);
    const told = this.#told.get(accountId) ?? new Map<string, { least: number; most: number }>();
    this.#told.set(accountId, told);
    const one = told.get(name) ?? { least: 0, most: 0 };
    told.set(name, one);
    return one;
  }
}

/** The fact of an accepted request, by its caller. Of requests sent at once each may have written it. */
export function factOf({ by, requestId, raced }: Exchange, action: string, subject: string): Fact {
  return { action, subject, by, requestIds: raced.length > 0 ? raced : [requestId], isCertain: true };
}
