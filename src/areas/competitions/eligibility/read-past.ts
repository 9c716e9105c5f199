import { sql } from 'kysely';
import type { Database } from '../../../platform/database/database.ts';
import { dayOf } from '../../../platform/time/date-time.ts';
import type { DocumentStatus } from '../../documents/index.ts';
import type { ReviewStatus } from '../../profiles/index.ts';
import { type PastValidity, readPastValidityOf } from '../../verification/index.ts';
import type { DaySpan } from '../events/dates.ts';
import {
  eligibilityOf,
  type ForeignPaper,
  type JudgedEvent,
  type PastStanding,
  pastReasonsOf,
  spanUntil,
  type Standing,
  type WholeEligibility,
} from './eligibility.ts';

/** An athlete whose eligibility for an event is judged. */
export interface Judged {
  event: JudgedEvent;
  standing: Standing;
}

/** How a profile or a document stood at the end of a day, until the day of the next one. */
interface PastReview {
  day: string;
  status: DocumentStatus | ReviewStatus;
  expiresAt: string | null;
}

/** The history of the records behind some athletes, by id, the earliest first. */
export interface Histories {
  licences: ReadonlyMap<number, readonly PastValidity[]>;
  papers: ReadonlyMap<number, readonly PastReview[]>;
  profiles: ReadonlyMap<number, readonly PastReview[]>;
}

/**
 * Judges athletes on every day of their events (REG-4), in their order: days gone by by the history, the others by what holds now.
 *
 * Takes at most two statements for any number of athletes, and none while all events lie ahead.
 */
export async function judgeWhole(db: Database, judged: readonly Judged[], now: Date): Promise<WholeEligibility[]> {
  const today = dayOf(now);
  const begun = judged.filter(({ event }) => event.span.first < today);
  const histories = begun.length === 0 ? null : await readHistories(db, begun, today);
  return judged.map(({ event, standing }) => {
    const past = histories === null || event.span.first >= today ? [] : pastStandingsOf(event, standing, histories, today);
    return { ...eligibilityOf(event, standing, today), past: pastReasonsOf(event, past, today) };
  });
}

/**
 * Builds how things stood on the days of an event gone by, from the day of each change on. Pure.
 *
 * A paper without an entry did not exist yet. A licence or profile without a history is judged as it stands now.
 */
export function pastStandingsOf(event: JudgedEvent, standing: Standing, histories: Histories, today: string): PastStanding[] {
  const { first, last } = spanUntil(event.span, today);
  const { profile, licences, papers } = standing;
  const entries = [
    ...licences.flatMap(({ applicationId }) => histories.licences.get(applicationId) ?? []),
    ...papers.flatMap(({ id }) => histories.papers.get(id) ?? []),
    ...(papers.length === 0 ? [] : (histories.profiles.get(profile.id) ?? [])),
  ];
  const days = [...new Set([first, ...entries.map(({ day }) => day)])].filter((day) => first <= day && day <= last).toSorted();
  return days.map((day) => ({
    day,
    profile: { id: profile.id, status: statusOn(histories.profiles.get(profile.id), day) ?? profile.status },
    licences: licences.map((licence) => ({
      ...licence,
      validity: entryOn(histories.licences.get(licence.applicationId), day)?.validity ?? licence.validity,
    })),
    papers: papers.flatMap((paper): ForeignPaper[] => {
      const entry = entryOn(histories.papers.get(paper.id), day);
      // A standing of a document has a status of documents.
      return entry === undefined ? [] : [{ ...paper, status: entry.status as DocumentStatus, expiresAt: entry.expiresAt }];
    }),
  }));
}

function entryOn<Entry extends { day: string }>(entries: readonly Entry[] | undefined, day: string): Entry | undefined {
  return entries?.findLast((entry) => entry.day <= day);
}

function statusOn(entries: readonly PastReview[] | undefined, day: string): ReviewStatus | undefined {
  // A standing of a profile has a status of profiles.
  return entryOn(entries, day)?.status as ReviewStatus | undefined;
}

async function readHistories(db: Database, judged: readonly Judged[], today: string): Promise<Histories> {
  const daysOf = { licences: new Map<number, DaySpan>(), papers: new Map<number, DaySpan>(), profiles: new Map<number, DaySpan>() };
  for (const { event, standing } of judged) {
    const span = spanUntil(event.span, today);
    for (const { applicationId } of standing.licences) widen(daysOf.licences, applicationId, span);
    for (const { id } of standing.papers) widen(daysOf.papers, id, span);
    // Only papers need the profile: the validity of a licence already covers it.
    if (standing.papers.length > 0) widen(daysOf.profiles, standing.profile.id, span);
  }
  const [licences, reviews] = await Promise.all([
    readPastValidityOf(db, daysOf.licences),
    readPastReviews(db, [...asked('document', daysOf.papers), ...asked('profile', daysOf.profiles)]),
  ]);
  return { licences, papers: byId(reviews, 'document'), profiles: byId(reviews, 'profile') };
}

/** A record may be judged for several events; its history is read once for all their days. */
function widen(days: Map<number, DaySpan>, id: number, { first, last }: DaySpan): void {
  const known = days.get(id) ?? { first, last };
  days.set(id, { first: first < known.first ? first : known.first, last: last > known.last ? last : known.last });
}

interface AskedReview extends DaySpan {
  kind: 'document' | 'profile';
  id: number;
}

function asked(kind: AskedReview['kind'], days: ReadonlyMap<number, DaySpan>): AskedReview[] {
  return [...days].map(([id, span]) => ({ kind, id, ...span }));
}

interface ReviewRow extends PastReview {
  kind: AskedReview['kind'];
  id: number;
}

/** Reads the last entry of each record before the end of the first day, and its later ones (VER-4). Uses review_standings_subject_index. */
async function readPastReviews(db: Database, records: readonly AskedReview[]): Promise<ReviewRow[]> {
  if (records.length === 0) return [];
  const column = <Name extends keyof AskedReview>(name: Name) => records.map((record) => record[name]);
  const { rows } = await sql<ReviewRow>`
    select a.kind, a.id, greatest(a.first, (s.at at time zone interval '5 hours')::date::text) as day, s.status,
      s.expires_at::text as "expiresAt"
    from unnest(${column('kind')}::text[], ${column('id')}::int[], ${column('first')}::text[], ${column('last')}::text[])
      a (kind, id, first, last)
    cross join lateral (
      (select s.* from review_standings s
        where s.subject_kind = a.kind and s.subject_id = a.id and (s.at at time zone interval '5 hours')::date::text <= a.first
        order by s.id desc limit 1)
      union all
      select s.* from review_standings s
      where s.subject_kind = a.kind and s.subject_id = a.id
        and (s.at at time zone interval '5 hours')::date::text > a.first and (s.at at time zone interval '5 hours')::date::text <= a.last
    ) s
    order by s.id`.execute(db);
  return rows;
}

function byId(rows: readonly ReviewRow[], kind: AskedReview['kind']): ReadonlyMap<number, PastReview[]> {
  return Map.groupBy(
    rows.filter((row) => row.kind === kind),
    ({ id }) => id,
  );
}
