import { type Database, inList } from '../../../platform/database/database.ts';
import { type CertificateValidity, findCertificatesOfProfiles, readValidityOf } from '../../verification/index.ts';
import type { Event, Participant } from '../entities.ts';
import { fittingKinds, type Licence, type WholeEligibility } from '../eligibility/eligibility.ts';
import { judgeWhole } from '../eligibility/read-past.ts';
import { competitionSpan, type DaySpan } from '../events/dates.ts';

interface JudgedParticipant extends Pick<Participant, 'applicationId' | 'profileId'> {
  event: Pick<Event, 'startsAt' | 'endsAt' | 'disciplineId'>;
}

/**
 * Judges participants by their certificates on every day of their events (EVT-12), in their order.
 *
 * A certificate ends with its year. In an event across New Year another certificate of the profile may cover the days outside its dates.
 * At most three statements for any number of participants.
 */
export async function judgeParticipants(
  db: Database,
  now: Date,
  participants: readonly JudgedParticipant[],
): Promise<(WholeEligibility & Pick<Participant, 'applicationId'>)[]> {
  if (participants.length === 0) return [];
  const others = await findOthers(db, participants);
  const certificates = await readValidityOf(db, [...participants.map(({ applicationId }) => applicationId), ...others]);
  const ofProfile = Map.groupBy(
    others.flatMap((id) => certificates.get(id) ?? []),
    ({ profileId }) => profileId,
  );
  const judged = participants.map(({ applicationId, profileId, event }) => {
    const own = certificates.get(applicationId);
    const span = competitionSpan(event);
    const licences = own === undefined ? [] : licencesOf(own, isAcrossNewYear(span) ? (ofProfile.get(profileId) ?? []) : [], span);
    // The validity of a certificate covers its profile.
    const standing = { profile: { id: profileId, status: 'approved' as const }, licences, papers: [] };
    return { applicationId, event: { span, disciplineId: event.disciplineId }, standing };
  });
  const eligibilities = await judgeWhole(db, judged, now);
  return eligibilities.flatMap((eligibility, index) => {
    const applicationId = participants[index]?.applicationId;
    return applicationId === undefined ? [] : [{ applicationId, ...eligibility }];
  });
}

/** Lists the other certificates of athletes in events across New Year. */
async function findOthers(db: Database, participants: readonly JudgedParticipant[]): Promise<number[]> {
  const across = participants.filter(({ event }) => isAcrossNewYear(competitionSpan(event)));
  if (across.length === 0) return [];
  const spans = across.map(({ event }) => competitionSpan(event));
  const [firstDay = '', lastDay = ''] = [
    spans.map(({ first }) => first).toSorted()[0],
    spans
      .map(({ last }) => last)
      .toSorted()
      .at(-1),
  ];
  const profileIds = [...new Set(across.map(({ profileId }) => profileId))];
  return findCertificatesOfProfiles(db, { profileIds, kinds: [...fittingKinds], firstDay, lastDay });
}

function isAcrossNewYear({ first, last }: DaySpan): boolean {
  return first.slice(0, 4) !== last.slice(0, 4);
}

/** Returns the participant's certificate, with those of other dates when its own dates cover a part of the event. Pure. */
function licencesOf(own: CertificateValidity, others: readonly CertificateValidity[], span: DaySpan): Licence[] {
  const { validFrom, validUntil } = own.validity;
  if (validFrom > span.last || validUntil < span.first) return [own];
  return [own, ...others.filter(({ validity }) => validity.validUntil < validFrom || validity.validFrom > validUntil)];
}

/** Returns those of these events with a participant who is not eligible on some day (EVT-21). At most four statements. */
export async function findEventsWithInvalidParticipants(
  db: Database,
  now: Date,
  eventIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (eventIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('participants as p')
    .innerJoin('events as e', 'e.id', 'p.eventId')
    .where('p.eventId', '=', inList(eventIds))
    .select(['p.eventId', 'p.applicationId', 'p.profileId', 'e.startsAt', 'e.endsAt', 'e.disciplineId'])
    .execute();
  const judged = await judgeParticipants(
    db,
    now,
    rows.map(({ applicationId, profileId, ...event }) => ({ applicationId, profileId, event })),
  );
  return new Set(rows.flatMap(({ eventId }, index) => (isEligible(judged[index]) ? [] : [eventId])));
}

function isEligible(eligibility: WholeEligibility | undefined): boolean {
  return eligibility?.ok === true && eligibility.past.length === 0;
}
