import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { changedRecords } from '../changes/index.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { photoDependents } from './dependents.ts';
import { profileNotifications, recordNotifications } from './notifications.ts';
import { ownedWithProfile, photoOfProfile } from './ownership-moves.ts';
import { profileProcess } from './process.ts';
import { photoQueueSource, photoReviewable, profileChanges, profileQueueSource, profileReviewable } from './extensions.ts';
import { profilesRecords } from './personal-data.ts';
import { profileRoutes } from './routes.ts';

/** Athletes and organizers, whose data and photo administrators review. */
export const profilesArea: Area = {
  processes: [profileProcess],
  extensions: [
    extend(changedRecords, profileChanges),
    extend(notificationKinds, profileNotifications),
    extend(notificationKinds, recordNotifications),
    extend(fileDependents, photoDependents),
    extend(reviewables, profileReviewable),
    extend(reviewables, photoReviewable),
    extend(queueSources, profileQueueSource),
    extend(queueSources, photoQueueSource),
    extend(ownedWithProfile, photoOfProfile),
    extend(personalRecords, profilesRecords),
  ],
  routes: profileRoutes,
};

export { actorOfStep, type AuditedStep, readAuditedSteps } from './audited-steps.ts';
export { correctProfile } from './correct-profile.ts';
export { type ProfileDependents, profileDependents } from './dependents.ts';
export { type DossierSection, dossierSections, type ProfileCounter, profileCounters } from './dossier.ts';
export { type Profile, ProfileEntity } from './entities.ts';
export { recordNotifications } from './notifications.ts';
export { giveProfile, type MovedRecords, ownedWithProfile, type OwnedWithProfile, type OwnershipMove } from './ownership-moves.ts';
export { needsOf, type PartNeed, type ProfileStep, type SteppedProfile } from './next-steps.ts';
export { profileProcess } from './process.ts';
export { findExcessOfProfiles, quotaOf, recordQuotas } from './quotas.ts';
export { findProfile, findProfiles, listProfiles, lockProfile, requireProfileOwner } from './queries.ts';
export { profileFlags, profileSearchText } from './extensions.ts';
export { type ReviewStatus, reviewStatuses } from './states.ts';
export { correctProfileBody, presentProfile, profileResponse, reviewStatus } from './wire.ts';
export { personalProfiles } from './personal-data.ts';
