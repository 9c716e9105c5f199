import type { Area } from '../../http/define-area.ts';
import { credentialsImpersonalRecords } from './personal-data.ts';
import { statusListProcess } from './process.ts';
import { credentialRoutes } from './routes.ts';
import { extend } from '../../platform/extensions.ts';
import { impersonalRecords } from '../../platform/personal-data.ts';

/** Certificates that verify without a network: signing keys, credentials, status lists. */
export const credentialsArea: Area = {
  processes: [statusListProcess],
  extensions: [extend(impersonalRecords, credentialsImpersonalRecords)],
  routes: () => credentialRoutes,
};

export { lastSecond } from './credential.ts';
export { drawPlace } from './draw-place.ts';
export { makeNextEdition, type StatusReader, statusReaders } from './make-edition.ts';
export { statusListProcess } from './process.ts';
export { findCredential, signCredential } from './sign-credential.ts';
export { addSigningKey, encryptKeysAnew, findSigningProblem, prepareSigningKeys } from './signing-keys.ts';
export { listedStatus, type ListedStatus } from './status-list.ts';
