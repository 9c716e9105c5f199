import { reconsiderUpdate } from '../../../../workflows/process.contract.ts';
import { DomainError } from '../../../errors.ts';
import { registryInstant } from '../../../platform/clock.ts';
import { commit, query } from '../../../platform/command.ts';
import { accountableUserId, type Caller, type CommandContext } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { adoptProcesses } from '../../../platform/workflows/adopt.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { clearLookTroubles, findTroubles } from '../../../platform/workflows/process-troubles.ts';
import type { ProcessDescription } from '../../../platform/workflows/processes.ts';
import { audit } from '../../audit/index.ts';
import { askBank, invoiceProcess, isFinal, loadInvoice, requireBank } from '../../wallet/index.ts';
import { type FoundProcess, type ProcessRow, readStandings, recordProcesses } from './find-processes.ts';
import { type Failure, fittingActions, type ProcessAction } from './standing.ts';

/** What an administrator wants of a process, and why. */
export interface WantedAction {
  action: ProcessAction;
  reason: string;
}

/** Who wants it. */
interface Sender {
  caller: Caller;
  idempotencyKey: string | null;
}

/**
 * Has a process that does not go on try again, ask the bank, or begin anew from its record (decisions.md §9 "Processes"). That it was wanted is
 * on record before it is done.
 * @returns the process as it stands after
 * @throws {DomainError} not_found; invalid_state `{status, allowed}`, where it does not fit; what the process refuses or fails with; cannot_be_made;
 * bank_unavailable; workflow_unavailable
 */
export async function actOnProcess(
  platform: Platform,
  { kind, id }: { kind: string; id: number },
  wanted: WantedAction,
  sender: Sender,
): Promise<ProcessRow> {
  const definition = recordProcesses(platform.definitions).find((candidate) => candidate.kind === kind);
  if (!definition) throw new DomainError('not_found');
  const found = { process: definition, id };
  // After the first time it may need it no more.
  if (sender.caller.idempotency?.isNextCommitted !== true) await requireFitting(platform, found, wanted.action);
  await commit(platform, sender.caller, (ctx) => recordAction(ctx, found, wanted));
  await carryOut(platform, found, wanted.action, sender);
  return (await showProcess(platform, found, await platform.processes.describe(refOf(definition, id)))).row;
}

/** @throws {DomainError} not_found, invalid_state, bank_unavailable, workflow_unavailable */
async function requireFitting(platform: Platform, found: FoundProcess, action: ProcessAction): Promise<void> {
  const ref = refOf(found.process, found.id);
  // While Temporal does not say how it stands, a process that works would be taken for one that is missing.
  const described = action === 'restart' ? await platform.processes.find(ref) : await platform.processes.describe(ref);
  const { row, description } = await showProcess(platform, found, described);
  const isHealthy = description?.status === 'running' && description.waiting_for !== 'support' && !description.isFailing;
  const isBankAskable = found.process.kind === invoiceProcess.kind && !isFinal((await loadInvoice(platform, found.id)).invoice.status);
  const allowed = fittingActions(row, { isHealthy, isBankAskable });
  if (!allowed.includes(action)) throw new DomainError('invalid_state', { status: row.state, allowed });
  if (action === 'ask_bank') requireBank(platform);
}

/** The reason is private words: it stands with the action, not in the audit. */
async function recordAction(
  ctx: CommandContext,
  { process: definition, id }: FoundProcess,
  { action, reason }: WantedAction,
): Promise<void> {
  const ref = refOf(definition, id);
  const actorId = accountableUserId(ctx.actor);
  if (actorId === null) throw new DomainError('forbidden');
  const { requestId, now: at } = ctx;
  await ctx.db.insertInto('process_actions').values({ process: ref, action, reason, actorId, requestId, at }).execute();
  await audit(ctx, `process.${action}`, { kind: definition.subject ?? definition.kind, id });
  // What fails again is noted again; the new run counts from its beginning.
  if (action === 'restart') await clearLookTroubles(ctx.db, ref);
}

async function carryOut(platform: Platform, found: FoundProcess, action: ProcessAction, sender: Sender): Promise<void> {
  switch (action) {
    case 'retry':
      return retry(platform, found, sender.caller.requestId);
    case 'ask_bank':
      await askBank(platform, await loadInvoice(platform, found.id), sender);
      return;
    case 'restart':
      return restart(platform, found, sender.caller.requestId);
  }
}

/** Looks at the record now, and answers when that is done; then, where long work failed, when that is done too. */
async function retry(platform: Platform, { process: definition, id }: FoundProcess, requestId: string): Promise<void> {
  const ref = refOf(definition, id);
  const { longWork } = definition;
  const troubles = await query(platform, (db) => findTroubles(db, [ref]));
  await platform.processes.ask(ref, reconsiderUpdate, requestId);
  if (longWork && troubles.some(({ step }) => step === longWork.step)) await platform.processes.ask(ref, longWork.update, requestId);
}

/** @throws {DomainError} workflow_unavailable */
async function restart(platform: Platform, { process: definition, id }: FoundProcess, requestId: string): Promise<void> {
  const { failed } = await adoptProcesses(platform, definition, [id], { isReplacing: true });
  if (failed > 0) throw new DomainError('workflow_unavailable');
  // It would wait for the next date of its record; what could not be done is tried again now.
  try {
    await platform.processes.wake({ process: refOf(definition, id), requestId });
  } catch (error) {
    throw new DomainError('workflow_unavailable', undefined, undefined, { cause: error });
  }
}

/** A process as its record says, and as Temporal does where it can be asked. @throws {DomainError} not_found */
async function showProcess(
  platform: Platform,
  found: FoundProcess,
  description: ProcessDescription | null,
): Promise<{ row: ProcessRow; description: ProcessDescription | null }> {
  const ref = refOf(found.process, found.id);
  return query(platform, async (db, now) => {
    const failures = new Map<typeof ref, Failure>();
    if (description !== null && isFailure(description.status)) {
      const endedAt = description.endedAt && (await registryInstant(platform.clock, db, description.endedAt));
      failures.set(ref, { outcome: description.status, endedAt });
    }
    const [row] = await readStandings(db, [found], failures, now);
    if (!row) throw new DomainError('not_found');
    return { row, description };
  });
}

function isFailure(status: string): boolean {
  return ['failed', 'timed_out', 'terminated', 'cancelled'].includes(status);
}
