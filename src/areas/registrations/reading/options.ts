import type { z } from 'zod';
import { type Database, inList } from '../../../platform/database/database.ts';
import { dayOf, lastDayOfYear, startOfDay } from '../../../platform/date-time.ts';
import {
  adultAge,
  type ApplicationRecord,
  assessReadiness,
  findApplications,
  isReady,
  livingStatuses,
  type ReadinessFacts,
  readinessFactsOf,
  type ReadinessRule,
} from '../../applications/index.ts';
import {
  competitionSpan,
  type DaySpan,
  dayAfter,
  defaultSettings,
  eligibilityOf,
  type EventRecord,
  fittingKinds,
  type ForeignPaper,
  foreignPapers,
  judgeWhole,
  partsOf,
  presentEligibility,
  spanFrom,
} from '../../competitions/index.ts';
import type { ReviewStatus } from '../../profiles/index.ts';
import { type CertificateValidity, readValidityOf } from '../../verification/index.ts';
import type { optionsResponse } from './wire.ts';

/** An unmet condition of a profile, and the request that helps (REG-18). */
export interface MissingRule extends Pick<ReadinessRule, 'rule' | 'waiting_for' | 'fix'> {
  /** The application with this condition; null when no application has it. */
  applicationId: number | null;
}

/**
 * Lists what a profile lacks that is not eligible (REG-18); never empty.
 *
 * Covers the unmet conditions of each fitting live application on any day of the event. Missing papers of another federation are listed
 * once the profile has one of them.
 *
 * @param span the days of the event
 */
export function missingFor(
  applications: readonly ApplicationRecord[],
  papers: readonly ForeignPaper[],
  span: DaySpan,
  now: Date,
): MissingRule[] {
  const missing = [...applications.flatMap((application) => missingOf(application, span, now)), ...missingPapers(papers)];
  if (missing.length > 0) return missing;
  return [{ rule: 'licence', applicationId: null, waiting_for: 'owner', fix: { method: 'POST', path: '/applications' } }];
}

function missingOf(record: ApplicationRecord, span: DaySpan, now: Date): MissingRule[] {
  const facts = readinessFactsOf(record, now);
  const applicationId = record.id;
  const unmet = new Map<string, MissingRule>();
  for (const day of [facts.day, ...partsOf(span, changesOf(facts)).map(({ first }) => first)])
    for (const { rule, ok, waiting_for, fix } of assessReadiness({ ...facts, day }))
      if (!ok && !unmet.has(rule)) unmet.set(rule, { rule, applicationId, waiting_for, fix });
  if (unmet.size === 0 && record.application.status !== 'approved' && isReady(assessReadiness(facts)))
    unmet.set('decision', {
      rule: 'decision',
      applicationId,
      waiting_for: 'administrator',
      fix: { method: 'POST', path: '/admin/review' },
    });
  return [...unmet.values()];
}

/** Lists the days on which a condition may change: a document expires, the athlete comes of age, the year ends. */
function changesOf({ documents, profile: { birthDate }, year }: ReadinessFacts): string[] {
  return [
    ...documents.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [dayAfter(expiresAt)])),
    ...(birthDate === null ? [] : [birthdayAt(birthDate, adultAge)]),
    dayAfter(lastDayOfYear(year)),
  ];
}

/** For a birthday on 29 February, 1 March in years without that day. */
function birthdayAt(birthDate: string, age: number): string {
  return dayOf(startOfDay(`${Number(birthDate.slice(0, 4)) + age}${birthDate.slice(4)}`));
}

function missingPapers(papers: readonly ForeignPaper[]): MissingRule[] {
  if (papers.length === 0) return [];
  return foreignPapers
    .filter((type) => !papers.some((paper) => paper.type === type && paper.status === 'approved'))
    .map((type): MissingRule => {
      const isWaiting = papers.some((paper) => paper.type === type && paper.status === 'pending');
      if (isWaiting)
        return { rule: type, applicationId: null, waiting_for: 'administrator', fix: { method: 'POST', path: '/admin/review' } };
      return { rule: type, applicationId: null, waiting_for: 'owner', fix: { method: 'POST', path: '/documents' } };
    });
}

/** An athlete of an account, with the records that a registration may use. */
export interface Candidate {
  profile: { id: number; name: string; status: ReviewStatus };
  /** Live applications whose service and discipline fit the event. */
  applications: ApplicationRecord[];
  /** Issued certificates of these applications. */
  licences: Readonly<CertificateValidity>[];
  /** Papers of another federation, without refused ones. */
  papers: ForeignPaper[];
}

/** Finds the athletes of an account with their records for a discipline. Five statements for any number of athletes. */
export async function findCandidates(db: Database, ownerId: number, disciplineId: number): Promise<Candidate[]> {
  const [profiles, papers, rows] = await Promise.all([
    db
      .selectFrom('profiles')
      .select(['id', 'name', 'status'])
      .where('ownerId', '=', ownerId)
      .where('kind', '=', 'athlete')
      .orderBy('id')
      .execute(),
    db
      .selectFrom('documents as d')
      .innerJoin('profiles as p', 'p.id', 'd.profileId')
      .where('p.ownerId', '=', ownerId)
      .where('d.type', '=', inList(foreignPapers))
      .where('d.status', '=', inList(['pending', 'approved', 'changes', 'expired'] as const))
      .select(['d.id', 'd.profileId', 'd.type', 'd.status', 'd.expiresAt'])
      .orderBy('d.id')
      .execute(),
    db
      .selectFrom('applications')
      .where('ownerId', '=', ownerId)
      .where('kind', '=', inList([...fittingKinds]))
      .where((eb) => eb.or([eb('disciplineId', 'is', null), eb('disciplineId', '=', disciplineId)]))
      .where('status', '=', inList(livingStatuses))
      .select('id')
      .execute(),
  ]);
  const ids = rows.map(({ id }) => id);
  const [applications, licences] = await Promise.all([findApplications(db, ids), readValidityOf(db, ids)]);
  return profiles.map((profile) => {
    const own = applications.filter(({ application }) => application.profileId === profile.id);
    return {
      profile,
      applications: own,
      licences: own.flatMap(({ id }) => licences.get(id) ?? []),
      papers: papers.filter(({ profileId }) => profileId === profile.id),
    };
  });
}

/** Presents the choices of a registration for an event, with each athlete's licences and eligibility (REG-18). */
export async function presentOptions(
  db: Database,
  { event, settings }: EventRecord,
  candidates: readonly Candidate[],
  now: Date,
): Promise<z.input<typeof optionsResponse>> {
  const { classes, vehicleFields, crew } = settings ?? defaultSettings;
  const judgedEvent = { span: competitionSpan(event), disciplineId: event.disciplineId };
  const each = candidates.flatMap(({ profile, licences }) => licences.map((licence) => ({ profile, licence })));
  const judged = await judgeWhole(
    db,
    each.map(({ profile, licence }) => ({ event: judgedEvent, standing: { profile, licences: [licence], papers: [] } })),
    now,
  );
  const byLicence = new Map(each.map(({ licence }, index) => [licence.applicationId, judged[index]]));
  return { classes, vehicle_fields: vehicleFields, crew, profiles: candidates.map((candidate) => presentCandidate(candidate)) };

  function presentCandidate({ profile, applications, licences, papers }: Candidate) {
    const { ok } = eligibilityOf(judgedEvent, { profile, licences, papers }, dayOf(now));
    const missing = ok ? [] : missingFor(applications, papers, spanFrom(judgedEvent.span, dayOf(now)), now);
    return {
      profile_id: profile.id,
      name: profile.name,
      licences: licences.flatMap(({ applicationId, number }) => {
        const eligibility = byLicence.get(applicationId);
        return eligibility === undefined ? [] : [{ application_id: applicationId, number, eligibility: presentEligibility(eligibility) }];
      }),
      missing: missing.map(({ applicationId, rule, waiting_for, fix }) => ({ application_id: applicationId, rule, waiting_for, fix })),
    };
  }
}
