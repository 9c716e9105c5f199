import { dayOf, endOfDay, startOfDay } from '../../platform/date-time.ts';
import type { ServiceKind } from '../catalog/index.ts';
import type { DaySpan } from '../competitions/index.ts';
import { type DocumentStatus, isExpiredOn } from '../documents/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import { type CertificateValidity, documentReasonOn, stateOn } from '../verification/index.ts';

/** Why a registration is not eligible on a day. */
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

/** A reason on the judged day. */
type Reason = Pick<EligibilityReason, 'code' | 'documentId'>;

export interface Eligibility {
  ok: boolean;
  /** Ordered by first day; empty when eligible on all days. */
  reasons: readonly EligibilityReason[];
}

export type Licence = Pick<CertificateValidity, 'kind' | 'disciplineId' | 'profileId' | 'validity'>;

/** A paper of another federation that is attached to the registration, in its current state. */
export interface ForeignPaper {
  id: number;
  type: string;
  status: DocumentStatus;
  /** `YYYY-MM-DD`, the last valid day. */
  expiresAt: string | null;
}

/** The current facts that decide a registration's eligibility. */
export interface EligibilityFacts {
  /** Days to judge: all days of the event, or the remaining ones. */
  span: DaySpan;
  /** Of the event. */
  disciplineId: number;
  profile: { id: number; status: ReviewStatus };
  licences: readonly Licence[];
  papers: readonly ForeignPaper[];
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
 * Judges whether a registration is eligible on each day of the span (REG-4): a fitting licence is valid, or both papers of another
 * federation are. Evaluates each part of the span without a change once. Pure.
 */
export function eligibilityOf(facts: EligibilityFacts): Eligibility {
  const reasons: EligibilityReason[] = [];
  let previous = new Map<string, EligibilityReason>();
  for (const { first, last } of partsOf(facts.span, changesOf(facts))) {
    const current = new Map<string, EligibilityReason>();
    for (const reason of reasonsOn(first, facts)) {
      const key = keyOf(reason);
      if (current.has(key)) continue;
      const continued = previous.get(key);
      const span = continued ?? { ...reason, day: first, untilDay: last };
      if (continued === undefined) reasons.push(span);
      span.untilDay = last;
      current.set(key, span);
    }
    previous = current;
  }
  return { ok: reasons.length === 0, reasons };
}

/** Lists the days whose result may differ from the day before. */
function changesOf({ licences, papers }: EligibilityFacts): string[] {
  const documents = [...papers, ...licences.flatMap(({ validity }) => validity.documents)];
  return [
    ...licences.flatMap(({ validity }) => [validity.validFrom, dayAfter(validity.validUntil)]),
    ...documents.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [dayAfter(expiresAt)])),
  ];
}

function reasonsOn(day: string, facts: EligibilityFacts): Reason[] {
  const { licences, papers, profile, disciplineId } = facts;
  const hasPapers = foreignPapers.every((type) => papers.some((paper) => paper.type === type));
  const fitting = licences.filter((licence) => fits(licence, { disciplineId, profileId: profile.id }));
  const byLicence = fitting.length > 0 ? reasonsOfLicences(day, fitting) : null;
  const byPapers = hasPapers ? reasonsOfPapers(day, facts) : null;
  if (byLicence?.length === 0 || byPapers?.length === 0) return [];
  const reasons = [...(byLicence ?? []), ...(byPapers ?? [])];
  if (reasons.length > 0) return reasons;
  return [{ code: licences.length > 0 ? 'licence_not_fitting' : 'licence_missing', documentId: null }];
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
      const documents = validity.documents.flatMap((document) => reasonsOfDocument(day, document));
      return documents.length > 0 ? documents : [{ code: `licence_${state}`, documentId: null }];
    }
    // An issued licence is never a draft; an incomplete one is reported so.
    case 'draft':
      return [{ code: 'licence_incomplete', documentId: null }];
    case 'expired':
    case 'not_started':
    case 'annulled':
    case 'unpaid':
    case 'incomplete':
      return [{ code: `licence_${state}`, documentId: null }];
  }
}

/** One valid paper of each type suffices; further papers of that type do no harm. */
function reasonsOfPapers(day: string, { papers, profile }: EligibilityFacts): Reason[] {
  const reasons: Reason[] = profile.status === 'approved' ? [] : [{ code: 'profile_not_approved', documentId: null }];
  for (const type of foreignPapers) {
    const judged = papers.filter((paper) => paper.type === type).map((paper) => reasonsOfDocument(day, paper));
    if (!judged.some((found) => found.length === 0)) reasons.push(...judged.flat());
  }
  return reasons;
}

function reasonsOfDocument(day: string, document: { id: number; status: DocumentStatus; expiresAt: string | null }): [] | [Reason] {
  if (documentReasonOn(document, day) === null) return [];
  return [{ code: isExpiredOn(document, day) ? 'document_expired' : 'document_not_approved', documentId: document.id }];
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
