import { createHash } from 'node:crypto';
import type { ProcessCommand, ProcessView } from '../workflows/process.contract.ts';
import { DomainError } from '../src/errors.ts';
import { commit, read } from '../src/platform/command.ts';
import { executePrepared, sendPrepared } from '../src/platform/database/prepared.ts';
import type { Caller, CommandContext } from '../src/platform/context.ts';
import type { Platform } from '../src/platform/platform.ts';
import type { ProcessRef } from '../src/platform/process-ref.ts';
import { openAddress } from '../src/platform/sealed-address.ts';
import { asFailure } from './errors.ts';

/** A command in the caller's transaction. */
export type Step<Outcome> = (ctx: CommandContext) => Promise<Outcome>;
/** How the record stands, read in the same transaction as the step; the step's outcome, where one was just taken, may spare the reading. */
export type Look<Outcome> = (ctx: CommandContext, outcome?: Outcome) => Promise<ProcessView>;

/**
 * A command of a process, in effect exactly once: the receipt is written in the command's own transaction, so a repeat (the
 * activity ran twice, the client sent its key again) changes nothing and still tells whom the first one touched.
 */
export async function takeStep<Args, Outcome>(
  platform: Platform,
  process: ProcessRef,
  command: ProcessCommand<Args>,
  step: Step<Outcome>,
  look: Look<Outcome>,
): Promise<ProcessView> {
  const fingerprint = createHash('sha256')
    .update(JSON.stringify(fingerprintOf(command.args)))
    .digest('hex');
  return run(platform, process, callerOf(platform, command), async (ctx) => {
    const [fresh] = await executePrepared<{ ok: number }>(
      ctx.em,
      `insert into receipts (workflow_id, command_id, fingerprint, result, touched, at) values ($1, $2, $3, 'null', '[]', $4)
       on conflict do nothing returning 1 as ok`,
      [process, command.commandId, fingerprint, ctx.now],
    );
    if (!fresh) return repeat(ctx, process, command.commandId, fingerprint, look);
    const touched = new Set<ProcessRef>();
    const noting: CommandContext = { ...ctx, touch: (ref) => void touched.add(ref) };
    const outcome = await step(noting);
    await ctx.em.flush();
    const view = await look(noting, outcome);
    noteTouched(ctx, process, command.commandId, [...touched]);
    for (const ref of touched) ctx.touch(ref);
    return view;
  });
}

/** A journal entry without an address is better than a command that never takes effect because a secret was exchanged meanwhile. */
function callerOf(platform: Platform, { caller }: Pick<ProcessCommand<unknown>, 'caller'>): Caller {
  try {
    return openAddress(caller, platform.config.SESSION_SECRET);
  } catch {
    platform.log.warn({ request_id: caller.requestId }, 'the address of a caller cannot be read: is SESSION_SECRET the same everywhere?');
    return { ...caller, ip: null };
  }
}

/** Reads how a record stands, without a transaction: most often a process that wakes finds nothing due, and this is its answer. */
export async function look<View>(platform: Platform, view: (ctx: Pick<CommandContext, 'em' | 'now'>) => Promise<View>): Promise<View> {
  try {
    return await read(platform, (em, now) => view({ em, now }));
  } catch (error) {
    throw asFailure(error);
  }
}

/** A step the process takes by itself; idempotent because the step looks at the record before it changes it. */
export async function takeOwnStep<Outcome>(
  platform: Platform,
  process: ProcessRef,
  step: Step<Outcome>,
  look: Look<Outcome>,
): Promise<ProcessView> {
  return run(platform, process, ownCaller(process), async (ctx) => {
    const outcome = await step(ctx);
    await ctx.em.flush();
    return look(ctx, outcome);
  });
}

/** The caller of steps that nobody asked for. */
export function ownCaller(process: ProcessRef): Caller {
  return { actor: { kind: 'process' }, requestId: process.replace('/', '-'), ip: null };
}

async function run(
  platform: Platform,
  process: ProcessRef,
  caller: Caller,
  work: (ctx: CommandContext) => Promise<ProcessView>,
): Promise<ProcessView> {
  try {
    const { result, touched } = await commit(platform, caller, work);
    // Whoever waits for this step does not wait until others were told. Should this worker die before they were, a repeat of the
    // step tells them; where the step was reported already, the sweeper drives what is due or missing.
    for (const ref of touched) if (ref !== process) platform.processes.touchInBackground(ref, caller.requestId);
    return result;
  } catch (error) {
    throw asFailure(error);
  }
}

/** So that a repeat tells them too: whoever was told by the first try is told twice, which does no harm. */
function noteTouched(ctx: CommandContext, process: ProcessRef, commandId: string, touched: readonly ProcessRef[]): void {
  if (touched.length === 0) return;
  sendPrepared(ctx.em, 'update receipts set touched = $1 where workflow_id = $2 and command_id = $3', [
    JSON.stringify(touched),
    process,
    commandId,
  ]);
}

async function repeat(
  ctx: CommandContext,
  process: ProcessRef,
  commandId: string,
  fingerprint: string,
  look: (ctx: CommandContext) => Promise<ProcessView>,
): Promise<ProcessView> {
  const [receipt] = await ctx.em.execute<{ fingerprint: string; touched: ProcessRef[] }[]>(
    'select fingerprint, touched from receipts where workflow_id = ? and command_id = ?',
    [process, commandId],
  );
  if (receipt && receipt.fingerprint !== fingerprint) throw new DomainError('idempotency_key_conflict');
  for (const ref of receipt?.touched ?? []) ctx.touch(ref);
  return look(ctx);
}

/** The private part lies in the database under an id that is new with each sending; it says nothing of the command's content. */
function fingerprintOf(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return args;
  return Object.fromEntries(
    Object.entries(args)
      .filter(([name]) => name !== 'privateInputId')
      .sort(([a], [b]) => a.localeCompare(b)),
  );
}
