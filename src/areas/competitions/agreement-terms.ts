import { formatDateTime } from '../../platform/date-time.ts';

/** The event's terms, copied into the contract when it was made. */
export interface AgreementTerms {
  title: string;
  location: string;
  /** ISO 8601 instants. */
  startsAt: string;
  endsAt: string;
  /** Null in contracts without a discipline. */
  disciplineId: number | null;
}

/** Fields of an event that its contract repeats. */
export const agreementFields = ['title', 'location', 'starts_at', 'ends_at', 'discipline_id'] as const;
export type AgreementField = (typeof agreementFields)[number];

interface Compared {
  title: string;
  location: string;
  startsAt: Date;
  endsAt: Date;
  disciplineId: number;
  /** Null without a live contract. */
  agreementTerms: AgreementTerms | null;
}

/** Returns the fields in which an event differs from its contract (EVT-6); none without a contract. */
export function differencesFromAgreement({ agreementTerms: terms, ...event }: Compared): AgreementField[] {
  if (terms === null) return [];
  const differs: Record<AgreementField, boolean> = {
    title: event.title !== terms.title,
    location: event.location !== terms.location,
    starts_at: isOtherSecond(event.startsAt, terms.startsAt),
    ends_at: isOtherSecond(event.endsAt, terms.endsAt),
    discipline_id: terms.disciplineId !== null && event.disciplineId !== terms.disciplineId,
  };
  return agreementFields.filter((field) => differs[field]);
}

/** Compares whole seconds, as the API shows them: a value that the client sends back unchanged is not a difference. */
function isOtherSecond(at: Date, copied: string): boolean {
  return formatDateTime(at) !== formatDateTime(new Date(copied));
}
