import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
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

/**
 * Changes a participant's fields without checking the certificate again. A change without a difference writes nothing.
 * @throws {DomainError} not_found; participants_closed
 */
export async function updateParticipant(
  ctx: CommandContext,
  { eventId, applicationId }: { eventId: number; applicationId: number },
  changes: { [Name in keyof ParticipantFields]?: ParticipantFields[Name] | undefined },
): Promise<Readonly<Participant>> {
  await holdOpenParticipantList(ctx, eventId);
  const participant = await lockForChange(ctx.em, ParticipantEntity, { eventId, applicationId });
  if (participant === null) throw new DomainError('not_found');
  const names = ['category', 'startNumber', 'resultStatus', 'place', 'result'] as const;
  const changed = names.filter((name) => changes[name] !== undefined && changes[name] !== participant[name]);
  if (changed.length === 0) return participant;
  Object.assign(participant, Object.fromEntries(changed.map((name) => [name, changes[name]])));
  participant.updatedAt = ctx.now;
  const data = { application_id: applicationId, changed: changed.map((name) => wireNames[name]) };
  await audit(ctx, 'event.participant_changed', { kind: 'event', id: eventId }, data);
  return participant;
}
