import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { changedRecords } from '../changes/index.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { dossierSections, ownedWithProfile, profileCounters, profileDependents } from '../profiles/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import {
  documentChanges,
  documentCounter,
  documentFileDependents,
  documentProfileDependents,
  documentQueueSource,
  documentReviewable,
  documentSection,
  documentsOfProfile,
} from './extensions.ts';
import { documentNotifications } from './notifications.ts';
import { documentsRecords } from './personal-data.ts';
import { documentProcess } from './process.ts';
import { documentRoutes } from './routes.ts';

/** Documents of a profile: scans with number and dates, which administrators review and which expire. */
export const documentsArea: Area = {
  processes: [documentProcess],
  extensions: [
    extend(changedRecords, documentChanges),
    extend(notificationKinds, documentNotifications),
    extend(fileDependents, documentFileDependents),
    extend(profileDependents, documentProfileDependents),
    extend(dossierSections, documentSection),
    extend(profileCounters, documentCounter),
    extend(reviewables, documentReviewable),
    extend(queueSources, documentQueueSource),
    extend(ownedWithProfile, documentsOfProfile),
    extend(personalRecords, documentsRecords),
  ],
  routes: () => documentRoutes,
};

export { documentDependents, type DocumentDependents } from './dependents.ts';
export { type Document, DocumentEntity } from './entities.ts';
export { daysUntil, isReminderDue, type Reminded, reminderAfter, reminderLook } from './expiry-reminders.ts';
export { documentProcess } from './process.ts';
export { findDocument, findDocuments, listDocumentsOfProfile } from './queries.ts';
export { type DocumentStatus, documentStatuses, hasExpired, isExpiredOn } from './states.ts';
export { correctDocumentBody, documentResponse, documentStatus, documentType, presentDocument, printedNumber } from './wire.ts';
