import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { erasureBlockers } from '../../platform/erasure-blockers.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { applicationDependents } from '../applications/index.ts';
import { changedRecords } from '../changes/index.ts';
import { eventDependents } from '../competitions/index.ts';
import { documentDependents } from '../documents/index.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { dossierSections, ownedWithProfile, profileCounters, profileDependents } from '../profiles/index.ts';
import {
  competitionsCounter,
  onApplication,
  onDocument,
  onEvent,
  onFile,
  onProfile,
  participationSection,
  registrationChanges,
  registrationsOfProfile,
} from './extensions.ts';
import { registrationNotifications } from './notifications.ts';
import { registrationsRecords } from './personal-data.ts';
import { registrationProcess } from './process.ts';
import { registrationReadingRoutes } from './reading/routes.ts';
import { registrationRoutes } from './routes.ts';
import { openRegistration } from './erasure-blockers.ts';

/** Registrations: athletes' requests to take part in an event, and the organizer's decisions. */
export const registrationsArea: Area = {
  processes: [registrationProcess],
  extensions: [
    extend(changedRecords, registrationChanges),
    extend(notificationKinds, registrationNotifications),
    extend(fileDependents, onFile),
    extend(documentDependents, onDocument),
    extend(profileDependents, onProfile),
    extend(applicationDependents, onApplication),
    extend(eventDependents, onEvent),
    extend(dossierSections, participationSection),
    extend(profileCounters, competitionsCounter),
    extend(ownedWithProfile, registrationsOfProfile),
    extend(personalRecords, registrationsRecords),
    extend(erasureBlockers, openRegistration),
  ],
  routes: () => [...registrationRoutes, ...registrationReadingRoutes],
};

export { parseRow, problemsOfRow, type RowDemands } from './check-row.ts';
export { RegistrationEntity } from './entities.ts';
export { findRegistrations, type RegistrationRecord } from './queries.ts';
export { columnTitles, statusTitles } from './reading/export-columns.ts';
export { findCandidates } from './reading/options.ts';
export { findPlaces } from './row-records.ts';
export { type RowOutcome, saveRegistrations } from './save-registrations.ts';
