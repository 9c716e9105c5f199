import type { Model } from '../model.ts';
import { profileOfRecord } from '../accounts/records.ts';
import { administratorsOnly, ofAccount, ofMaker } from './change-records.ts';

/** A change as a reader sees it: a CloudEvent (CHG-5). */
export interface Change {
  specversion: string;
  id: string;
  source: string;
  type: string;
  subject: string;
  time: string;
  datacontenttype: string;
  data: { id: number | string; status?: string; url: string };
}

/** A row of the audit that is no read. */
export interface AuditRow {
  id: number;
  action: string;
  actor_id: number | null;
  impersonated_user_id: number | null;
  subject: { kind: string; id: string };
  request_id: string;
}

/** Who may read a change beside administrators; null: no account. */
export interface Readers {
  ownerId: number | null;
  organizerId: number | null;
}

interface Transfer {
  profileId: number;
  from: number;
  to: number;
  requestId: string;
}

/** Who may read which change (CHG-3). It is asked in the order of the log. */
export class ChangeReaders {
  /** By record: the account that made it. */
  readonly #makers = new Map<string, number>();
  /** Owners of profiles as of the end of the log. */
  readonly #owners = new Map<number, number>();
  readonly #transfers: Transfer[] = [];
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  /** An administrator gives a profile to another account. */
  transfers(transfer: Transfer): void {
    this.#transfers.push(transfer);
  }

  /** A record belongs to an account and stays with it. */
  belongs(subject: string, accountId: number): void {
    this.#makers.set(subject, accountId);
  }

  /** Returns the readers of a change when its fact was written; null while the auditor does not know whose record it is. */
  of({ type, subject, data: { status } }: Change, fact: AuditRow): Readers | null {
    const record = type.split('.')[1] ?? '';
    const id = fact.subject.id;
    if (administratorsOnly.has(record)) return { ownerId: null, organizerId: null };
    if (ofAccount.has(record)) return { ownerId: Number(id), organizerId: null };
    const actor = fact.impersonated_user_id ?? fact.actor_id;
    const isMade = actor !== null && makingVerbs.has(type.split('.')[2] ?? '');
    if (isMade && !this.#makers.has(subject)) this.#makers.set(subject, actor);
    if (record === 'file') return actor === null ? null : { ownerId: actor, organizerId: null };
    if (ofMaker.has(record)) return ownedBy(this.#makers.get(subject));
    if (record === 'registration' || record === 'messenger') return this.#readersOfRegistration(Number(id), status, type, fact);
    const profileId = profileOfRecord(this.#model, record, Number(id));
    if (profileId === null) return null;
    return ownedBy(this.#ownerAt(profileId, type, fact));
  }

  /** The athlete, and the organizer once it is submitted. */
  #readersOfRegistration(id: number, status: string | undefined, type: string, fact: AuditRow): Readers | null {
    const registration = this.#model.registrations.get(id);
    const event = this.#model.events.get(registration?.eventId ?? 0);
    if (!registration || !event) return null;
    const ownerId = this.#ownerAt(registration.profileId, type, fact) ?? null;
    const isSubmitted = registration.wasSubmitted && status !== 'draft';
    return { ownerId, organizerId: isSubmitted ? (this.#ownerAt(event.profileId, type, fact) ?? null) : null };
  }

  /** The owner of a profile when the fact was written. */
  #ownerAt(profileId: number, type: string, fact: AuditRow): number | undefined {
    const transfer = this.#transfers.find((one) => one.profileId === profileId && one.requestId === fact.request_id);
    if (type === 'registry.profile.transferred_away.v1') return transfer?.from;
    if (transfer) this.#owners.set(profileId, transfer.to);
    const first = this.#transfers.find((one) => one.profileId === profileId);
    const owner = this.#owners.get(profileId) ?? first?.from ?? this.#model.profiles.get(profileId)?.ownerId;
    if (owner !== undefined) this.#owners.set(profileId, owner);
    return owner;
  }
}

const ownedBy = (ownerId: number | undefined): Readers | null => (ownerId === undefined ? null : { ownerId, organizerId: null });

const makingVerbs: ReadonlySet<string> = new Set(['created', 'uploaded']);
