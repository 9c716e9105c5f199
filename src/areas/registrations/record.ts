import { competitionSpan, type DaySpan, type EventStatus } from '../competitions/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import type { CertificateValidity } from '../verification/index.ts';
import { type Eligibility, eligibilityOf, type ForeignPaper } from './eligibility.ts';
import type { Registration, RegistrationDocument, RegistrationHistory } from './entities.ts';

/** Somebody else in the vehicle: another registration of the same event. */
export interface CrewMember {
  role: string;
  registrationId: number;
}

/**
 * A registration together with all that its answers and its eligibility ask: what was read of it once. In a command `registration` is the
 * locked row itself (`lock-registration.ts`), so what the command changes is seen by whoever is given the record.
 */
export interface RegistrationRecord extends RegistrationFacts {
  id: number;
  registration: Readonly<Registration>;
}

/** What a registration stands on. */
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
  /** Its certificates as they stand now, the one that begins first before the other. */
  licences: readonly CertificateValidity[];
  /** Another federation's papers that are attached to it, as they stand now. */
  papers: readonly ForeignPaper[];
  /** The snapshot: documents as they stood when it was submitted; of a draft those that are attached to it, as they stood when it was saved. */
  documents: readonly RegistrationDocument[];
  crew: readonly CrewMember[];
  /** Oldest first. */
  history: readonly Pick<RegistrationHistory, 'at' | 'status' | 'actor' | 'reason'>[];
}

/** Whether it stands on every day of its event as things are now. @param span only these of them */
export function eligibilityOfRecord(
  { event, profile, licences, papers }: Pick<RegistrationFacts, 'event' | 'profile' | 'licences' | 'papers'>,
  span: DaySpan = competitionSpan(event),
): Eligibility {
  return eligibilityOf({ span, disciplineId: event.disciplineId, profile, licences, papers });
}

/** Certificates one after the other, as they begin. */
export function inOrder(licences: readonly CertificateValidity[]): CertificateValidity[] {
  return licences.toSorted((left, right) => (left.validity.validFrom < right.validity.validFrom ? -1 : 1));
}
