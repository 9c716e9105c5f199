import { audit } from '../audit/index.ts';
import { DomainError, fieldProblem } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { findReferredCertificate, readValidityOf } from '../verification/index.ts';
import type { CertificateReference } from '../verification/index.ts';
import { ParticipantEntity } from './entities.ts';
import type { Participant } from './entities.ts';
import { competingKinds, firstUncoveredDay } from './first-uncovered-day.ts';
import { holdOpenParticipantList } from './hold-participant-list.ts';

/** What the organizer says of a participant, and changes later. */
export type ParticipantFields = Pick<Participant, 'category' | 'startNumber' | 'resultStatus' | 'place' | 'result'>;

/**
 * Enters somebody into the list of participants by the certificate (earlier flow, decisions.md §6 "Participants"). It must be in force on
 * every day of the competition, past days by what stood then; across New Year another one of the profile may cover the other year. Name
 * and number are those on the certificate, whatever the profile says now. That nobody is entered twice is decided by the table.
 * @throws {DomainError} not_found, also for a certificate that is unknown; participants_closed; validation_failed when the link leads
 *   elsewhere or the certificate is of a kind that nobody competes with; licence_not_fitting for one of another discipline; certificate_not_valid with the first day and the state on it;
 *   duplicate_participant
 */
export async function addParticipant(
  ctx: CommandContext,
  eventId: number,
  reference: CertificateReference,
  fields: ParticipantFields,
): Promise<Readonly<Participant>> {
  const { event } = await holdOpenParticipantList(ctx, eventId);
  const referred = await findReferredCertificate(ctx.db, requireReadable(reference));
  if (referred === null) throw new DomainError('not_found', { field: 'certificate' });
  const { applicationId, number, holderName } = referred;
  const certificate = (await readValidityOf(ctx.db, [applicationId])).get(applicationId);
  if (certificate === undefined) throw new DomainError('not_found', { field: 'certificate' });
  if (!competingKinds.some((kind) => kind === certificate.kind))
    throw fieldProblem('body.certificate', 'wrong_kind', 'must be a national certificate or an international licence');
  if (certificate.disciplineId !== null && certificate.disciplineId !== event.disciplineId)
    throw new DomainError('licence_not_fitting', { discipline_id: certificate.disciplineId });
  const invalid = await firstUncoveredDay(ctx, event, certificate);
  if (invalid !== null) throw new DomainError('certificate_not_valid', { state: invalid.state, day: invalid.day });

  const participant = ctx.em.create(ParticipantEntity, {
    eventId,
    applicationId,
    profileId: certificate.profileId,
    name: holderName,
    certificateNumber: number,
    ...fields,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  await ctx.em.flush();
  await audit(ctx, 'event.participant_added', { kind: 'event', id: eventId }, { application_id: applicationId });
  return participant;
}

/** @throws {DomainError} validation_failed, when the link is no link of ours to a certificate */
export function requireReadable(reference: CertificateReference): Exclude<CertificateReference, { by: 'nothing' }> {
  if (reference.by !== 'nothing') return reference;
  throw reference.problem === 'foreign_link'
    ? fieldProblem('body.certificate', 'foreign_link', 'must be a link of this registry, as the QR of its certificates holds it')
    : fieldProblem('body.certificate', 'no_certificate_link', 'leads to no certificate; take the whole link of the QR');
}
