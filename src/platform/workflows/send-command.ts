import { randomUUID } from 'node:crypto';
import type { ArgsOf, CommandName, ProcessContract } from '../../../workflows/process.contract.ts';
import type { Caller } from '../context.ts';
import type { Platform } from '../platform.ts';
import { keepPrivateInput } from '../private-inputs.ts';
import { processRef } from '../process-ref.ts';

/** A command of a process, as a route requests it. */
export interface SentCommand<Args> {
  caller: Caller;
  args: Args;
  /** Words of a person (a note, a reason): they stay in the database, and only their id travels through Temporal. */
  words?: Record<string, unknown> | null;
  /** For one of many commands of a request, whose caller is then `unrecorded`; others follow from the caller. */
  commandId?: string | undefined;
}

/**
 * Sends a command to the process of a record and returns when it is in effect. One with an `Idempotency-Key` takes effect once: its
 * transaction records it, and a repeat is not sent (API-6).
 * @param name of the command in the process's contract
 * @throws {DomainError} the command's own refusal; workflow_unavailable when no answer came in time (safe to repeat with the same key)
 */
export async function sendCommand<Contract extends ProcessContract, Name extends CommandName<Contract>>(
  platform: Pick<Platform, 'orm' | 'processes'>,
  { contract }: { contract: Contract },
  id: number,
  name: Name,
  { caller, args, words = null, commandId = randomUUID() }: SentCommand<ArgsOf<Contract, Name>>,
): Promise<void> {
  const request = caller.idempotency ?? null;
  const begun = request?.beginCommit() ?? null;
  if (begun === null || begun.recorded === null) {
    const privateInputId = words === null ? null : await keepPrivateInput(platform, words);
    const sent = request && begun ? { commandId: request.id, request: request.ofCommand(begun.number) } : { commandId };
    await platform.processes.command(processRef(contract.kind, id), name, args, { caller, privateInputId, ...sent });
  }
  if (request && begun) request.endCommit(begun.number, null);
}

/**
 * Waits until the long work of a process is done, such as making a file.
 * @throws {DomainError} why it cannot be done; workflow_unavailable or service_unavailable when it is not done in time
 */
export async function awaitLongWork(
  { processes }: Pick<Platform, 'processes'>,
  { contract }: { contract: ProcessContract & Required<Pick<ProcessContract, 'longWork'>> },
  id: number,
  requestId: string,
): Promise<void> {
  await processes.ask(processRef(contract.kind, id), contract.longWork.question, requestId);
}
