import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { erasureBlockers } from '../../platform/erasure-blockers.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { applicationDependents } from '../applications/index.ts';
import { changedRecords } from '../changes/index.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { ownedWithProfile, profileDependents } from '../profiles/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { additionalDocumentNotifications } from './additional-documents/notifications.ts';
import { additionalDocumentQueueSource, additionalDocumentReviewable } from './additional-documents/reviewable.ts';
import { additionalDocumentRoutes } from './additional-documents/routes.ts';
import { agreementDraftRoutes } from './agreement-drafts/routes.ts';
import { publicCalendarRoutes } from './calendar/routes.ts';
import { eventNotifications } from './events/notifications.ts';
import { eventProcess } from './events/process.ts';
import { eventStageQueueSource, eventStageReviewable } from './events/reviewable.ts';
import { eventRoutes } from './events/routes.ts';
import { additionalDocumentFileDependents, eventChanges, eventsOfProfile, onFee, onProfile, onStageFile } from './extensions.ts';
import { participantRoutes } from './participants/routes.ts';
import { competitionsImpersonalRecords, competitionsRecords } from './personal-data.ts';
import { eventToCome } from './erasure-blockers.ts';

/** Competitions: from an organizer's draft through its stages to the published results, and the public calendar. */
export const competitionsArea: Area = {
  processes: [eventProcess],
  extensions: [
    extend(changedRecords, eventChanges),
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
    extend(personalRecords, competitionsRecords),
    extend(erasureBlockers, eventToCome),
    extend(impersonalRecords, competitionsImpersonalRecords),
  ],
  // Public routes first, otherwise `/events/:id` takes `public` for an id.
  routes: () => [...publicCalendarRoutes, ...eventRoutes, ...additionalDocumentRoutes, ...participantRoutes, ...agreementDraftRoutes],
};

export {
  dayAfter,
  type Eligibility,
  eligibilityOf,
  fits,
  fittingKinds,
  type ForeignPaper,
  foreignPapers,
  type JudgedEvent,
  partsOf,
  type Standing,
  spanFrom,
  type WholeEligibility,
} from './eligibility/eligibility.ts';
export { judgeWhole } from './eligibility/read-past.ts';
export { eligibilityResponse, presentEligibility, presentReasons } from './eligibility/wire.ts';
export { shownResult, startNumberResponse } from './participants/wire.ts';
export type { ClassPlaces } from './events/settings.ts';
export { placesResponse, presentPlaces, settingsOfRows } from './events/settings.ts';
export { EventEntity } from './entities.ts';
export type { AgreementTerms, ClassLimit, Event, RegistrationSettings, VehicleField } from './entities.ts';
export { lockEventRow, recordContract, requireNotOver, settleAgreement } from './events/agreement.ts';
export { closingOf, competitionDays, competitionSpan, intakeOf } from './events/dates.ts';
export type { DaySpan, Intake } from './events/dates.ts';
export { eventDependents } from './events/dependents.ts';
export type { EventDependents, PlaceCount } from './events/dependents.ts';
export { notifyOfSubmissions } from './events/notify-of-submissions.ts';
export { participationsOf } from './participants/queries.ts';
export { type LineOutcome, type ParticipantLine, saveParticipants } from './participants/save-participants.ts';
export type { ParticipantChanges } from './participants/update-participant.ts';
export { requireEventOwner, requireEventReader } from './policy.ts';
export { findEvent, living as livingEvents } from './events/queries.ts';
export type { EventRecord } from './events/record.ts';
export { defaultSettings, limitOf } from './events/settings.ts';
export { isLiving as isLivingEvent } from './events/states.ts';
export { resultStatuses } from './events/states.ts';
export type { EventStatus, ResultStatus } from './events/states.ts';
export { personalEvents } from './personal-data.ts';
