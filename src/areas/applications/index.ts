import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { erasureBlockers } from '../../platform/erasure-blockers.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { serviceDependents } from '../catalog/index.ts';
import { changedRecords } from '../changes/index.ts';
import { documentDependents } from '../documents/index.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { dossierSections, ownedWithProfile, profileCounters, profileDependents } from '../profiles/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { reversibleMovements } from '../wallet/index.ts';
import {
  applicationChanges,
  applicationsCounter,
  applicationsOfProfile,
  applicationsSection,
  certificatesCounter,
  certificatesSection,
  onDocument,
  onFile,
  onProfile,
  onService,
} from './extensions.ts';
import { applicationNotifications } from './notifications.ts';
import { paymentReversal } from './payments/refund-application.ts';
import { applicationsImpersonalRecords, applicationsRecords } from './personal-data.ts';
import { applicationProcess } from './process.ts';
import { applicationQueueSource, applicationReviewable } from './reviewable.ts';
import { applicationRoutes } from './routes.ts';
import { openApplication } from './erasure-blockers.ts';

/** Requests for services: from draft, payment and approval to the certificate and the end of the year. */
export const applicationsArea: Area = {
  processes: [applicationProcess],
  extensions: [
    extend(changedRecords, applicationChanges),
    extend(notificationKinds, applicationNotifications),
    extend(serviceDependents, onService),
    extend(fileDependents, onFile),
    extend(profileDependents, onProfile),
    extend(documentDependents, onDocument),
    extend(dossierSections, applicationsSection),
    extend(dossierSections, certificatesSection),
    extend(profileCounters, applicationsCounter),
    extend(profileCounters, certificatesCounter),
    extend(reviewables, applicationReviewable),
    extend(queueSources, applicationQueueSource),
    extend(ownedWithProfile, applicationsOfProfile),
    extend(reversibleMovements, paymentReversal),
    extend(personalRecords, applicationsRecords),
    extend(erasureBlockers, openApplication),
    extend(impersonalRecords, applicationsImpersonalRecords),
  ],
  routes: () => applicationRoutes,
};

export { takeNumber } from './approve-application.ts';
export { issueCredentials } from './certificates/issue-credentials.ts';
export { makeCertificate, qrTextOf } from './certificates/make-certificate.ts';
export { type ApplicationDependents, applicationDependents } from './command-parts.ts';
export { type Application, ApplicationEntity, type CertificateSnapshot, type HolderNames } from './entities.ts';
export { closeEventFee, openEventFee } from './payments/event-fee.ts';
export { applicationProcess } from './process.ts';
export { findApplication, findApplications } from './queries.ts';
export { adultAge } from '../catalog/index.ts';
export {
  assessProfile,
  assessReadiness,
  factsOf as readinessFactsOf,
  isReady,
  needsCorrection,
  type ReadinessFacts,
  type ReadinessRule,
} from './readiness/readiness.ts';
export type { ApplicationRecord } from './record.ts';
export {
  allowedActions,
  type ApplicationAction,
  type ApplicationStatus,
  applicationStatuses,
  isIssued,
  issuedStatuses,
  livingStatuses,
} from './states.ts';
export { applicationResponse, applicationStatus, presentApplication, readinessRule, reviewOf, verificationUrl } from './wire.ts';
export { latestOpenYear, opensOn } from './year.ts';
export { personalApplications } from './personal-data.ts';
