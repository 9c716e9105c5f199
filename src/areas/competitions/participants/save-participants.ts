import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockAllForChange } from '../../../platform/database/lock.ts';
import { auditAll } from '../../audit/index.ts';
import type { ReferredCertificate } from '../../verification/index.ts';
import { ParticipantEntity } from '../entities.ts';
import { judgeEntries } from './judge-entries.ts';
import { holdOpenParticipantList } from './queries.ts';
import { changeParticipant, type ParticipantChanges } from './update-participant.ts';

/** A line of a list of participants. */
export interface ParticipantLine {
  certificate: ReferredCertificate;
  changes: ParticipantChanges;
  /** False: it adds a participant only with a result. */
  addsAlways: boolean;
}

/** `unlisted`: the line names no result, and its athlete is not in the list. */
export type LineOutcome = { change: 'created' | 'changed' | 'unchanged' | 'unlisted' } | { refusal: DomainError };

/**
 * Adds or changes participants of a list, each separately (EVT-12, IMP-3). The statements do not grow with the lines.
 *
 * @param lines each certificate once
 * @returns the outcome of each line, in their order; refusals as `judgeEntries`, and not_found
 * @throws {DomainError} not_found; participants_closed
 */
export async function saveParticipants(
  ctx: CommandContext,
  { eventId, lines }: { eventId: number; lines: readonly ParticipantLine[] },
): Promise<LineOutcome[]> {
  const { event } = await holdOpenParticipantList(ctx, eventId);
  const ids = lines.map(({ certificate }) => certificate.applicationId);
  const listed = await lockAllForChange(ctx.em, ParticipantEntity, { eventId, applicationId: { $in: ids } }, { applicationId: 'asc' });
  const participants = new Map(listed.map((participant) => [participant.applicationId, participant]));
  const entering = lines.filter(
    ({ certificate, changes, addsAlways }) => !participants.has(certificate.applicationId) && (addsAlways || hasResult(changes)),
  );
  const entries = await judgeEntries(
    ctx,
    event,
    entering.map(({ certificate }) => certificate.applicationId),
  );
  const subject = { kind: 'event', id: eventId } as const;
  const facts: Parameters<typeof auditAll>[1][number][] = [];

  const outcomes = lines.map((line): LineOutcome => {
    const { certificate, changes } = line;
    const { applicationId } = certificate;
    const participant = participants.get(applicationId);
    if (participant !== undefined) {
      const changed = changeParticipant(participant, changes, ctx.now);
      if (changed.length === 0) return { change: 'unchanged' };
      facts.push({ action: 'event.participant_changed', subject, data: { application_id: applicationId, changed } });
      return { change: 'changed' };
    }
    if (!entering.includes(line)) return { change: 'unlisted' };
    const entry = entries.get(applicationId);
    if (entry === undefined) return { refusal: new DomainError('not_found', { field: 'certificate' }) };
    if ('refusal' in entry) return entry;
    const { category = null, startNumber = null, place = null, result = null, resultStatus } = changes;
    ctx.em.create(ParticipantEntity, {
      eventId,
      applicationId,
      profileId: entry.profileId,
      name: certificate.holderName,
      certificateNumber: certificate.number,
      category,
      startNumber,
      place,
      result,
      resultStatus: resultStatus ?? 'registered',
      createdAt: ctx.now,
      updatedAt: ctx.now,
    });
    facts.push({ action: 'event.participant_added', subject, data: { application_id: applicationId } });
    return { change: 'created' };
  });
  await ctx.em.flush();
  if (facts.length > 0) await auditAll(ctx, facts);
  return outcomes;
}

function hasResult({ place, result, resultStatus }: ParticipantChanges): boolean {
  return place != null || result != null || resultStatus != null;
}
