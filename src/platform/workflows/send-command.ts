import { randomUUID } from 'node:crypto';
import type { ArgsOf, CommandName, ProcessContract } from '../../../workflows/contracts/process.contract.ts';
import { commit, type CommandPlatform } from '../commands/command.ts';
import { type Caller, unrecorded } from '../commands/context.ts';
import type { Platform } from '../platform.ts';
import { storePrivateInput } from '../commands/private-inputs.ts';
import { processRef } from './process-ref.ts';

/** A command that a route sends to a process. */
export interface SentCommand<Args> {
  caller: Caller;
  args: Args;
  /** Private input (a note, a reason). It stays in the database; Temporal receives only its id. */
  privateInput?: Record<string, unknown> | null;
  /** For one of many commands of a request, whose caller is then `unrecorded`; others follow from the caller. */
  commandId?: string | undefined;
}

/**
 * Sends a command to the process of a record and returns when it is in effect. One with an `Idempotency-Key` takes effect once: its
 * transaction records it, and a repeat is not sent (API-6) but wakes the process.
 * @param name of the command in the process's contract
 * @throws {DomainError} the command's refusal; workflow_unavailable without an answer in time (safe to repeat with the same key)
 */
export async function sendCommand<Contract extends ProcessContract, Name extends CommandName<Contract>>(
  platform: CommandPlatform & Pick<Platform, 'processes'>,
  { contract }: { contract: Contract },
  id: number,
  name: Name,
  { caller, args, privateInput = null, commandId = randomUUID() }: SentCommand<ArgsOf<Contract, Name>>,
): Promise<void> {
  const request = caller.idempotency ?? null;
  const begun = request?.beginCommit() ?? null;
  const ref = processRef(contract.kind, id);
  if (begun === null || begun.recorded === null) {
    const privateInputId = privateInput === null ? null : await storePrivateInput(platform, privateInput);
    const sent = request && begun ? { commandId: request.id, request: request.ofCommand() } : { commandId };
    await platform.processes.command(ref, name, args, { caller, privateInputId, ...sent });
  } else {
    // When the worker died after the commit and Temporal lost the message with it, the process knows nothing of the command.
    await commit(platform, unrecorded(caller), async ({ wake }) => wake(ref));
  }
  if (request && begun) request.endCommit(null);
}

/**
 * Waits for the long work of a process, such as generating a file.
 * @throws {DomainError} why it failed; workflow_unavailable or service_unavailable after the time limit
 */
export async function awaitLongWork(
  { processes }: Pick<Platform, 'processes'>,
  { contract }: { contract: ProcessContract & Required<Pick<ProcessContract, 'longWork'>> },
  id: number,
  requestId: string,
): Promise<void> {
  await processes.ask(processRef(contract.kind, id), contract.longWork.question, requestId);
}
