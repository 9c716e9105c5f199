import { dayOf, endOfDay, startOfDay } from '../../../platform/time/date-time.ts';
import type { ServiceKind } from '../../catalog/index.ts';
import { type DocumentStatus, isExpiredOn } from '../../documents/index.ts';
import type { ReviewStatus } from '../../profiles/index.ts';
import {
  type CertificateValidity,
  documentReasonOn,
  documentsBehindOn,
  stateOn,
  type VerificationState,
} from '../../verification/index.ts';
import type { DaySpan } from '../events/dates.ts';

/** Why an athlete is not eligible on a day. */
export const eligibilityCodes = [
  /** Neither a licence nor both papers of another federation. */
  'licence_missing',
  /** Of another kind, of another discipline, or of another profile. */
  'licence_not_fitting',
  'licence_not_started',
  'licence_expired',
  'licence_annulled',
  'licence_under_correction',
  'licence_under_review',
  'licence_unpaid',
  'licence_incomplete',
  /** A document of the licence or a paper of another federation; `document_id` names it. */
  'document_expired',
  'document_not_approved',
  /** For papers of another federation only: the validity of a licence already covers its profile. */
  'profile_not_approved',
] as const;
export type EligibilityCode = (typeof eligibilityCodes)[number];

/** One reason on consecutive days, `YYYY-MM-DD` in UTC+5. */
export interface EligibilityReason {
  code: EligibilityCode;
  day: string;
  /** The last of these days; equals `day` for a single day. */
  untilDay: string;
  documentId: number | null;
}

/** A reason on the judged day. `state`: of the licence that gives it; null for papers and without a licence. */
interface Reason extends Pick<EligibilityReason, 'code' | 'documentId'> {
  state: LicenceState | null;
}
export type LicenceState = Exclude<VerificationState, 'valid'>;

/** A reason with the state of its licence on the first of its days. */
interface JudgedReason extends EligibilityReason {
  state: LicenceState | null;
}

/** Eligibility today and on the days still to come. */
export interface Eligibility {
  ok: boolean;
  /** Ordered by first day; empty when eligible on all these days. */
  reasons: readonly JudgedReason[];
}

/** Eligibility on every day of an event. */
export interface WholeEligibility extends Eligibility {
  /** Reasons of the days gone by, ordered by first day. */
  past: readonly JudgedReason[];
}

export type Licence = Pick<CertificateValidity, 'applicationId' | 'kind' | 'disciplineId' | 'profileId' | 'validity'>;

/** A paper of another federation that is attached to the registration. */
export interface ForeignPaper {
  id: number;
  type: string;
  status: DocumentStatus;
  /** `YYYY-MM-DD`, the last valid day. */
  expiresAt: string | null;
}

/** What decides eligibility: as it stands now, or as it stood on a past day. */
export interface Standing {
  profile: { id: number; status: ReviewStatus };
  licences: readonly Licence[];
  papers: readonly ForeignPaper[];
}

/** How things stood at the end of a day, until the day of the next one. */
export interface PastStanding extends Standing {
  day: string;
}

/** The days of an event and the discipline that a licence must fit. */
export interface JudgedEvent {
  span: DaySpan;
  disciplineId: number;
}

/** Both together replace a licence (REG-3). */
export const foreignPapers = ['naf_permission', 'foreign_naf_license'] as const;

export const fittingKinds: ReadonlySet<ServiceKind> = new Set(['national_certificate', 'international_licence']);

/** Whether a licence fits a registration: its kind, its discipline and its profile (REG-3). */
export function fits(
  licence: Pick<Licence, 'kind' | 'disciplineId' | 'profileId'>,
  { disciplineId, profileId }: { disciplineId: number; profileId: number },
): boolean {
  const isOfDiscipline = licence.disciplineId === null || licence.disciplineId === disciplineId;
  return fittingKinds.has(licence.kind) && isOfDiscipline && licence.profileId === profileId;
}

/**
 * Judges today and the days of an event still to come by what holds now (REG-4): each needs a valid fitting licence, or both papers of
 * another federation. Pure. @param today `YYYY-MM-DD`
 */
export function eligibilityOf(event: JudgedEvent, standing: Standing, today: string): Eligibility {
  const reasons = reasonsOver(event, [{ span: spanFrom(event.span, today), standing }]);
  return { ok: reasons.length === 0, reasons };
}

/**
 * Judges the days of an event gone by, each by what held on that day (REG-4): a later annulment or return does not reach back. Pure.
 * @param past the earliest first, the first one of the event's first day or earlier
 */
export function pastReasonsOf(event: JudgedEvent, past: readonly PastStanding[], today: string): readonly JudgedReason[] {
  const { first, last } = spanUntil(event.span, today);
  return reasonsOver(
    event,
    past.map((standing, index) => {
      const next = past[index + 1];
      const until = next === undefined ? last : dayBefore(next.day);
      return { standing, span: { first: standing.day > first ? standing.day : first, last: until < last ? until : last } };
    }),
  );
}

/** Returns the days from today on; empty when all have gone by. */
export function spanFrom({ first, last }: DaySpan, today: string): DaySpan {
  return { first: first > today ? first : today, last };
}

/** Returns the days before today; empty when none has gone by. */
export function spanUntil({ first, last }: DaySpan, today: string): DaySpan {
  return { first, last: last < today ? last : dayBefore(today) };
}

/** Lists the reasons on consecutive spans. Evaluates each part of a span without a change once. */
function reasonsOver(event: JudgedEvent, spans: readonly { span: DaySpan; standing: Standing }[]): JudgedReason[] {
  const reasons: JudgedReason[] = [];
  let previous = new Map<string, JudgedReason>();
  for (const { span, standing } of spans)
    for (const { first, last } of partsOf(span, changesOf(standing))) {
      const current = new Map<string, JudgedReason>();
      for (const reason of reasonsOn(first, event, standing)) {
        const key = keyOf(reason);
        if (current.has(key)) continue;
        const continued = previous.get(key);
        const judged = continued ?? { ...reason, day: first, untilDay: last };
        if (continued === undefined) reasons.push(judged);
        judged.untilDay = last;
        current.set(key, judged);
      }
      previous = current;
    }
  return reasons;
}

/** Lists the days whose result may differ from the day before. */
function changesOf({ licences, papers }: Standing): string[] {
  const documents = [...papers, ...licences.flatMap(({ validity }) => validity.documents)];
  return [
    ...licences.flatMap(({ validity }) => [validity.validFrom, dayAfter(validity.validUntil)]),
    ...documents.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [dayAfter(expiresAt)])),
    // A consent is no longer required (APP-20).
    ...licences.flatMap(({ validity }) => validity.documents.flatMap(({ countsUntil }) => countsUntil ?? [])),
  ];
}

function reasonsOn(day: string, { disciplineId }: JudgedEvent, standing: Standing): Reason[] {
  const { licences, papers, profile } = standing;
  const hasPapers = foreignPapers.every((type) => papers.some((paper) => paper.type === type));
  const fitting = licences.filter((licence) => fits(licence, { disciplineId, profileId: profile.id }));
  const byLicence = fitting.length > 0 ? reasonsOfLicences(day, fitting) : null;
  const byPapers = hasPapers ? reasonsOfPapers(day, standing) : null;
  if (byLicence?.length === 0 || byPapers?.length === 0) return [];
  const reasons = [...(byLicence ?? []), ...(byPapers ?? [])];
  if (reasons.length > 0) return reasons;
  return [{ code: licences.length > 0 ? 'licence_not_fitting' : 'licence_missing', documentId: null, state: null }];
}

/** Judges the licences whose dates contain the day, or all when none does. Empty when one is valid. */
function reasonsOfLicences(day: string, licences: readonly Licence[]): Reason[] {
  const dated = licences.filter(({ validity }) => validity.validFrom <= day && day <= validity.validUntil);
  const judged = (dated.length > 0 ? dated : licences).map((licence) => reasonsOfLicence(day, licence));
  return judged.some((reasons) => reasons.length === 0) ? [] : judged.flat();
}

function reasonsOfLicence(day: string, { validity }: Licence): Reason[] {
  const state = stateOn(validity, day);
  switch (state) {
    case 'valid':
      return [];
    case 'under_correction':
    case 'under_review': {
      const documents = documentsBehindOn(validity, day).flatMap((document) => reasonsOfDocument(day, document, state));
      return documents.length > 0 ? documents : [{ code: `licence_${state}`, documentId: null, state }];
    }
    // An issued licence is never a draft; an incomplete one is reported so.
    case 'draft':
      return [{ code: 'licence_incomplete', documentId: null, state }];
    case 'expired':
    case 'not_started':
    case 'annulled':
    case 'unpaid':
    case 'incomplete':
      return [{ code: `licence_${state}`, documentId: null, state }];
  }
}

/** One valid paper of each type suffices; further papers of that type do no harm. */
function reasonsOfPapers(day: string, { papers, profile }: Standing): Reason[] {
  const reasons: Reason[] = profile.status === 'approved' ? [] : [{ code: 'profile_not_approved', documentId: null, state: null }];
  for (const type of foreignPapers) {
    const judged = papers.filter((paper) => paper.type === type).map((paper) => reasonsOfDocument(day, paper, null));
    if (!judged.some((found) => found.length === 0)) reasons.push(...judged.flat());
  }
  return reasons;
}

function reasonsOfDocument(
  day: string,
  document: { id: number; status: DocumentStatus; expiresAt: string | null },
  state: LicenceState | null,
): [] | [Reason] {
  if (documentReasonOn(document, day) === null) return [];
  return [{ code: isExpiredOn(document, day) ? 'document_expired' : 'document_not_approved', documentId: document.id, state }];
}

function keyOf({ code, documentId }: Reason): string {
  return `${code} ${documentId ?? ''}`;
}

/**
 * Splits a span at its changes, so that a rule is evaluated once for each part, not for each day.
 * @param changes days whose facts differ from the day before, in any order
 */
export function partsOf({ first, last }: DaySpan, changes: readonly string[]): DaySpan[] {
  if (first > last) return [];
  const starts = [...new Set([first, ...changes])].filter((day) => first <= day && day <= last).toSorted();
  return starts.map((start, index) => {
    const next = starts[index + 1];
    return { first: start, last: next === undefined ? last : dayBefore(next) };
  });
}

/** Returns the day after a last valid day. */
export function dayAfter(day: string): string {
  return dayOf(endOfDay(day));
}

function dayBefore(day: string): string {
  return dayOf(new Date(startOfDay(day).getTime() - 1));
}
