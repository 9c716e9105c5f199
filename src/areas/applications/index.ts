import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { serviceDependents } from '../catalog/index.ts';
import { documentDependents } from '../documents/index.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { dossierSections, ownedWithProfile, profileCounters, profileDependents } from '../profiles/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { reversibleMovements } from '../wallet/index.ts';
import {
  onDocument,
  onFile,
  onProfile,
  onService,
  applicationsCounter,
  applicationsSection,
  certificatesCounter,
  certificatesSection,
  applicationsOfProfile,
} from './extensions.ts';
import { applicationNotifications } from './notifications.ts';
import { paymentReversal } from './payments/refund-application.ts';
import { applicationProcess } from './process.ts';
import { applicationQueueSource, applicationReviewable } from './reviewable.ts';
import { applicationRoutes } from './routes.ts';

/** Requests for services: from draft, payment and approval to the certificate and the end of the year. */
export const applicationsArea: Area = {
  processes: [applicationProcess],
  extensions: [
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
  ],
  routes: () => applicationRoutes,
};

export { takeNumber } from './approve-application.ts';
export { applicationDependents } from './record-step.ts';
export type { ApplicationDependents } from './record-step.ts';
export { closeEventFee, openEventFee } from './payments/event-fee.ts';
export { reviewOf } from './certificates/certificate-review.ts';
export { ApplicationEntity } from './entities.ts';
export type { Application, CertificateSnapshot, HolderNames } from './entities.ts';
export { makeCertificate } from './certificates/make-certificate.ts';
export { presentApplication, verificationUrl } from './wire.ts';
export { applicationProcess } from './process.ts';
export { findApplication, findApplications } from './queries.ts';
export { adultAge, assessReadiness, isReady, factsOf as readinessFactsOf } from './readiness.ts';
export type { ReadinessFacts, ReadinessRule } from './readiness.ts';
export type { ApplicationRecord } from './record.ts';
export { applicationResponse, readinessRule } from './wire.ts';
export { allowedActions, applicationStatuses, livingStatuses } from './states.ts';
export type { ApplicationAction, ApplicationStatus } from './states.ts';
