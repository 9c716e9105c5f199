export const stageNames = ['agreement', 'details', 'regulations', 'results'] as const;
export type StageName = (typeof stageNames)[number];

export interface Stage {
  status: 'locked' | 'open' | 'submitted' | 'changes' | 'approved';
  fileId: string | null;
  /** Of the last decision, until an approval or another submission. */
  note: string | null;
}

/** A competition. Instants are milliseconds. */
export interface Event {
  id: number;
  profileId: number;
  serviceId: number;
  disciplineId: number;
  title: string;
  location: string;
  startsAt: number;
  endsAt: number;
  reserveAt: number | null;
  status: 'draft' | 'in_progress' | 'published' | 'completed' | 'cancelled';
  wasPublished: boolean;
  cancelReason: string | null;
  stages: Record<StageName, Stage>;
  feeId: number | null;
  settings: Intake | null;
}

/** The places of a class. */
export interface Limit {
  capacity: number | null;
  waitingList: boolean;
  offerHours: number;
}

export interface Intake {
  opensAt: number | null;
  /** Null for the start of the event. */
  closesAt: number | null;
  classes: string[];
  /** By class; one that is not there has no limit. */
  limits: Record<string, Limit>;
  crew: { roles: string[]; min: number; max: number };
  vehicleFields: { code: string; title: string; required: boolean }[];
  /** Of the export. */
  columns: string[];
}

/** A competition's bulletin, scheme or another document. */
export interface AdditionalDocument {
  id: number;
  eventId: number;
  fileId: string;
  title: string;
  status: 'pending' | 'approved' | 'changes' | 'cancelled';
  note: string | null;
}

/** What an agreement repeats of its competition. */
export type Terms = Pick<Event, 'title' | 'location' | 'startsAt' | 'endsAt' | 'disciplineId'>;

export interface Contract {
  id: number;
  eventId: number;
  number: string;
  version: number;
  status: 'generated' | 'pending' | 'confirmed' | 'rejected' | 'replaced' | 'cancelled';
  token: string;
  pages: number;
  originalSha256: string;
  /** Of the latest scan. */
  scanSha256: string | null;
  wasConfirmed: boolean;
  /** When it was made, its scan was sent or rejected, milliseconds. */
  since: number;
  templateId: number | undefined;
  signer: { name: string; position: string };
  terms: Terms;
  replacesId: number | null;
  replacedById: number | null;
  reason: string | null;
  /** Its organizer ended it, and no administrator has seen it since. */
  isUnseen: boolean;
}

/** A text of agreements; each change is a new version. */
export interface Template {
  id: number;
  title: string;
  body: string;
  isActive: boolean;
  isDefault: boolean;
  version: number;
}

/** What is public of an organizer, and what is not (EVT-17). */
export interface Organizer {
  organization: string;
  director: string;
}
