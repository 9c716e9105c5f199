import { DomainError, fieldProblem } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type CertificateValidity, readValidityOf } from '../../verification/index.ts';
import type { Event } from '../entities.ts';
import { fittingKinds, type WholeEligibility } from '../eligibility/eligibility.ts';
import { judgeParticipants } from './judge-participants.ts';

/** Whether a certificate enters its holder into an event. */
export type JudgedEntry = { profileId: number } | { refusal: DomainError };

/**
 * Judges whether certificates enter their holders into an event, by application (EVT-12). A certificate must be valid on every day of the
 * competition; past days are judged by the facts of those days. A constant number of statements.
 *
 * @returns without those that are no certificates. Refusals: validation_failed for a kind that does not allow competing;
 *   licence_not_fitting for another discipline; certificate_not_valid with the first invalid day and its state
 */
export async function judgeEntries(
  { db, now }: Pick<CommandContext, 'db' | 'now'>,
  event: Pick<Event, 'startsAt' | 'endsAt' | 'disciplineId'>,
  applicationIds: readonly number[],
): Promise<ReadonlyMap<number, JudgedEntry>> {
  const certificates = await readValidityOf(db, applicationIds);
  const fitting = [...certificates.values()].filter((certificate) => findMisfit(certificate, event) === null);
  const eligibilities = await judgeParticipants(
    db,
    now,
    fitting.map(({ applicationId, profileId }) => ({ applicationId, profileId, event })),
  );
  const eligibilityOf = new Map(eligibilities.map((eligibility) => [eligibility.applicationId, eligibility]));
  return new Map(
    [...certificates].map(([id, certificate]) => {
      const refusal = findMisfit(certificate, event) ?? findInvalidDay(eligibilityOf.get(id));
      return [id, refusal === null ? { profileId: certificate.profileId } : { refusal }];
    }),
  );
}

function findMisfit({ kind, disciplineId }: CertificateValidity, event: Pick<Event, 'disciplineId'>): DomainError | null {
  if (!fittingKinds.has(kind))
    return fieldProblem('body.certificate', 'wrong_kind', 'must be a national certificate or an international licence');
  if (disciplineId === null || disciplineId === event.disciplineId) return null;
  return new DomainError('licence_not_fitting', { discipline_id: disciplineId });
}

function findInvalidDay(eligibility: WholeEligibility | undefined): DomainError | null {
  const [invalid] = [...(eligibility?.past ?? []), ...(eligibility?.reasons ?? [])];
  return invalid === undefined ? null : new DomainError('certificate_not_valid', { state: invalid.state, day: invalid.day });
}
