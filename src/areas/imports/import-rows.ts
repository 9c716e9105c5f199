import { sql } from 'kysely';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import { rehearse } from '../../platform/commands/rehearse.ts';
import type { ImportKind, ImportMode } from './entities.ts';
import { importParticipants } from './participants/import-participants.ts';
import { importRegistrations } from './registrations/import-registrations.ts';
import type { Entry } from './sheet/entries.ts';
import type { ImportedRow } from './sheet/problems.ts';

/** Rows that are saved in one transaction (IMP-5). */
export const rowsOfBatch = 100;

export interface ImportTarget {
  kind: ImportKind;
  mode: ImportMode;
  eventId: number;
}

/**
 * Saves rows of a file for the acting account, or tries what saving them would do (IMP-1). Imports of an account for one event take turns,
 * so that the same file sent twice at once changes nothing the second time.
 * @param entries at most `rowsOfBatch`
 * @returns the outcome of each row, in their order; a check names no new record
 * @throws {DomainError} not_found
 */
export async function importRows(ctx: CommandContext, target: ImportTarget, entries: readonly Entry[]): Promise<ImportedRow[]> {
  const turn = `import:${target.eventId}:${actingUserId(ctx.actor)}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`.execute(ctx.db);
  const save = (within: CommandContext) =>
    target.kind === 'registrations' ? importRegistrations(within, target, entries) : importParticipants(within, target, entries);
  if (target.mode !== 'check') return save(ctx);
  const tried = await rehearse(ctx, save);
  return tried.map(({ registrationId, applicationId, ...row }) =>
    row.change === 'created' ? row : { ...row, ...(registrationId && { registrationId }), ...(applicationId && { applicationId }) },
  );
}
