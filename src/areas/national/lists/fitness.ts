import { allowedActions, type ApplicationAction, type ApplicationStatus } from '../../applications/index.ts';
import type { ServiceKind } from '../../catalog/index.ts';
import type { NationalList } from '../lists.ts';

/** What the lists ask of an application. */
export interface ListFacts {
  kind: ServiceKind;
  status: ApplicationStatus;
  /** Paid, or nothing was to be paid. */
  isSettled: boolean;
  isIssued: boolean;
  /** The photo that its certificate was issued with lies in the registry. */
  isPhotoAvailable: boolean;
}

/**
 * Why an application does not belong into a list. `unknown`: there is none · `wrong_kind`: it is no national certificate ·
 * `not_reviewable`: no decision can be made on it, as on a draft or on what has ended · `not_approved`, `not_paid` · `not_issued`: it has
 * no certificate · `photo_missing`: nothing could be printed.
 */
export const listProblems = ['unknown', 'wrong_kind', 'not_reviewable', 'not_approved', 'not_paid', 'not_issued', 'photo_missing'] as const;
export type ListProblem = (typeof listProblems)[number];

/** Why a record cannot be exported: the same, or its photo lies in the registry and cannot be read as a picture. */
export const exportProblems = [...listProblems, 'photo_unreadable'] as const;
export type ExportProblem = (typeof exportProblems)[number];

/** What an administrator's decisions do to an application. */
const decided: ReadonlySet<ApplicationAction> = new Set(['approve', 'return', 'annul']);

/**
 * Everything that keeps an application out of a list, the most telling first; nothing where it fits (service.md "National certificate
 * lists"). Adding to a list and exporting it both ask here.
 * @param facts null for an id that no application has
 */
export function problemsOf(list: NationalList, facts: ListFacts | null): ListProblem[] {
  if (facts === null) return ['unknown'];
  if (facts.kind !== 'national_certificate') return ['wrong_kind'];
  if (list === 'review') return allowedActions(facts).some((action) => decided.has(action)) ? [] : ['not_reviewable'];
  const wanting: [ListProblem, boolean][] = [
    ['not_approved', facts.status !== 'approved'],
    ['not_paid', !facts.isSettled],
    ['not_issued', !facts.isIssued],
    ['photo_missing', list === 'print' && facts.isIssued && !facts.isPhotoAvailable],
  ];
  return wanting.filter(([, isWanting]) => isWanting).map(([problem]) => problem);
}
