import { DomainError } from '../../errors.ts';
import { accountableUserId, actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import { json } from '../../platform/database/database.ts';
import { startProcess } from '../../platform/workflows/start-process.ts';
import { audit } from '../audit/index.ts';
import type { Import } from './entities.ts';
import { type ImportTarget, rowsOfBatch } from './import-rows.ts';
import { importProcess } from './process.ts';
import { findImport } from './queries.ts';
import type { ReadEntries } from './sheet/entries.ts';

/**
 * Keeps the rows of a large file; its process saves them, a batch at a time (IMP-5).
 * @throws {DomainError} invalid_state while another import of the account runs
 */
export async function startImport(
  ctx: CommandContext,
  { kind, mode, eventId }: ImportTarget,
  { entries, ignoredColumns }: ReadEntries,
): Promise<Readonly<Import>> {
  const { db, actor, now, requestId, ip } = ctx;
  const [ownerId, actorId] = [actingUserId(actor), accountableUserId(actor)];
  if (ownerId === null || actorId === null) throw new DomainError('not_found');
  const started = await db
    .insertInto('imports')
    .values({
      kind,
      mode,
      eventId,
      ownerId,
      actorId,
      apiKeyId: actor.kind === 'user' ? (actor.apiKeyId ?? null) : null,
      requestId,
      requestIp: ip,
      rowCount: entries.length,
      ignoredColumns: json(ignoredColumns),
      createdAt: now,
      dueAt: now,
    })
    .onConflict((conflict) => conflict.column('ownerId').where('status', '=', 'running').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (started === undefined)
    throw new DomainError(
      'invalid_state',
      { status: 'running', allowed: [] },
      'Another import of this account is running; wait until it has ended.',
    );
  const importId = started.id;
  // One after another: all rows of a file at once would hold the event loop.
  for (let position = 0; position * rowsOfBatch < entries.length; position += 1) {
    const rows = json(entries.slice(position * rowsOfBatch, (position + 1) * rowsOfBatch));
    await db.insertInto('import_batches').values({ importId, position, rows }).execute();
  }
  await audit(ctx, 'import.started', { kind: 'import', id: importId }, { event_id: eventId, list: kind, mode, rows: entries.length });
  const record = await findImport(db, importId);
  if (record === null) throw new Error(`import ${importId} was not found in its own transaction`);
  await startProcess(ctx, importProcess, record);
  return record;
}
