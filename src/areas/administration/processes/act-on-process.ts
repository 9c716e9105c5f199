import { reconsiderUpdate } from '../../../../workflows/contracts/process.contract.ts';
import { DomainError } from '../../../errors.ts';
import { registryInstant } from '../../../platform/time/clock.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { accountableUserId, type Caller, type CommandContext } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { adoptProcesses } from '../../../platform/workflows/adopt.ts';
import { type RecordProcess, refOf } from '../../../platform/workflows/define-process.ts';
import { clearRestartedTroubles, findTroubles } from '../../../platform/workflows/process-troubles.ts';
import type { ProcessDescription } from '../../../platform/workflows/processes.ts';
import { audit } from '../../audit/index.ts';
import { askBank, invoiceProcess, isFinal, loadInvoice, requireBank } from '../../wallet/index.ts';
import { type FoundProcess, listedWork, type ProcessRow, readStandings } from './find-processes.ts';
import { type Failure, fittingActions, type ProcessAction } from './process-status.ts';

/** The action that an administrator requests, with their reason. */
interface WantedAction {
  action: ProcessAction;
  reason: string;
}

/**
 * Retries a process, asks the bank for it, or restarts it from its record (ADM-4). Records the request before it acts. Queued work becomes
 * due in that transaction.
 * @returns the process after the action
 * @throws {DomainError} not_found; invalid_state `{status, allowed}`, for an action that does not fit; the process's own refusals;
 *   cannot_be_made; bank_unavailable; workflow_unavailable
 */
export async function actOnProcess(
  platform: Platform,
  { kind, id }: { kind: string; id: number },
  wanted: WantedAction,
  caller: Caller,
): Promise<ProcessRow> {
  const definition = listedWork(platform).find((candidate) => candidate.kind === kind);
  if (!definition) throw new DomainError('not_found');
  const found = { process: definition, id };
  // A repeat under the same key: the first request may have repaired the process already.
  if (caller.idempotency?.isInEffect !== true) await requireFitting(platform, found, wanted.action);
  await commit(platform, caller, async (ctx) => {
    await recordAction(ctx, found, wanted);
    if (definition.type === 'queue') await definition.retry(ctx, id);
  });
  if (definition.type === 'record') await carryOut(platform, { process: definition, id }, wanted.action, caller);
  return (await showProcess(platform, found, await describe(platform, found))).row;
}

/** Returns Temporal's state of a process; null where it has no workflow, and when Temporal is away. */
async function describe({ processes }: Platform, { process: work, id }: FoundProcess): Promise<ProcessDescription | null> {
  return work.type === 'record' ? processes.describe(refOf(work, id)) : null;
}

/** @throws {DomainError} not_found, invalid_state, bank_unavailable, workflow_unavailable */
async function requireFitting(platform: Platform, found: FoundProcess, action: ProcessAction): Promise<void> {
  const hasWorkflow = found.process.type === 'record';
  // A restart needs Temporal's answer: without it, a running process would look like a missing one.
  const described = await (action === 'restart' && hasWorkflow
    ? platform.processes.find(refOf(found.process, found.id))
    : describe(platform, found));
  const { row, description } = await showProcess(platform, found, described);
  const isHealthy = description?.status === 'running' && description.waiting_for !== 'support' && description.taskFault === null;
  const isBankAskable = found.process.kind === invoiceProcess.kind && !isFinal((await loadInvoice(platform, found.id)).invoice.status);
  const allowed = fittingActions(row, { hasWorkflow, isHealthy, isBankAskable });
  if (!allowed.includes(action)) throw new DomainError('invalid_state', { status: row.state, allowed });
  if (action === 'ask_bank') requireBank(platform);
}

/** Records the action and audits it. The reason is private, so the audit does not have it (AUD-3). */
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
  // The new run counts its failures from zero.
  if (action === 'restart') await clearRestartedTroubles(ctx.db, [ref]);
}

interface FoundRecord {
  process: RecordProcess;
  id: number;
}

async function carryOut(platform: Platform, found: FoundRecord, action: ProcessAction, caller: Caller): Promise<void> {
  switch (action) {
    case 'retry':
      return retry(platform, found, caller.requestId);
    case 'ask_bank':
      await askBank(platform, await loadInvoice(platform, found.id), caller);
      return;
    case 'restart':
      return restart(platform, found, caller.requestId);
  }
}

/** Reconsiders the record now and waits for the result; if its long work had failed, runs that too. */
async function retry(platform: Platform, { process: definition, id }: FoundRecord, requestId: string): Promise<void> {
  const ref = refOf(definition, id);
  const { longWork } = definition.contract;
  const troubles = await query(platform, (db) => findTroubles(db, [ref]));
  await platform.processes.ask(ref, reconsiderUpdate.name, requestId);
  if (longWork && troubles.some(({ step }) => step === longWork.activity)) await platform.processes.ask(ref, longWork.question, requestId);
}

/** @throws {DomainError} workflow_unavailable */
async function restart(platform: Platform, { process: definition, id }: FoundRecord, requestId: string): Promise<void> {
  const { failed } = await adoptProcesses(platform, definition, [id], { isReplacing: true });
  if (failed > 0) throw new DomainError('workflow_unavailable');
  // Without a wake, the new run would wait for the next date of its record.
  try {
    await platform.processes.wake({ process: refOf(definition, id), requestId });
  } catch (error) {
    throw new DomainError('workflow_unavailable', undefined, undefined, { cause: error });
  }
}

/** Reads the state of a process from its record and, when available, from Temporal. @throws {DomainError} not_found */
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
