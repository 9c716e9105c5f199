import { EntityWorkflow } from './entity-workflow.ts';
import { decideRegistrationUpdate, withdrawRegistrationUpdate } from './event-registration.contract.ts';
import type { RecordInput } from './process.contract.ts';

/** Runs a registration's process: waits for its athlete or the organizer, and watches its prerequisites until the event has ended. */
export async function eventRegistration(input: RecordInput): Promise<void> {
  const workflow = new EntityWorkflow('registration', input);
  workflow.onCommand(decideRegistrationUpdate);
  workflow.onCommand(withdrawRegistrationUpdate);
  await workflow.live();
}
