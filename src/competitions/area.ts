import { applicationDependents } from '../applications/index.ts';
import { fileDependents } from '../files/index.ts';
import type { Area } from '../http/define-area.ts';
import { notificationKinds } from '../notifications/index.ts';
import { extend } from '../platform/extensions.ts';
import { ownedWithProfile, profileDependents } from '../profiles/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { additionalDocumentFileDependents } from './additional-document-file-dependents.ts';
import { additionalDocumentNotifications } from './additional-document-notifications.ts';
import { additionalDocumentQueueSource } from './additional-document-queue-source.ts';
import { additionalDocumentReviewable } from './additional-document-reviewable.ts';
import { additionalDocumentRoutes } from './additional-document-routes.ts';
import { agreementDraftRoutes } from './agreement-draft-routes.ts';
import { eventNotifications } from './event-notifications.ts';
import { eventStageQueueSource } from './event-queue-source.ts';
import { eventStageReviewable } from './event-reviewable.ts';
import { eventRoutes } from './event-routes.ts';
import { eventsOfProfile } from './move-with-profile.ts';
import { onFee, onProfile, onStageFile } from './on-lower-records.ts';
import { participantRoutes } from './participant-routes.ts';
import { eventProcess } from './process.ts';
import { publicCalendarRoutes } from './public-calendar-routes.ts';
import { publicPageRoutes } from './public-page-routes.ts';

/** Competitions: from an organizer's draft through its stages to the published results, and the public calendar. */
export const competitionsArea: Area = {
  processes: [eventProcess],
  extensions: [
    extend(notificationKinds, eventNotifications),
    extend(applicationDependents, onFee),
    extend(profileDependents, onProfile),
    extend(fileDependents, onStageFile),
    extend(reviewables, eventStageReviewable),
    extend(queueSources, eventStageQueueSource),
    extend(notificationKinds, additionalDocumentNotifications),
    extend(fileDependents, additionalDocumentFileDependents),
    extend(reviewables, additionalDocumentReviewable),
    extend(queueSources, additionalDocumentQueueSource),
    extend(ownedWithProfile, eventsOfProfile),
  ],
  // The public ones first: "public" is the id of no event.
  routes: () => [
    ...publicCalendarRoutes,
    ...publicPageRoutes,
    ...eventRoutes,
    ...additionalDocumentRoutes,
    ...participantRoutes,
    ...agreementDraftRoutes,
  ],
};
