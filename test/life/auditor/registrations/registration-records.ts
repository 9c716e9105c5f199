/** An athlete's request to take part in a competition. It belongs to the owner of its profile. */
export interface Registration {
  id: number;
  eventId: number;
  profileId: number;
  class: string;
  vehicle: Record<string, string>;
  crew: { role: string; registrationId: number }[];
  applicationIds: number[];
  /** Attached papers of another federation. */
  paperIds: number[];
  status: 'draft' | 'waiting' | 'offered' | 'submitted' | 'returned' | 'rejected' | 'approved' | 'withdrawn';
  /** Of one that waits: earlier ones have smaller numbers (REG-21). */
  queue: number | null;
  /** Of an offered place, milliseconds. */
  offeredUntil: number | null;
  /** Whether an offer ran out before. */
  missedOffer: boolean;
  startNumber: string | null;
  /** Of the last return or rejection. */
  reason: string | null;
  wasSubmitted: boolean;
  /** Of the last submission; of a saved draft, its attached papers. */
  snapshot: SnapshotDocument[];
  history: HistoryStep[];
  /** What both sides were last told: whether it is eligible. */
  isKnownEligible: boolean;
  /** Whether it was eligible when the auditor last looked, also within a step. */
  isSeenEligible: boolean;
  isToldOfCancellation: boolean;
}

export interface SnapshotDocument {
  document_id: number;
  type: string;
  expires_at: string | null;
  status: string;
}

export interface HistoryStep {
  status: Registration['status'];
  actor: 'athlete' | 'organizer' | 'registry';
  reason: string | null;
  start_number: string | null;
}

/** A line of an event's list of participants, by the certificate that it was entered with. */
export interface Participant {
  eventId: number;
  applicationId: number;
  profileId: number;
  number: string;
  /** As on the certificate (EVT-20). */
  name: string;
  category: string | null;
  startNumber: string | null;
  resultStatus: string;
  place: number | null;
  result: string | null;
}

/** A message between athlete and organizer. */
export interface Message {
  id: number;
  side: 'athlete' | 'organizer';
  text: string;
  isRead: boolean;
}

/** How often something was told: once for each fact, and at most once more for each that another followed at once. */
export interface Told {
  least: number;
  most: number;
}

/** What held at the end of a day gone by, for the eligibility of those who took part (REG-4). */
export interface DayFacts {
  /** By application with a certificate. */
  licences: Map<number, DayReason[]>;
  /** By paper of another federation. */
  papers: Map<number, DayReason[]>;
  approvedProfiles: Set<number>;
}

/** Why an athlete is not eligible on a day. */
export interface DayReason {
  code: string;
  documentId: number | null;
}
