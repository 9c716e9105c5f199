import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { photoDependents } from './dependents.ts';
import { photoOfProfile } from './give-profile.ts';
import { profileNotifications, recordNotifications } from './notifications.ts';
import { ownedWithProfile } from './ownership-moves.ts';
import { profileProcess } from './process.ts';
import { photoQueueSource, photoReviewable, profileQueueSource, profileReviewable } from './reviewables.ts';
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

export { correctProfile } from './correct-profile.ts';
export { profileDependents } from './dependents.ts';
export type { ProfileDependents } from './dependents.ts';
export { dossierSections, profileCounters } from './dossier.ts';
export type { DossierSection, ProfileCounter } from './dossier.ts';
export { ProfileEntity } from './entities.ts';
export type { Profile } from './entities.ts';
export { giveProfile } from './give-profile.ts';
export { lockProfile } from './queries.ts';
export { actorOfStep, readAuditedSteps } from './audited-steps.ts';
export type { AuditedStep } from './audited-steps.ts';
export { ownedWithProfile } from './ownership-moves.ts';
export type { MovedRecords, OwnedWithProfile, OwnershipMove } from './ownership-moves.ts';
export { recordNotifications } from './notifications.ts';
export { presentProfile } from './wire.ts';
export { profileProcess } from './process.ts';
export { findProfile, findProfiles } from './queries.ts';
export { profileFlags, profileSought, soughtByProfile } from './reviewables.ts';
export { correctProfileBody, profileResponse } from './wire.ts';
export { reviewStatuses } from './states.ts';
export type { ReviewStatus } from './states.ts';
