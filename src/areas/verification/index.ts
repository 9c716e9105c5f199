import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { statusReaders } from '../credentials/index.ts';
import { presentStatuses } from './read-listed-statuses.ts';
import { gateRoutes } from './gate/routes.ts';
import { verificationRoutes } from './routes.ts';

/** The public verification. Reads records of lower areas and has none of its own. Judges the certificates of status lists. */
export const verificationArea: Area = {
  processes: [],
  extensions: [extend(statusReaders, presentStatuses)],
  routes: () => [...verificationRoutes, ...gateRoutes],
};

export {
  type CertificateReference,
  findCertificatesOfProfiles,
  findReferredCertificates,
  parseCertificateReference,
  parsePlainReference,
  type ReadableReference,
  type ReferredCertificate,
} from './find-certificate.ts';
export { type CertificateValidity, type PastValidity, readPastValidityOf, readValidityOf } from './read-validity.ts';
export { documentReasonOn, documentsBehindOn, stateOn, type VerificationState } from './validity.ts';
