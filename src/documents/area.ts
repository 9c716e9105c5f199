import { fileDependents } from '../files/index.ts';
import type { Area } from '../http/define-area.ts';
import { notificationKinds } from '../notifications/index.ts';
import { extend } from '../platform/extensions.ts';
import { dossierSections, ownedWithProfile, profileCounters, profileDependents } from '../profiles/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { documentFileDependents } from './file-dependents.ts';
import { documentsOfProfile } from './move-with-profile.ts';
import { documentNotifications } from './notifications.ts';
import { documentProcess } from './process.ts';
import { documentCounter, documentProfileDependents, documentSection } from './profile-dependents.ts';
import { documentQueueSource } from './queue-source.ts';
import { documentReviewable } from './reviewable.ts';
import { documentRoutes } from './routes.ts';

/** Scans of a profile with what they say of themselves, which administrators review and which expire. */
export const documentsArea: Area = {
  processes: [documentProcess],
  extensions: [
    extend(notificationKinds, documentNotifications),
    extend(fileDependents, documentFileDependents),
    extend(profileDependents, documentProfileDependents),
    extend(dossierSections, documentSection),
    extend(profileCounters, documentCounter),
    extend(reviewables, documentReviewable),
    extend(queueSources, documentQueueSource),
    extend(ownedWithProfile, documentsOfProfile),
  ],
  routes: () => documentRoutes,
};
