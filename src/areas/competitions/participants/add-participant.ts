import { DomainError, fieldProblem } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import { type CertificateReference, findReferredCertificates, type ReadableReference } from '../../verification/index.ts';
import { type Participant, ParticipantEntity } from '../entities.ts';
import { judgeEntries } from './judge-entries.ts';
import { holdOpenParticipantList } from './queries.ts';

/** Fields of a participant that the organizer may change. */
export type ParticipantFields = Pick<Participant, 'category' | 'startNumber' | 'resultStatus' | 'place' | 'result'>;

/**
 * Adds a participant by their certificate (EVT-12). Name and number are copied from the certificate (EVT-20). The primary key refuses a
 * second entry (EVT-13).
 *
 * @throws {DomainError} not_found, also for an unknown certificate; participants_closed; what `judgeEntries` refuses; duplicate_participant
 */
export async function addParticipant(
  ctx: CommandContext,
  eventId: number,
  reference: CertificateReference,
  fields: ParticipantFields,
): Promise<Readonly<Participant>> {
  const { event } = await holdOpenParticipantList(ctx, eventId);
  const [referred] = await findReferredCertificates(ctx.db, [requireReadable(reference)]);
  if (referred == null) throw new DomainError('not_found', { field: 'certificate' });
  const { applicationId, number, holderName } = referred;
  const entry = (await judgeEntries(ctx, event, [applicationId])).get(applicationId);
  if (entry === undefined) throw new DomainError('not_found', { field: 'certificate' });
  if ('refusal' in entry) throw entry.refusal;

  const participant = ctx.em.create(ParticipantEntity, {
    eventId,
    applicationId,
    profileId: entry.profileId,
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
function requireReadable(reference: CertificateReference): ReadableReference {
  if (reference.by !== 'nothing') return reference;
  throw reference.problem === 'foreign_link'
    ? fieldProblem('body.certificate', 'foreign_link', 'must be a link of this registry, as in the QR of its certificates')
    : fieldProblem('body.certificate', 'no_certificate_link', 'is not the link of a certificate; send the whole link of the QR');
}
