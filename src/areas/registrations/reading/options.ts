import type { z } from 'zod';
import { type Database, inList } from '../../../platform/database/database.ts';
import { dayOf, lastDayOfYear, startOfDay } from '../../../platform/time/date-time.ts';
import {
  adultAge,
  type ApplicationRecord,
  assessProfile,
  assessReadiness,
  findApplications,
  isReady,
  latestOpenYear,
  livingStatuses,
  needsCorrection,
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
  type ClassPlaces,
  limitOf,
  presentPlaces,
} from '../../competitions/index.ts';
import { type DocumentStatus, isExpiredOn } from '../../documents/index.ts';
import type { Profile, SteppedProfile } from '../../profiles/index.ts';
import { type CertificateValidity, readValidityOf } from '../../verification/index.ts';
import { countPlaces } from '../waiting-list/places.ts';
import type { optionsResponse } from './wire.ts';

/** An unmet condition of a profile, and the request that helps (REG-18). */
export interface MissingRule extends Pick<ReadinessRule, 'rule' | 'waiting_for' | 'fix'> {
  /** The application with this condition; null when no application has it. */
  applicationId: number | null;
  /** The year to apply for, without an application. */
  year?: number;
  /** The day from which an application helps, `YYYY-MM-DD`, for what only time can mend. */
  notBefore?: string;
}

const reviewFix = { method: 'POST', path: '/admin/review' } as const;
const documentFix = { method: 'POST', path: '/documents' } as const;

/**
 * Lists what a profile lacks on the days of an event still to come (REG-18); never empty when one of them lacks a licence.
 *
 * A certificate ends with its year, so only an application of the year of a lacking day is named: paying for another one would not make
 * the athlete eligible. A year whose applications lack nothing, as where the first day of a licence is too late, asks for another one, from
 * the day from which it can be made. Missing papers of another federation are listed once the profile has one of them.
 *
 * @param latestYear the latest year that can be applied for now
 * @param isEligible whether nothing is missing on a span
 */
export function missingFor(
  { profile, applications, papers, successors }: Omit<Candidate, 'licences'>,
  span: DaySpan,
  now: Date,
  latestYear: number,
  isEligible: (part: DaySpan) => boolean,
): MissingRule[] {
  const lacking = yearsOf(span)
    .filter(({ part }) => !isEligible(part))
    .map(({ year, part }) => {
      const ofYear = applications.filter(({ application }) => application.year === year);
      return { year, part, missing: ofYear.flatMap((application) => missingOf(application, part, now, successors)) };
    });
  const ofPapers = missingPapers(
    profile,
    papers,
    lacking.map(({ part }) => part),
  );
  const without = lacking.filter(({ missing }) => missing.length === 0);
  return [
    ...lacking.flatMap(({ missing }) => missing),
    // Papers replace the licence of every year.
    ...(ofPapers.length > 0 ? [] : without.map(({ year }) => missingLicence(year, now, latestYear))),
    ...ofPapers,
  ];
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
  const rule = { rule: 'licence', applicationId: null, waiting_for: 'owner', year } as const;
  if (year > latestYear) return { ...rule, fix: null, notBefore: opensOn(year, now) };
  return { ...rule, fix: { method: 'POST', path: '/applications' } };
}

function missingOf(record: ApplicationRecord, span: DaySpan, now: Date, successors: readonly Successor[]): MissingRule[] {
  const facts = readinessFactsOf(record, now);
  const applicationId = record.id;
  const isInForce = record.application.status === 'approved' && !needsCorrection(facts);
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
      if (!ok && !unmet.has(rule)) {
        const step = isInForce ? renewalOf(rule, facts, span, successors) : null;
        unmet.set(rule, { rule, applicationId, waiting_for, fix: inOrder.has(rule) ? null : fix, ...step });
      }
  // Also before a document that is valid now can be renewed for a later day.
  if (record.application.status !== 'approved' && isReady(assessReadiness(facts)))
    unmet.set('decision', { rule: 'decision', applicationId, waiting_for: 'administrator', fix: reviewFix });
  return [...unmet.values()];
}

/** A document of the profile that may replace one behind a certificate in force. */
interface Successor {
  id: number;
  profileId: number;
  type: string;
  status: DocumentStatus;
  expiresAt: string | null;
}

/**
 * Returns the step that renews a document which is valid now but not on some day of the span. Only an approved one may take its place
 * (APP-10), so it is sent and approved first. Null for a rule that is not of a document, or with an approved one to exchange.
 */
function renewalOf(
  rule: string,
  { documents, requiredDocuments, profile }: ReadinessFacts,
  span: DaySpan,
  successors: readonly Successor[],
): Pick<MissingRule, 'waiting_for' | 'fix'> | null {
  const types =
    requiredDocuments.find(({ code }) => code === rule)?.types ??
    documents.filter(({ id }) => rule === `document:${id}`).map(({ type }) => type);
  if (types.length === 0) return null;
  const fitting = successors.filter(
    (document) =>
      document.profileId === profile.id &&
      types.some((type) => type === document.type) &&
      !documents.some(({ id }) => id === document.id) &&
      !isExpiredOn(document, span.last),
  );
  if (fitting.some(({ status }) => status === 'approved')) return null;
  return fitting.length > 0 ? { waiting_for: 'administrator', fix: reviewFix } : { waiting_for: 'owner', fix: documentFix };
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

/** Lists the papers of another federation that are not approved and valid on all lacking days, and a profile that is not approved (REG-3). */
function missingPapers(profile: Candidate['profile'], papers: readonly ForeignPaper[], lacking: readonly DaySpan[]): MissingRule[] {
  const last = lacking.at(-1)?.last;
  if (last === undefined || papers.length === 0) return [];
  const missing = foreignPapers
    .filter((type) => !hasPaper(type, 'approved'))
    .map((type): MissingRule => {
      const isWaiting = hasPaper(type, 'pending');
      return {
        rule: type,
        applicationId: null,
        waiting_for: isWaiting ? 'administrator' : 'owner',
        fix: isWaiting ? reviewFix : documentFix,
      };
    });
  return [...ofProfile(), ...missing];

  function hasPaper(type: string, status: DocumentStatus): boolean {
    return papers.some((paper) => paper.type === type && paper.status === status && !isExpiredOn(paper, last ?? ''));
  }

  /** Papers need no approved photo, but the data is submitted together with one. */
  function ofProfile(): MissingRule[] {
    if (profile.status === 'approved') return [];
    const rules = assessProfile(profile).filter(({ ok, rule, waiting_for }) => !ok && (rule === 'profile' || waiting_for === 'owner'));
    return rules.map(({ rule, waiting_for, fix }) => ({ rule, applicationId: null, waiting_for, fix }));
  }
}

/** An athlete of an account, with the records that a registration may use. */
export interface Candidate {
  profile: Pick<Profile, 'id' | 'name'> & SteppedProfile;
  /** Live applications whose service and discipline fit the event. */
  applications: ApplicationRecord[];
  /** Issued certificates of these applications, and closed ones that are dated for a day of the event, which a batch accepts too. */
  licences: Readonly<CertificateValidity>[];
  /** Papers of another federation, without refused ones. */
  papers: ForeignPaper[];
  /** Documents in review or approved, where a certificate needs another one before the event ends. */
  successors: Successor[];
}

/** Finds the athletes of an account with their records for a discipline. Five statements for any number of athletes, and one more to renew documents. */
export async function findCandidates(db: Database, ownerId: number, { span, disciplineId }: JudgedEvent): Promise<Candidate[]> {
  const [profiles, papers, rows] = await Promise.all([
    db
      .selectFrom('profiles')
      .select(['id', 'name', 'kind', 'status', 'photoStatus', 'photoId', 'isCorrected', 'isPhotoCorrected'])
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
  const successors = await findSuccessors(db, applications, span);
  return profiles.map((profile) => {
    const own = applications.filter(({ application }) => application.profileId === profile.id);
    return {
      profile,
      applications: own.filter(({ application }) => livingStatuses.some((status) => status === application.status)),
      licences: own.flatMap(({ id }) => licences.get(id) ?? []),
      papers: papers.filter(({ profileId }) => profileId === profile.id),
      successors: successors.filter(({ profileId }) => profileId === profile.id),
    };
  });
}

/** Finds what may replace the documents behind certificates that end before an event does. */
async function findSuccessors(db: Database, applications: readonly ApplicationRecord[], { first, last }: DaySpan): Promise<Successor[]> {
  const renewed = applications.filter(
    ({ application, documents }) =>
      application.status === 'approved' && documents.some(({ expiresAt }) => expiresAt !== null && expiresAt < last),
  );
  if (renewed.length === 0) return [];
  return db
    .selectFrom('documents as d')
    .innerJoin('files as f', 'f.id', 'd.fileId')
    .where('d.profileId', '=', inList([...new Set(renewed.map(({ application }) => application.profileId))]))
    .where('d.status', '=', inList(['pending', 'approved'] as const))
    .where((eb) => eb.or([eb('d.expiresAt', 'is', null), eb('d.expiresAt', '>=', first)]))
    .where('f.deletedAt', 'is', null)
    .select(['d.id', 'd.profileId', 'd.type', 'd.status', 'd.expiresAt'])
    .orderBy('d.id')
    .execute();
}

/** Presents the choices of a registration for an event, with each athlete's licences and eligibility (REG-18). */
export async function presentOptions(
  db: Database,
  { id, event, settings }: EventRecord,
  candidates: readonly Candidate[],
  now: Date,
): Promise<z.input<typeof optionsResponse>> {
  const { classes, vehicleFields, crew } = settings ?? defaultSettings;
  const [latestYear, counts] = await Promise.all([latestOpenYear(db, now), countPlaces(db, id)]);
  const judgedEvent = { span: competitionSpan(event), disciplineId: event.disciplineId };
  const each = candidates.flatMap(({ profile, licences }) => licences.map((licence) => ({ profile, licence })));
  const judged = await judgeWhole(
    db,
    each.map(({ profile, licence }) => ({ event: judgedEvent, standing: { profile, licences: [licence], papers: [] } })),
    now,
  );
  const byLicence = new Map(each.map(({ licence }, index) => [licence.applicationId, judged[index]]));
  const places = presentPlaces(settings ?? defaultSettings, counts).map((place) => ({ ...place, next: nextIn(place) }));
  return { classes, vehicle_fields: vehicleFields, crew, places, profiles: candidates.map((candidate) => presentCandidate(candidate)) };

  /** As `shareOut` decides on a submission (REG-20). */
  function nextIn({ class: name, capacity, taken, waiting }: ClassPlaces): 'place' | 'waiting_list' | 'full' {
    if (capacity === null || (waiting === 0 && taken < capacity)) return 'place';
    return settings !== null && limitOf(settings, name)?.waitingList === true ? 'waiting_list' : 'full';
  }

  function presentCandidate(candidate: Candidate) {
    const { profile, licences, papers } = candidate;
    const isEligible = (span: DaySpan) => eligibilityOf({ ...judgedEvent, span }, { profile, licences, papers }, dayOf(now)).ok;
    const missing = missingFor(candidate, spanFrom(judgedEvent.span, dayOf(now)), now, latestYear, isEligible);
    return {
      profile_id: profile.id,
      name: profile.name,
      licences: licences.flatMap(({ applicationId, number }) => {
        const eligibility = byLicence.get(applicationId);
        return eligibility === undefined ? [] : [{ application_id: applicationId, number, eligibility: presentEligibility(eligibility) }];
      }),
      missing: missing.map(({ applicationId, rule, waiting_for, fix, year, notBefore }) => ({
        application_id: applicationId,
        rule,
        waiting_for,
        fix,
        ...(year === undefined ? {} : { year }),
        ...(notBefore === undefined ? {} : { not_before: notBefore }),
      })),
    };
  }
}
