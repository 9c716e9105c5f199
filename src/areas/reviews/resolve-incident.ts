import { DomainError, fieldProblem } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { json } from '../../platform/database/database.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { audit } from '../audit/index.ts';
import { type Incident, IncidentEntity, type IncidentKind } from './entities.ts';
import { requireAdministrator } from './record-decision.ts';

/**
 * Puts an incident into the administrators' queue. A record has one incident of a kind: raising it again changes nothing
 * (`incidents_once`).
 * @param details facts for the administrator: numbers, references, ids; never personal data
 */
export async function raiseIncident(
  ctx: CommandContext,
  kind: IncidentKind,
  subject: { kind: string; id: number | string },
  details: Record<string, unknown>,
): Promise<void> {
  await ctx.db
    .insertInto('incidents')
    .values({ kind, subjectKind: subject.kind, subjectId: String(subject.id), details: json(details), at: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Resolves an incident with a reason, which removes it from the administrators' queue (REV-4). Idempotent.
 * @throws {DomainError} not_found; forbidden, when the caller is no administrator
 */
export async function resolveIncident(ctx: CommandContext, id: number, { reason }: { reason: string }): Promise<Readonly<Incident>> {
  const administratorId = requireAdministrator(ctx);
  const incident = await lockForChange(ctx.em, IncidentEntity, { id });
  if (!incident) throw new DomainError('not_found');
  if (incident.resolvedAt === null) await resolve(ctx, incident, { administratorId, reason, transactionId: null });
  return incident;
}

/**
 * Resolves an incident in the transaction of a correction or reversal of money that names it in `incident_id` (REV-4). Idempotent for
 * the same ledger transaction. Lock order: after the wallet.
 * @throws {DomainError} validation_failed when the incident does not exist; invalid_state `{incident_id}` when it is resolved otherwise
 */
export async function resolveIncidentByMoney(
  ctx: CommandContext,
  id: number,
  settlement: { reason: string; transactionId: number },
): Promise<void> {
  const administratorId = requireAdministrator(ctx);
  const incident = await lockForChange(ctx.em, IncidentEntity, { id });
  if (!incident) throw fieldProblem('body.incident_id', 'not_found', 'is not an existing incident');
  if (incident.resolvedAt !== null) {
    if (incident.transactionId === settlement.transactionId) return;
    throw new DomainError('invalid_state', { incident_id: id }, 'The incident is already resolved.');
  }
  await resolve(ctx, incident, { administratorId, ...settlement });
}

async function resolve(
  ctx: CommandContext,
  incident: Locked<Incident>,
  { administratorId, reason, transactionId }: { administratorId: number; reason: string; transactionId: number | null },
): Promise<void> {
  incident.resolvedBy = administratorId;
  incident.resolvedAt = ctx.now;
  incident.resolution = reason;
  incident.transactionId = transactionId;
  const data = transactionId === null ? {} : { transaction_id: transactionId };
  await audit(ctx, 'incident.resolved', { kind: 'incident', id: incident.id }, data);
}

/** Lists the ids of the incidents that a ledger transaction resolved. Reads `incidents_transaction_index`. */
export async function listIncidentsResolvedBy({ db }: Pick<CommandContext, 'db'>, transactionId: number): Promise<number[]> {
  const rows = await db.selectFrom('incidents').select('id').where('transactionId', '=', transactionId).orderBy('id').execute();
  return rows.map(({ id }) => id);
}
