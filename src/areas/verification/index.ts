import type { Area } from '../../http/define-area.ts';
import { verificationRoutes } from './routes.ts';

/** The public verification. Reads records of lower areas and has none of its own. */
export const verificationArea: Area = { processes: [], extensions: [], routes: () => verificationRoutes };

export { parseCertificateReference } from './find-certificate.ts';
export type { CertificateReference } from './find-certificate.ts';
export { findCertificatesOfProfile } from './find-certificate.ts';
export { findReferredCertificate } from './find-certificate.ts';
export { firstInvalidDay } from './first-invalid-day.ts';
export type { InvalidDay } from './first-invalid-day.ts';
export { readValidityOf } from './read-validity.ts';
export type { CertificateValidity } from './read-validity.ts';
export { documentReasonOn, stateOn } from './validity.ts';
export type { VerificationState } from './validity.ts';
