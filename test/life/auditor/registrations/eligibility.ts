import { countedOn, reasonOf, stateOn } from '../verification/verification.ts';
import { isPast } from '../applications/readiness.ts';
import type { Application, Document } from '../applications/application-records.ts';
import { addDays, dayOf } from '../days.ts';
import type { Model } from '../model.ts';
import type { DayFacts, DayReason } from './registration-records.ts';

/** Both together replace a licence (REG-3). */
export const foreignPapers = ['naf_permission', 'foreign_naf_license'] as const;

/** Who wants to take part in what, and with which papers. */
export interface Claim {
  profileId: number;
  event: { startsAt: number; endsAt: number; disciplineId: number };
  applicationIds: readonly number[];
  paperIds: readonly number[];
}

/** A reason on consecutive days, as the registry shows it. */
export interface Reason {
  code: string;
  day: string;
  until_day?: string;
  document_id?: number;
}

export interface Eligibility {
  ok: boolean;
  reasons: Reason[];
  /** Of days gone by; null when the auditor did not know the event on one of them. */
  past: Reason[] | null;
}

/**
 * The one judgement of eligibility (REG-3, REG-4): the days of the event from today on by what holds now, the days gone by by what held on
 * each. A licence that fits and is valid suffices, and so do both papers of another federation.
 */
export function judgeEligibility(model: Model, claim: Claim, today: string): Eligibility {
  const { first, last } = daysOf(claim.event);
  const reasons = spansOf(daysFrom(first > today ? first : today, last), (day) => reasonsOn(model, claim, day, present(model, claim, day)));
  const gone = daysFrom(first, last < today ? last : addDays(today, -1));
  const isKnown = gone.every((day) => model.dayFacts.has(day));
  const past = isKnown ? spansOf(gone, (day) => reasonsOn(model, claim, day, model.dayFacts.get(day) ?? null)) : null;
  return { ok: reasons.length === 0, reasons, past };
}

/** Whether nothing stands against it on any day, neither gone by nor to come; null when the auditor cannot know. */
export function isInOrder({ ok, past }: Eligibility): boolean | null {
  if (!ok) return false;
  return past && past.length === 0;
}

export function daysOf({ startsAt, endsAt }: { startsAt: number; endsAt: number }): { first: string; last: string } {
  return { first: dayOf(new Date(startsAt)), last: dayOf(new Date(endsAt)) };
}

function daysFrom(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** Whether a licence fits: its kind, its discipline and its profile (REG-3). */
export function fits(model: Model, application: Application, { event, profileId }: Claim): boolean {
  const kind = model.services.get(application.serviceId)?.kind;
  const isOfDiscipline = application.disciplineId === null || application.disciplineId === event.disciplineId;
  return (kind === 'national_certificate' || kind === 'international_licence') && isOfDiscipline && application.profileId === profileId;
}

/** Keeps what holds at the end of a day, and on the days after it up to another, for the days of events. */
export function rememberFacts(model: Model, from: string, until: string): void {
  for (const event of model.events.values()) {
    const { first, last } = daysOf(event);
    for (const day of daysFrom(first > from ? first : from, last < until ? last : addDays(until, -1)))
      if (!model.dayFacts.has(day)) model.dayFacts.set(day, factsOn(model, day));
  }
}

function factsOn(model: Model, day: string): DayFacts {
  const licences = [...model.applications.values()].filter(({ certificate }) => certificate !== null);
  const papers = [...model.documents.values()].filter(({ type }) => foreignPapers.some((paper) => paper === type));
  const approved = [...model.profiles.values()].filter(({ data }) => data.status === 'approved');
  return {
    licences: new Map(licences.map((application) => [application.id, reasonsOfLicence(model, application, day)])),
    papers: new Map(papers.map((paper) => [paper.id, reasonsOfPaper(paper, day)])),
    approvedProfiles: new Set(approved.map(({ id }) => id)),
  };
}

function present(model: Model, { applicationIds, paperIds, profileId }: Claim, day: string): DayFacts {
  const licences = applicationIds.flatMap((id) => model.applications.get(id) ?? []);
  const papers = paperIds.flatMap((id) => model.documents.get(id) ?? []);
  return {
    licences: new Map(licences.map((application) => [application.id, reasonsOfLicence(model, application, day)])),
    papers: new Map(papers.map((paper) => [paper.id, reasonsOfPaper(paper, day)])),
    approvedProfiles: new Set(model.profiles.get(profileId)?.data.status === 'approved' ? [profileId] : []),
  };
}

function reasonsOn(model: Model, claim: Claim, day: string, facts: DayFacts | null): DayReason[] {
  const named = claim.applicationIds.flatMap((id) => model.applications.get(id) ?? []);
  const fitting = named.filter((application) => fits(model, application, claim));
  const isDated = ({ certificate }: Application) => certificate !== null && certificate.validFrom <= day && day <= certificate.validUntil;
  const dated = fitting.filter(isDated);
  const judged = (dated.length > 0 ? dated : fitting).map(
    (application) => facts?.licences.get(application.id) ?? reasonsOfLicence(model, application, day),
  );
  if (judged.some((reasons) => reasons.length === 0)) return [];
  // A paper that was not there on that day is missing on it.
  const papers = claim.paperIds.flatMap((id) => {
    const [type, reasons] = [model.documents.get(id)?.type, facts?.papers.get(id)];
    return type === undefined || reasons === undefined ? [] : [{ type, reasons }];
  });
  const hasBoth = foreignPapers.every((type) => papers.some((paper) => paper.type === type));
  const ofPapers = hasBoth ? reasonsOfPapers(papers, facts?.approvedProfiles.has(claim.profileId) ?? false) : null;
  if (ofPapers?.length === 0) return [];
  const reasons = [...judged.flat(), ...(ofPapers ?? [])];
  if (reasons.length > 0) return reasons;
  return [{ code: named.length > 0 ? 'licence_not_fitting' : 'licence_missing', documentId: null }];
}

function reasonsOfPapers(papers: readonly { type: string; reasons: DayReason[] }[], isProfileApproved: boolean): DayReason[] {
  const reasons: DayReason[] = isProfileApproved ? [] : [{ code: 'profile_not_approved', documentId: null }];
  for (const type of foreignPapers) {
    const ofType = papers.filter((paper) => paper.type === type);
    if (ofType.every((paper) => paper.reasons.length > 0)) reasons.push(...ofType.flatMap((paper) => paper.reasons));
  }
  return reasons;
}

function reasonsOfPaper(document: Document, day: string): DayReason[] {
  if (reasonOf(document, day) === null) return [];
  return [{ code: isPast(document, day) ? 'document_expired' : 'document_not_approved', documentId: document.id }];
}

function reasonsOfLicence(model: Model, application: Application, day: string): DayReason[] {
  const state = stateOn(model, application, day);
  if (state === 'valid') return [];
  const documents = state.startsWith('under_')
    ? countedOn(model, application, day).flatMap((document) => reasonsOfPaper(document, day))
    : [];
  return documents.length > 0 ? documents : [{ code: `licence_${state}`, documentId: null }];
}

/** Joins equal reasons of consecutive days. */
function spansOf(days: readonly string[], reasonsOfDay: (day: string) => DayReason[]): Reason[] {
  const spans: Reason[] = [];
  let before = new Map<string, Reason>();
  for (const day of days) {
    const current = new Map<string, Reason>();
    for (const { code, documentId } of reasonsOfDay(day)) {
      const key = `${code} ${documentId}`;
      if (current.has(key)) continue;
      const going = before.get(key);
      if (going) going.until_day = day;
      const span = going ?? { code, day, ...(documentId === null ? {} : { document_id: documentId }) };
      if (!going) spans.push(span);
      current.set(key, span);
    }
    before = current;
  }
  return inOrder(spans);
}

/** Reasons in one order, whichever way they were found. */
export function inOrder(reasons: readonly Reason[]): Reason[] {
  const keyOf = ({ day, code, document_id: document = 0 }: Reason) => `${day} ${code} ${String(document).padStart(9, '0')}`;
  return reasons.toSorted((left, right) => keyOf(left).localeCompare(keyOf(right)));
}
