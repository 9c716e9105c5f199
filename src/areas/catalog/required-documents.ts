import { dayOf, startOfDay } from '../../platform/time/date-time.ts';
import type { DocumentType, RequiredDocument } from './kinds.ts';

export const adultAge = 18;

/** The first day on which a person is an adult; for a birthday on 29 February, 1 March in years without that day. */
export function comesOfAgeOn(birthDate: string): string {
  return dayOf(startOfDay(`${Number(birthDate.slice(0, 4)) + adultAge}${birthDate.slice(4)}`));
}

/** What decides which documents a holder needs on a day (CAT-6). */
export interface Requirements {
  requiredDocuments: readonly RequiredDocument[];
  /** `YYYY-MM-DD`; null for an organizer. */
  birthDate: string | null;
}

/** Returns the documents that are required on a day; those `onlyMinors` apply to minors alone (CAT-6). */
export function requiredOn({ requiredDocuments, birthDate }: Requirements, day: string): RequiredDocument[] {
  const isMinor = birthDate !== null && day < comesOfAgeOn(birthDate);
  return requiredDocuments.filter((requirement) => !requirement.onlyMinors || isMinor);
}

/**
 * Returns the first day on which an attached document no longer counts, because every requirement that it fits has ended, such as the
 * consent of a person who has come of age (APP-20). Null when it always counts.
 */
export function countsUntil({ type }: { type: DocumentType }, { requiredDocuments, birthDate }: Requirements): string | null {
  const fitting = requiredDocuments.filter((requirement) => requirement.types.includes(type));
  if (fitting.length === 0 || fitting.some(({ onlyMinors }) => !onlyMinors)) return null;
  return birthDate === null ? dayBeforeAll : comesOfAgeOn(birthDate);
}

/** Whether an attached document counts on a day, by the day from which it does not. */
export function countsOn(until: string | null, day: string): boolean {
  return until === null || day < until;
}

const dayBeforeAll = '0000-01-01';
