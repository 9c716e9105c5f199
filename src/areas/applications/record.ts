import type { LocalizedText } from '../../http/language.ts';
import { dayOf } from '../../platform/date-time.ts';
import type { ProfileKind, RequiredDocument, ServiceKind } from '../catalog/index.ts';
import type { Reminded } from '../documents/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import type { Application, CertificateSnapshot, HolderNames } from './entities.ts';
import type { AttachedDocument, ReadinessFacts } from './readiness.ts';
import { isLiving } from './states.ts';

/**
 * An application with everything that responses, readiness rules and certificate need, from one read.
 *
 * In a command `application` is the locked row itself (`lock-application.ts`), so every holder of the record sees its changes.
 */
export interface ApplicationRecord extends ApplicationFacts {
  id: number;
  application: Readonly<Application>;
}

/** The records behind an application; read by one statement. */
export interface ApplicationFacts {
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
  /** Balance of the owner's wallet, tiyn. */
  balanceMinor: number;
  /** Whether an invoice of the owner waits for the bank's confirmation. */
  hasInvoiceAtBank: boolean;
}

/** The part of the profile that readiness and certificate use. */
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
  /** Null for an organizer, which has a single name. */
  names: HolderNames | null;
}

export interface IssuedCertificate {
  number: string;
  token: string;
  validFrom: string;
  validUntil: string;
  snapshot: CertificateSnapshot;
  issuedAt: Date;
  /** Null until the PDF is stored. */
  pdf: { storageKey: string; sha256: string; size: number; madeAt: Date } | null;
}

/** Returns the reminder of an issued certificate while its application lives, otherwise null (APP-16). */
export function remindedOf({ application, certificate }: Pick<ApplicationRecord, 'application' | 'certificate'>): Reminded | null {
  if (certificate === null || !isLiving(application.status)) return null;
  return { lastDay: certificate.validUntil, remindAt: application.remindAt };
}

/** Builds the input of the readiness rules for the day of an instant (APP-4). */
export function factsOf(
  { application, service, profile, documents, balanceMinor, hasInvoiceAtBank }: ApplicationRecord,
  now: Date,
): ReadinessFacts {
  return {
    applicationId: application.id,
    kind: application.kind,
    status: application.status,
    isResubmissionDue: application.resubmissionDueSince !== null,
    year: application.year,
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
    requiredDocuments: service.requiredDocuments,
    documents,
    payment: { amountMinor: application.amountMinor, isPaid: application.paid, balanceMinor, hasInvoiceAtBank },
  };
}
