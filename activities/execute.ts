import { isDomainError } from '../src/errors.ts';
import { commit, query } from '../src/platform/commands/command.ts';
import type { CommandContext, UnrecordedCaller } from '../src/platform/commands/context.ts';
import type { Database } from '../src/platform/database/database.ts';
import { decryptAddress } from '../src/platform/secrets/encrypted-address.ts';
import { recordKeyedCommand } from '../src/platform/commands/idempotent-request.ts';
import type { Platform } from '../src/platform/platform.ts';
import { findPrivateInput } from '../src/platform/commands/private-inputs.ts';
import type { ProcessRef } from '../src/platform/workflows/process-ref.ts';
import { type CommandHandler, type RecordProcess, refOf } from '../src/platform/workflows/define-process.ts';
import { storeDueAt, toView } from '../src/platform/workflows/process-view.ts';
import type { ProcessCommand, ProcessView } from '../workflows/contracts/process.contract.ts';
import { asFailure } from './errors.ts';

/**
 * Carries out a command of a process exactly once. Records it in the command's own transaction, so a repeat (a retried step, a client's key
 * sent again) changes nothing and returns the record's state. A key that belongs to another request is refused: idempotency_key_conflict.
 */
export function executeOnce<Row extends { id: number }>(
  platform: Platform,
  definition: RecordProcess<Row>,
  handler: Pick<CommandHandler<Row>, 'run' | 'privateInput'>,
  id: number,
  command: ProcessCommand<unknown>,
): Promise<ProcessView> {
  return answering(async () => {
    const own = refOf(definition, id);
    return commit(
      platform,
      callerOf(platform, command),
      async (ctx) => {
        if (!(await noteProcessed(ctx, own, command))) return viewNow(ctx.db, definition, id, ctx.now);
        const { privateInputId } = command;
        const privateInput = privateInputId === null ? null : await findPrivateInput(ctx, privateInputId);
        if (privateInputId !== null && privateInput === null) throw new Error(`the private input of a command to ${own} is gone`);
        const input = { ...asFields(command.args), ...asFields(privateInput && handler.privateInput?.parse(privateInput)) };
        return settle(ctx, definition, await handler.run(ctx, id, input));
      },
      { own },
    );
  });
}

/**
 * Runs an own step of a process. Usually nothing is due, and one read without a transaction is enough. Idempotent: it reads the record
 * again under its lock before a change.
 */
export function executeInternal<Row extends { id: number }>(
  platform: Platform,
  definition: RecordProcess<Row>,
  id: number,
): Promise<ProcessView> {
  return answering(async () => {
    const { row, now } = await query(platform, async (db, instant) => ({ row: (await definition.read(db, [id]))[0], now: instant }));
    if (row === undefined) return absent(definition, id);
    const state = definition.describe(row, now);
    const { reconsider } = definition;
    const own = refOf(definition, id);
    if (state.isDue && reconsider) {
      const step = (ctx: CommandContext) => reconsider(ctx, id).then((done) => settle(ctx, definition, done));
      return commit(platform, ownCaller(own), step, { own }).catch((error: unknown) => {
        // Deleted between the read and the lock.
        if (isDomainError(error) && error.code === 'not_found') return absent(definition, id);
        throw error;
      });
    }
    await query(platform, (db) => storeDueAt(db, definition, row, state, now));
    return toView(state, now);
  });
}

/** Stores the record's next due date, and returns its state. */
async function settle<Row extends { id: number }>(
  { em, db, now }: CommandContext,
  definition: RecordProcess<Row>,
  row: Row,
): Promise<ProcessView> {
  await em.flush();
  const state = definition.describe(row, now);
  await storeDueAt(db, definition, row, state, now);
  return toView(state, now);
}

async function viewNow<Row extends { id: number }>(
  db: Database,
  definition: RecordProcess<Row>,
  id: number,
  now: Date,
): Promise<ProcessView> {
  const [row] = await definition.read(db, [id]);
  return row === undefined ? absent(definition, id) : toView(definition.describe(row, now), now);
}

function absent({ kind }: { kind: string }, id: number): ProcessView {
  return { stage: 'absent', waitingFor: 'none', details: `There is no ${kind} ${id}.`, isOver: true, isDue: false, timer: null };
}

/** @returns whether the command is new @throws {DomainError} idempotency_key_conflict */
async function noteProcessed(
  { db, now }: CommandContext,
  workflowId: ProcessRef,
  { commandId, request }: Pick<ProcessCommand<unknown>, 'commandId' | 'request'>,
): Promise<boolean> {
  if (request) return recordKeyedCommand(db, commandId, request);
  const fresh = await db
    .insertInto('receipts')
    .values({ workflowId, commandId, at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('commandId')
    .executeTakeFirst();
  return fresh !== undefined;
}

/** Returns the caller. After a change of the secret its address is null, so that the command still takes effect. */
function callerOf(platform: Platform, { caller }: Pick<ProcessCommand<unknown>, 'caller'>): UnrecordedCaller {
  try {
    return decryptAddress(caller, platform.config.SESSION_SECRET);
  } catch {
    platform.log.warn({ request_id: caller.requestId }, 'cannot decrypt a client address; use the same SESSION_SECRET for API and workers');
    return { ...caller, ip: null };
  }
}

/** Returns the caller of steps without a request. */
export function ownCaller(ref: ProcessRef): UnrecordedCaller {
  return { actor: { kind: 'process' }, requestId: ref.replace('/', '-'), ip: null };
}

/** Converts every error into a Temporal failure. */
export async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asFailure(error);
  }
}

function asFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
