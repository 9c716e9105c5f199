import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { erasureBlockers } from '../../platform/erasure-blockers.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { changedRecords } from '../changes/index.ts';
import { eventDependents } from '../competitions/index.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { ownedWithProfile } from '../profiles/index.ts';
import { queueSources } from '../reviews/index.ts';
import { agreementProcess } from './contracts/process.ts';
import {
  agreementChanges,
  agreementEventDependents,
  agreementFileDependents,
  contractQueueSource,
  contractsOfProfile,
  endedContractSource,
} from './extensions.ts';
import { contractRoutes } from './contracts/routes.ts';
import { agreementNotifications } from './notifications.ts';
import { agreementsImpersonalRecords, agreementsRecords } from './personal-data.ts';
import { signingFileDependents } from './signing/find-signing.ts';
import { signingRoutes } from './signing/routes.ts';
import { templateRoutes } from './templates/routes.ts';
import { agreementVerificationRoutes } from './verification/routes.ts';
import { agreementInForce } from './erasure-blockers.ts';

/** Agreements with organizers: the signing setting, templates, the generated PDF, its signed scan and the federation's decision. */
export const agreementsArea: Area = {
  processes: [agreementProcess],
  extensions: [
    extend(changedRecords, agreementChanges),
    extend(notificationKinds, agreementNotifications),
    extend(fileDependents, agreementFileDependents),
    extend(fileDependents, signingFileDependents),
    extend(eventDependents, agreementEventDependents),
    extend(queueSources, contractQueueSource),
    extend(queueSources, endedContractSource),
    extend(ownedWithProfile, contractsOfProfile),
    extend(personalRecords, agreementsRecords),
    extend(erasureBlockers, agreementInForce),
    extend(impersonalRecords, agreementsImpersonalRecords),
  ],
  // Public routes first, so that "verify" is not read as an id.
  routes: () => [...agreementVerificationRoutes, ...signingRoutes, ...templateRoutes, ...contractRoutes],
};

export { listOldAgreements } from './list-old-agreements.ts';
export { makeAgreement } from './contracts/make-agreement.ts';
export { agreementProcess } from './contracts/process.ts';
export { seedContractTemplates } from './templates/seed-templates.ts';
