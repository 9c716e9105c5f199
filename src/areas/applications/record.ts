import type { Locked } from '../../platform/database/lock.ts';
import type { CatalogDiscipline, CatalogService } from '../catalog/index.ts';
import type { Document } from '../documents/index.ts';
import type { Profile, SteppedProfile } from '../profiles/index.ts';
import type { InvoiceStatus } from '../wallet/index.ts';
import type { Application, CertificateSnapshot, HolderNames } from './entities.ts';

/**
 * An application with everything that responses, readiness rules and certificate need, from one read.
 *
 * In a command `application` is the locked row itself (`lockApplication`), so every holder of the record sees its changes.
 */
export interface ApplicationRecord extends ApplicationFacts {
  id: number;
  application: Readonly<Application>;
}

/** An application under its row lock: a command changes `application` and reads the rest. */
export interface LockedApplication extends ApplicationRecord {
  application: Locked<Application>;
}

/** The records behind an application; read by one statement. */
export interface ApplicationFacts {
  service: Pick<CatalogService, 'id' | 'code' | 'kind' | 'title' | 'category' | 'cisMrp' | 'requiredDocuments'>;
  discipline: CatalogDiscipline | null;
  profile: HolderProfile;
  documents: AttachedDocument[];
  certificate: IssuedCertificate | null;
  /** Balance of the owner's wallet, tiyn. */
  balanceMinor: number;
  /** The owner's newest open invoices, by status; some may have expired by the clock. */
  openInvoices: readonly OpenInvoice[];
}

/** An invoice that was not paid yet; amount in tiyn. */
export interface OpenInvoice {
  id: number;
  status: InvoiceStatus;
  amountMinor: number;
  expiresAt: Date;
}

/** A document attached to the application. */
export interface AttachedDocument extends Pick<Document, 'id' | 'type' | 'status' | 'expiresAt'> {
  isFileAvailable: boolean;
}

/** The part of the profile that readiness and certificate use. */
export interface HolderProfile extends Pick<Profile, 'id' | 'name'>, SteppedProfile {
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
