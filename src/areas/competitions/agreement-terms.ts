import { formatDateTime } from '../../platform/date-time.ts';

/** What the contract of an event says of it, as it stood when the contract was made. */
export interface AgreementTerms {
  title: string;
  location: string;
  /** ISO 8601 instants. */
  startsAt: string;
  endsAt: string;
  /** Null where the contract does not say it. */
  disciplineId: number | null;
}

/** What a contract says of its event, by the names of the event's own fields. */
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

/** The fields in which an event differs from its contract; none without a contract. */
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

/** Instants are shown in whole seconds, so what is sent back as it was shown is the same. */
function isOtherSecond(at: Date, said: string): boolean {
  return formatDateTime(at) !== formatDateTime(new Date(said));
}
