import { competitionSpan, type DaySpan, type EventStatus } from '../competitions/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import type { CertificateValidity } from '../verification/index.ts';
import { type Eligibility, eligibilityOf, type ForeignPaper } from './eligibility.ts';
import type { Registration, RegistrationDocument, RegistrationHistory } from './entities.ts';

/** A crew member: another registration of the same event (REG-14). */
export interface CrewMember {
  role: string;
  registrationId: number;
}

/**
 * A registration with the facts that its responses and its eligibility need. In a command `registration` is the locked row
 * (`lock-registration.ts`), so later readers of the record see the command's changes.
 */
export interface RegistrationRecord extends RegistrationFacts {
  id: number;
  registration: Readonly<Registration>;
}

/** Facts that a registration depends on. */
export interface RegistrationFacts {
  event: {
    id: number;
    /** The organizer. */
    ownerId: number;
    title: string;
    disciplineId: number;
    status: EventStatus;
    startsAt: Date;
    endsAt: Date;
  };
  profile: { id: number; name: string; status: ReviewStatus };
  /** Certificates in their current state, ordered by start. */
  licences: readonly CertificateValidity[];
  /** Attached papers of another federation, in their current state. */
  papers: readonly ForeignPaper[];
  /** The snapshot at submission (REG-10); for a draft, the attached papers when it was saved. */
  documents: readonly RegistrationDocument[];
  crew: readonly CrewMember[];
  /** Oldest first. */
  history: readonly Pick<RegistrationHistory, 'at' | 'status' | 'actor' | 'reason'>[];
}

/** Judges current eligibility on every day of the event (REG-4). @param span restricts the days */
export function eligibilityOfRecord(
  { event, profile, licences, papers }: Pick<RegistrationFacts, 'event' | 'profile' | 'licences' | 'papers'>,
  span: DaySpan = competitionSpan(event),
): Eligibility {
  return eligibilityOf({ span, disciplineId: event.disciplineId, profile, licences, papers });
}

/** Orders certificates by start. */
export function inOrder(licences: readonly CertificateValidity[]): CertificateValidity[] {
  return licences.toSorted((left, right) => (left.validity.validFrom < right.validity.validFrom ? -1 : 1));
}
