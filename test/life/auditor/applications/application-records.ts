export type Review = 'draft' | 'pending' | 'approved' | 'changes' | 'cancelled';

export interface Service {
  id: number;
  kind: 'national_certificate' | 'international_licence' | 'document' | 'event_fee';
  profileKind: 'athlete' | 'organizer';
  required: { code: string; types: string[]; onlyMinors: boolean }[];
  disciplineIds: number[];
  /** Its price is so many base indexes, for CIS so many more; null where CIS is not sold. */
  coefficient: number;
  cisCoefficient: number | null;
  isActive: boolean;
  /** The whole row, as administrators edit it. */
  row: Record<string, unknown>;
}

export interface Profile {
  id: number;
  ownerId: number;
  /** Accounts that it was transferred from. */
  formerOwnerIds: Set<number>;
  kind: 'athlete' | 'organizer';
  birthDate: string | null;
  /** Its data, as the owner and administrators have set it. */
  fields: Record<string, unknown>;
  photoId: string | null;
  data: Part;
  /** Null for a profile without a photo. */
  photo: Part | null;
  /** Its data, or a photo. */
  wasApproved: boolean;
}

/** Data or photo: each is reviewed by itself. */
export interface Part {
  status: Review;
  /** When it got its status. */
  since: Date;
  /** The note of the last decision stands until an approval. */
  note: string | null;
  hasNote: boolean;
}

export interface Document {
  id: number;
  profileId: number;
  type: string;
  status: 'pending' | 'approved' | 'changes' | 'cancelled' | 'expired';
  /** When it got its status. */
  since: Date;
  /** Of the last decision. */
  note: string | null;
  expiresAt: string | null;
  /** The day of the last decision. */
  decidedOn: string | null;
  fields: { number: string | null; country: string | null; issuedAt: string | null };
  fileId: string;
  /** Its file was deleted, and it got no other. */
  isFileGone: boolean;
}

export interface Application {
  id: number;
  profileId: number;
  serviceId: number;
  /** Null for a service without disciplines. */
  disciplineId: number | null;
  year: number;
  amount: number;
  status: 'draft' | 'submitted' | 'changes' | 'approved' | 'cancelled' | 'closed';
  /** Of the last decision; null for another reason. */
  note: string | null;
  /** Discipline, territory, team and sport, as the owner has set them. */
  data: Record<string, unknown>;
  /** When it began to wait for a decision: its submission or its payment, whichever came later. */
  since: Date;
  isPaid: boolean;
  /** The account whose wallet paid. */
  payerId: number | null;
  documentIds: number[];
  /** Documents of an approved one were replaced, and it was not submitted again. */
  mustResubmit: boolean;
  /** The owner shows its documents to readers of the QR. */
  isShared: boolean;
  certificate: Certificate | null;
}

export interface Certificate {
  number: string;
  validFrom: string;
  validUntil: string;
  token: string;
  /** Last, first and middle name of the issue; later corrections leave them (APP-14). */
  holder: (string | null)[];
  /** Of the holder at the issue; null without one. */
  birthDate: string | null;
  /** Of the photo of the issue, as it is stored. */
  photoSha256: string | null;
}
