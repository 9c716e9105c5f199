import { DomainError } from '../../errors.ts';
import { mayReadOthers, type SignedIn } from '../../http/access/access.ts';
import {
  accountableUserId,
  actingUserId,
  type Actor,
  type Caller,
  type CommandContext,
  type DeletedRecord,
  impersonatedUserId,
} from '../../platform/commands/context.ts';
import { type Database, json } from '../../platform/database/database.ts';
import { refusalOf } from '../../platform/logging/security-log.ts';
import type { AuditedAction, UnpublishedAction } from './actions.ts';

/** The record that an action was done to. */
export interface Subject {
  kind: string;
  id: number | string;
}

/** The parts of a command that its audit rows hold; an audited read has them too. */
type AuditContext = Pick<CommandContext, 'actor' | 'requestId' | 'ip' | 'db' | 'now'>;
type FactContext = AuditContext & Pick<CommandContext, 'facts'>;

/** One fact of the audit: `action` is `<record>.<past verb>`, such as `application.submitted`. */
interface AuditedFact {
  action: AuditedAction;
  subject: Subject;
  /** Hashes, codes, changed field names; never personal data, never secrets (AUD-3). */
  data?: Record<string, unknown>;
  /** Of a record that the command deletes: who sees this last change. */
  deleted?: DeletedRecord;
}

/**
 * Writes the audit row of a fact in the fact's own transaction (AUD-2), and notes it for the log of changes (CHG-1). For the parameters see
 * `AuditedFact`.
 */
export async function audit(
  ctx: FactContext,
  action: AuditedAction,
  subject: Subject,
  data: Record<string, unknown> = {},
  deleted?: DeletedRecord,
): Promise<void> {
  await auditAll(ctx, [{ action, subject, data, ...(deleted && { deleted }) }]);
}

/** Writes the audit rows of several facts of one command in one statement. */
export async function auditAll(ctx: FactContext, facts: readonly AuditedFact[]): Promise<void> {
  await auditByEach(
    ctx,
    facts.map((fact) => ({ ...fact, by: ctx })),
  );
}

/** A fact of the audit with another actor than the one who runs the command. */
export interface AuditedFactBy extends AuditedFact {
  by: Pick<AuditContext, 'actor' | 'ip'>;
}

/** Writes the audit rows of facts that each name their own actor, in one statement. */
export async function auditByEach(ctx: FactContext, facts: readonly AuditedFactBy[]): Promise<void> {
  await insertRows(ctx, facts);
  for (const { action, subject, deleted } of facts) ctx.facts.push({ action, subject, deleted });
}

/** Writes the audit row of a read, which is no change of a record and needs no command. */
export async function auditRead(
  ctx: AuditContext,
  action: UnpublishedAction,
  subject: Subject,
  data: Record<string, unknown> = {},
): Promise<void> {
  await insertRows(ctx, [{ action, subject, data, by: ctx }]);
}

async function insertRows({ db, requestId, now }: AuditContext, facts: readonly AuditedFactBy[]): Promise<void> {
  if (facts.length === 0) return;
  await db
    .insertInto('audit_events')
    .values(
      facts.map(({ by, action, subject, data = {} }) => ({
        actorId: accountableUserId(by.actor),
        impersonatedUserId: impersonatedUserId(by.actor),
        ip: by.ip,
        requestId,
        at: now,
        action,
        subjectKind: subject.kind,
        subjectId: String(subject.id),
        data: json(data),
      })),
    )
    .execute();
}

/** The reader of a private record, and the database to read from. */
export interface Reading {
  principal: SignedIn;
  caller: Caller;
  db: Database;
  now: Date;
}

/**
 * Authorizes a read of a private record by its owner or by an administrator with `admin:read`. For all other callers the record does
 * not exist (API-3). Audits an administrator's read as `<kind>.read` before the record is sent (AUD-4).
 * @param part the part of the record that is read; omit it for the whole record
 * @throws {DomainError} not_found
 */
export async function authorizeReading(
  { principal, caller, db, now }: Reading,
  subject: Subject,
  ownerId: number,
  part?: string,
): Promise<void> {
  if (principal.user.id === ownerId) return;
  if (!mayReadOthers(principal)) throw refusalOf('not_found', subject);
  await auditRead({ ...caller, db, now }, `${subject.kind}.read`, subject, part === undefined ? {} : { part });
}

/** The part of a record that decides who may read and change it. */
interface Owned {
  readonly id: number;
  readonly ownerId: number;
}

/**
 * Builds the check that the caller owns a record. For all other callers the record does not exist (API-3).
 * @param kind of the record, for the security log
 * @returns the check; it throws `not_found`, also for null
 */
export function ownerCheck(kind: string) {
  return <Row extends Owned>(actor: Actor, row: Row | null): Row => {
    if (row === null) throw new DomainError('not_found');
    if (actingUserId(actor) !== row.ownerId) throw refusalOf('not_found', { kind, id: row.id });
    return row;
  };
}

/**
 * Builds the check that the caller may read a record, as `authorizeReading` does.
 * @returns the check; it throws `not_found`, also for null. `part` is the part that is read; omit it for the whole record
 */
export function readerCheck<Found>(kind: string, rowOf: (found: Found) => Owned) {
  return async (reading: Reading, found: Found | null, part?: string): Promise<Found> => {
    if (found === null) throw new DomainError('not_found');
    const { id, ownerId } = rowOf(found);
    await authorizeReading(reading, { kind, id }, ownerId, part);
    return found;
  };
}
