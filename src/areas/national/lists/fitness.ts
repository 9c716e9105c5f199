import { allowedActions, type ApplicationAction, type ApplicationStatus, isIssued } from '../../applications/index.ts';
import type { ServiceKind } from '../../catalog/index.ts';

/** Largest number of records in a list and in one operation on it (NAT-1). */
export const mostInList = 200;

/** The personal lists of an administrator (NAT-1). */
export const nationalLists = ['review', 'insurance', 'print'] as const;
export type NationalList = (typeof nationalLists)[number];

/** The lists that can be exported to a file. */
export const exportLists = ['insurance', 'print'] as const satisfies readonly NationalList[];
export type ExportList = (typeof exportLists)[number];

export const exportStatuses = ['pending', 'ready', 'failed'] as const;
export type ExportStatus = (typeof exportStatuses)[number];

/** The relation of a certificate to an export list; `listed`: it is in the caller's own list. */
export const exportRelations = ['not_exported', 'exported', 'listed'] as const;
export type ExportRelation = (typeof exportRelations)[number];

/** The facts that decide whether an application fits a list. */
export interface ListFacts {
  kind: ServiceKind;
  status: ApplicationStatus;
  /** Paid, or nothing was to be paid. */
  isSettled: boolean;
  /** A certificate was issued, annulled or not. */
  hasCertificate: boolean;
  /** The photo that its certificate was issued with is stored. */
  isPhotoAvailable: boolean;
}

/**
 * Why an application does not fit a list. `unknown`: it does not exist · `wrong_kind`: it is not for a national certificate ·
 * `not_reviewable`: its status allows no decision, such as a draft · `not_approved`: it was never approved, or is annulled · `not_paid` ·
 * `not_issued`: it has no certificate ·
 * `photo_missing`: the photo for the print is lost.
 */
export const listProblems = ['unknown', 'wrong_kind', 'not_reviewable', 'not_approved', 'not_paid', 'not_issued', 'photo_missing'] as const;
export type ListProblem = (typeof listProblems)[number];

/** Why a record cannot be exported: a list problem, or a stored photo that cannot be decoded. */
export const exportProblems = [...listProblems, 'photo_unreadable'] as const;
export type ExportProblem = (typeof exportProblems)[number];

/** The actions that an administrator's decision can take. */
const decided: ReadonlySet<ApplicationAction> = new Set(['approve', 'return', 'annul']);

/**
 * Lists every problem of an application for a list, the most important first; empty when it fits (NAT-2). Used to add to a list and to
 * export it.
 * @param facts null when the application does not exist
 */
export function problemsOf(list: NationalList, facts: ListFacts | null): ListProblem[] {
  if (facts === null) return ['unknown'];
  if (facts.kind !== 'national_certificate') return ['wrong_kind'];
  if (list === 'review') return allowedActions(facts).some((action) => decided.has(action)) ? [] : ['not_reviewable'];
  const wanting: [ListProblem, boolean][] = [
    ['not_approved', facts.status !== 'approved' && !isIssued(facts)],
    ['not_paid', !facts.isSettled],
    ['not_issued', !facts.hasCertificate],
    ['photo_missing', list === 'print' && facts.hasCertificate && !facts.isPhotoAvailable],
  ];
  return wanting.filter(([, isWanting]) => isWanting).map(([problem]) => problem);
}
