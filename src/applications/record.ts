import type { LocalizedText, ServiceKind } from '../catalog/entities.ts';
import type { PriceLine } from '../catalog/price.ts';
import type { RequiredDocument } from '../catalog/required-documents.ts';
import { dayOf } from '../platform/date-time.ts';
import type { ProfileKind, ReviewStatus } from '../profiles/states.ts';
import type { ApplicationData, CertificateSnapshot } from './entities.ts';
import type { AttachedDocument, ReadinessFacts } from './readiness.ts';
import type { ApplicationStatus } from './states.ts';

/** An application together with all that its answers, its conditions and its certificate ask; read by one query. */
export interface ApplicationRecord {
  id: number;
  ownerId: number;
  profileId: number;
  serviceId: number;
  disciplineId: number | null;
  kind: ServiceKind;
  year: number;
  data: ApplicationData;
  status: ApplicationStatus;
  amountMinor: number;
  insuranceCoverageMinor: number | null;
  breakdown: PriceLine[];
  paid: boolean;
  paidAt: Date | null;
  paymentTransactionId: number | null;
  refundTransactionId: number | null;
  reviewNote: string | null;
  sharingEnabled: boolean;
  sharingConfirmedAt: Date | null;
  revision: number;
  submittedAt: Date | null;
  /** Set while documents behind the issued certificate were replaced and not submitted. */
  resubmissionDueSince: Date | null;
  approvedAt: Date | null;
  cancelledAt: Date | null;
  closedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  service: {
    id: number;
    code: string;
    kind: ServiceKind;
    title: LocalizedText;
    category: string | null;
    requiredDocuments: RequiredDocument[];
  };
  discipline: { id: number; code: string; title: LocalizedText } | null;
  profile: HolderProfile;
  documents: AttachedDocument[];
  certificate: IssuedCertificate | null;
  /** What the owner's wallet holds, tiyn. */
  balanceMinor: number;
  /** Whether an invoice of the owner waits for the bank's word. */
  hasInvoiceAtBank: boolean;
}

/** What an application asks of its profile. */
export interface HolderProfile {
  id: number;
  kind: ProfileKind;
  name: string;
  status: ReviewStatus;
  photoStatus: ReviewStatus;
  photoId: string | null;
  isPhotoAvailable: boolean;
  birthDate: string | null;
  citizenship: string | null;
}

export interface IssuedCertificate {
  number: string;
  token: string;
  validFrom: string;
  validUntil: string;
  snapshot: CertificateSnapshot;
  issuedAt: Date;
  /** Null until the PDF lies in storage. */
  pdf: { storageKey: string; sha256: string; size: number; madeAt: Date } | null;
}

/** What the conditions of approval ask, on the day of an instant. */
export function factsOf(record: ApplicationRecord, now: Date): ReadinessFacts {
  const { profile } = record;
  return {
    applicationId: record.id,
    status: record.status,
    isResubmissionDue: record.resubmissionDueSince !== null,
    year: record.year,
    day: dayOf(now),
    profile: {
      id: profile.id,
      kind: profile.kind,
      status: profile.status,
      photoStatus: profile.photoStatus,
      hasPhoto: profile.photoId !== null,
      isPhotoAvailable: profile.isPhotoAvailable,
      birthDate: profile.birthDate,
    },
    requiredDocuments: record.service.requiredDocuments,
    documents: record.documents,
    payment: {
      amountMinor: record.amountMinor,
      isPaid: record.paid,
      balanceMinor: record.balanceMinor,
      hasInvoiceAtBank: record.hasInvoiceAtBank,
    },
  };
}
