import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { ParticipantEntity } from '../entities.ts';
import { holdOpenParticipantList } from './queries.ts';

/** Removes a participant; the certificate may be entered again. @throws {DomainError} not_found; participants_closed */
export async function removeParticipant(
  ctx: CommandContext,
  { eventId, applicationId }: { eventId: number; applicationId: number },
): Promise<void> {
  await holdOpenParticipantList(ctx, eventId);
  const participant = await lockForChange(ctx.em, ParticipantEntity, { eventId, applicationId });
  if (participant === null) throw new DomainError('not_found');
  ctx.em.remove(participant);
  await ctx.em.flush();
  await audit(ctx, 'event.participant_removed', { kind: 'event', id: eventId }, { application_id: applicationId });
}
