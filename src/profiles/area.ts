import { fileDependents } from '../files/index.ts';
import type { Area } from '../http/define-area.ts';
import { notificationKinds } from '../notifications/index.ts';
import { extend } from '../platform/extensions.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { photoOfProfile } from './move-with-profile.ts';
import { profileNotifications, recordNotifications } from './notifications.ts';
import { ownedWithProfile } from './ownership-moves.ts';
import { photoDependents } from './photo-dependents.ts';
import { profileProcess } from './process.ts';
import { photoQueueSource, profileQueueSource } from './queue-sources.ts';
import { photoReviewable, profileReviewable } from './reviewables.ts';
import { profileRoutes } from './routes.ts';

/** Athletes and organizers, whose data and photo administrators review. */
export const profilesArea: Area = {
  processes: [profileProcess],
  extensions: [
    extend(notificationKinds, profileNotifications),
    extend(notificationKinds, recordNotifications),
    extend(fileDependents, photoDependents),
    extend(reviewables, profileReviewable),
    extend(reviewables, photoReviewable),
    extend(queueSources, profileQueueSource),
    extend(queueSources, photoQueueSource),
    extend(ownedWithProfile, photoOfProfile),
  ],
  routes: profileRoutes,
};
