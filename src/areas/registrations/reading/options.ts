import type { z } from 'zod';
import { type Database, inList } from '../../../platform/database/database.ts';
import { dayOf, lastDayOfYear, startOfDay } from '../../../platform/date-time.ts';
import {
  adultAge,
  type ApplicationRecord,
  assessReadiness,
  findApplications,
  isReady,
  latestOpenYear,
  livingStatuses,
  opensOn,
  type ReadinessFacts,
  readinessFactsOf,
  type ReadinessRule,
} from '../../applications/index.ts';
import {
  competitionSpan,
  type DaySpan,
  type JudgedEvent,
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
  /** The day from which an application helps, `YYYY-MM-DD`, for what only time can mend. */
  notBefore?: string;
}

/**
 * Lists what a profile lacks on the days of an event still to come (REG-18); never empty when one of them lacks a licence.
 *
 * A certificate ends with its year, so only an application of the year of a lacking day is named: paying for another one would not make
 * the athlete eligible. A year without an application asks for one, from the day from which it can be made. Missing papers of another
 * federation are listed once the profile has one of them.
 *
 * @param latestYear the latest year that can be applied for now
 * @param isEligible whether nothing is missing on a span
 */
export function missingFor(
  applications: readonly ApplicationRecord[],
  papers: readonly ForeignPaper[],
  span: DaySpan,
  now: Date,
  latestYear: number,
  isEligible: (part: DaySpan) => boolean,
): MissingRule[] {
  const lacking = yearsOf(span).filter(({ part }) => !isEligible(part));
  const missing = lacking.flatMap(({ year, part }) =>
    applications.filter(({ application }) => application.year === year).flatMap((application) => missingOf(application, part, now)),
  );
  const ofPapers = lacking.length === 0 ? [] : missingPapers(papers);
  const without = lacking.filter(({ year }) => !applications.some(({ application }) => application.year === year));
  // Papers replace the licence of every year.
  return [...missing, ...(ofPapers.length > 0 ? [] : without.map(({ year }) => missingLicence(year, now, latestYear))), ...ofPapers];
}

/** Splits a span by calendar year. */
function yearsOf({ first, last }: DaySpan): { year: number; part: DaySpan }[] {
  const [from, to] = [Number(first.slice(0, 4)), Number(last.slice(0, 4))];
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => {
    const year = from + index;
    return { year, part: { first: index === 0 ? first : `${year}-01-01`, last: year === to ? last : lastDayOfYear(year) } };
  });
}

/** Asks for an application of a year; until one can be made, only time helps. */
function missingLicence(year: number, now: Date, latestYear: number): MissingRule {
  const rule = { rule: 'licence', applicationId: null, waiting_for: 'owner' } as const;
  if (year > latestYear) return { ...rule, fix: null, notBefore: opensOn(year, now) };
  return { ...rule, fix: { method: 'POST', path: '/applications' } };
}

function missingOf(record: ApplicationRecord, span: DaySpan, now: Date): MissingRule[] {
  const facts = readinessFactsOf(record, now);
  const applicationId = record.id;
  const unmet = new Map<string, MissingRule>();
  // Documents of a submitted application cannot be replaced while they are in order; once approved, it can be renewed ahead (APP-10).
  const inOrder = new Set(
    record.application.status === 'submitted'
      ? assessReadiness(facts)
          .filter(({ ok }) => ok)
          .map(({ rule }) => rule)
      : [],
  );
  for (const day of [facts.day, ...partsOf(span, changesOf(facts)).map(({ first }) => first)])
    for (const { rule, ok, waiting_for, fix } of assessReadiness({ ...facts, day }))
      if (!ok && !unmet.has(rule)) unmet.set(rule, { rule, applicationId, waiting_for, fix: inOrder.has(rule) ? null : fix });
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
  /** Issued certificates of these applications, and closed ones that are dated for a day of the event, which a batch accepts too. */
  licences: Readonly<CertificateValidity>[];
  /** Papers of another federation, without refused ones. */
  papers: ForeignPaper[];
}

/** Finds the athletes of an account with their records for a discipline. Five statements for any number of athletes. */
export async function findCandidates(db: Database, ownerId: number, { span, disciplineId }: JudgedEvent): Promise<Candidate[]> {
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
      .where((eb) =>
        eb.or([
          eb('status', '=', inList(livingStatuses)),
          eb.and([
            eb('status', '=', 'closed'),
            eb.exists(
              eb
                .selectFrom('certificates as c')
                .whereRef('c.applicationId', '=', 'applications.id')
                .where('c.validFrom', '<=', span.last)
                .where('c.validUntil', '>=', span.first)
                .select('c.applicationId'),
            ),
          ]),
        ]),
      )
      .select('id')
      .execute(),
  ]);
  const ids = rows.map(({ id }) => id);
  const [applications, licences] = await Promise.all([findApplications(db, ids), readValidityOf(db, ids)]);
  return profiles.map((profile) => {
    const own = applications.filter(({ application }) => application.profileId === profile.id);
    return {
      profile,
      applications: own.filter(({ application }) => livingStatuses.some((status) => status === application.status)),
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
  const latestYear = await latestOpenYear(db, now);
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
    const isEligible = (span: DaySpan) => eligibilityOf({ ...judgedEvent, span }, { profile, licences, papers }, dayOf(now)).ok;
    const missing = missingFor(applications, papers, spanFrom(judgedEvent.span, dayOf(now)), now, latestYear, isEligible);
    return {
      profile_id: profile.id,
      name: profile.name,
      licences: licences.flatMap(({ applicationId, number }) => {
        const eligibility = byLicence.get(applicationId);
        return eligibility === undefined ? [] : [{ application_id: applicationId, number, eligibility: presentEligibility(eligibility) }];
      }),
      missing: missing.map(({ applicationId, rule, waiting_for, fix, notBefore }) => ({
        application_id: applicationId,
        rule,
        waiting_for,
        fix,
        ...(notBefore === undefined ? {} : { not_before: notBefore }),
      })),
    };
  }
}
