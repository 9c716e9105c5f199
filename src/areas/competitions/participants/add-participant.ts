import { DomainError, fieldProblem } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import { type CertificateReference, findReferredCertificate, readValidityOf } from '../../verification/index.ts';
import { type Participant, ParticipantEntity } from '../entities.ts';
import { fittingKinds } from '../eligibility/eligibility.ts';
import { judgeParticipants } from './judge-participants.ts';
import { holdOpenParticipantList } from './queries.ts';

/** Fields of a participant that the organizer may change. */
export type ParticipantFields = Pick<Participant, 'category' | 'startNumber' | 'resultStatus' | 'place' | 'result'>;

/**
 * Adds a participant by their certificate (EVT-12).
 *
 * The certificate must be valid on every day of the competition; past days are judged by the facts of those days. Name and number are
 * copied from the certificate (EVT-20). The primary key refuses a second entry (EVT-13).
 *
 * @throws {DomainError} not_found, also for an unknown certificate; participants_closed; validation_failed for a foreign link or a kind
 *   that does not allow competing; licence_not_fitting for another discipline; certificate_not_valid with the first invalid day and its
 *   state; duplicate_participant
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
  if (!fittingKinds.has(certificate.kind))
    throw fieldProblem('body.certificate', 'wrong_kind', 'must be a national certificate or an international licence');
  if (certificate.disciplineId !== null && certificate.disciplineId !== event.disciplineId)
    throw new DomainError('licence_not_fitting', { discipline_id: certificate.disciplineId });
  const [eligibility] = await judgeParticipants(ctx.db, ctx.now, [{ applicationId, profileId: certificate.profileId, event }]);
  const [invalid] = [...(eligibility?.past ?? []), ...(eligibility?.reasons ?? [])];
  if (invalid !== undefined) throw new DomainError('certificate_not_valid', { state: invalid.state, day: invalid.day });

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

/** @throws {DomainError} validation_failed, unless the link leads to a certificate of this service */
function requireReadable(reference: CertificateReference): Exclude<CertificateReference, { by: 'nothing' }> {
  if (reference.by !== 'nothing') return reference;
  throw reference.problem === 'foreign_link'
    ? fieldProblem('body.certificate', 'foreign_link', 'must be a link of this registry, as in the QR of its certificates')
    : fieldProblem('body.certificate', 'no_certificate_link', 'is not the link of a certificate; send the whole link of the QR');
}
