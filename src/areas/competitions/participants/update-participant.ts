import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { type Participant, ParticipantEntity } from '../entities.ts';
import type { ParticipantFields } from './add-participant.ts';
import { holdOpenParticipantList } from './queries.ts';

/** Names of the fields in the API and in the audit. */
const wireNames = {
  category: 'category',
  startNumber: 'start_number',
  resultStatus: 'result_status',
  place: 'place',
  result: 'result',
} as const satisfies Record<keyof ParticipantFields, string>;

/** Values for some of the fields; an absent one stays. */
export type ParticipantChanges = { [Name in keyof ParticipantFields]?: ParticipantFields[Name] | undefined };

/**
 * Changes a participant's fields without checking the certificate again. A change without a difference writes nothing.
 * @throws {DomainError} not_found; participants_closed
 */
export async function updateParticipant(
  ctx: CommandContext,
  { eventId, applicationId }: { eventId: number; applicationId: number },
  changes: ParticipantChanges,
): Promise<Readonly<Participant>> {
  await holdOpenParticipantList(ctx, eventId);
  const participant = await lockForChange(ctx.em, ParticipantEntity, { eventId, applicationId });
  if (participant === null) throw new DomainError('not_found');
  const changed = changeParticipant(participant, changes, ctx.now);
  if (changed.length === 0) return participant;
  await audit(ctx, 'event.participant_changed', { kind: 'event', id: eventId }, { application_id: applicationId, changed });
  return participant;
}

/** Assigns what differs. @returns the names of the changed fields in the API */
export function changeParticipant(participant: Locked<Participant>, changes: ParticipantChanges, now: Date): string[] {
  const names = ['category', 'startNumber', 'resultStatus', 'place', 'result'] as const;
  const changed = names.filter((name) => changes[name] !== undefined && changes[name] !== participant[name]);
  if (changed.length === 0) return [];
  Object.assign(participant, Object.fromEntries(changed.map((name) => [name, changes[name]])));
  participant.updatedAt = now;
  return changed.map((name) => wireNames[name]);
}
