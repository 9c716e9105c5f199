import { serviceDependents } from '../catalog/index.ts';
import { documentDependents } from '../documents/index.ts';
import { fileDependents } from '../files/index.ts';
import type { Area } from '../http/define-area.ts';
import { notificationKinds } from '../notifications/index.ts';
import { extend } from '../platform/extensions.ts';
import { dossierSections, ownedWithProfile, profileCounters, profileDependents } from '../profiles/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { reversibleMovements } from '../wallet/index.ts';
import { onDocument, onFile, onProfile, onService } from './dependents.ts';
import { applicationsCounter, applicationsSection, certificatesCounter, certificatesSection } from './dossier.ts';
import { applicationsOfProfile } from './move-with-profile.ts';
import { applicationNotifications } from './notifications.ts';
import { applicationProcess } from './process.ts';
import { applicationQueueSource } from './queue-source.ts';
import { paymentReversal } from './reverse-payment.ts';
import { applicationReviewable } from './reviewable.ts';
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
