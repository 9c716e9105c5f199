import type { UpdateDefinition } from '@temporalio/common';
import type { ProcessCommand } from '../../../workflows/process.contract.ts';
import type { Caller } from '../context.ts';
import type { Platform } from '../platform.ts';
import { keepPrivateInput } from '../private-inputs.ts';
import { refOf } from './define-process.ts';

/** A step of a process, as a route requests it. */
export interface SentCommand<Args> {
  caller: Caller;
  /** The client's Idempotency-Key; without one every sending is a command of its own. */
  idempotencyKey: string | null;
  args: Args;
  /** Words of a person (a note, a reason): they stay in the database, and only their id travels through Temporal. */
  words?: Record<string, unknown> | null;
}

/**
 * Sends a command to the process of a record and returns when it is in effect.
 * @throws {DomainError} the command's own refusal; workflow_unavailable when no answer came in time (safe to repeat with the same key)
 */
export async function sendCommand<Args>(
  platform: Pick<Platform, 'orm' | 'processes'>,
  definition: { kind: string },
  id: number,
  update: UpdateDefinition<void, [ProcessCommand<Args>]>,
  { caller, idempotencyKey, args, words = null }: SentCommand<Args>,
): Promise<void> {
  const privateInputId = words === null ? null : await keepPrivateInput(platform, words);
  await platform.processes.command(refOf(definition, id), update, args, { caller, idempotencyKey, privateInputId });
}
