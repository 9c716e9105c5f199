import { eventDependents } from '../competitions/index.ts';
import { fileDependents } from '../files/index.ts';
import type { Area } from '../http/define-area.ts';
import { notificationKinds } from '../notifications/index.ts';
import { extend } from '../platform/extensions.ts';
import { ownedWithProfile } from '../profiles/index.ts';
import { queueSources } from '../reviews/index.ts';
import { contractRoutes } from './contract-routes.ts';
import { agreementEventDependents } from './event-dependents.ts';
import { agreementFileDependents } from './file-dependents.ts';
import { contractsOfProfile } from './move-with-profile.ts';
import { agreementNotifications } from './notifications.ts';
import { agreementProcess } from './process.ts';
import { contractQueueSource } from './queue-source.ts';
import { signingFileDependents } from './signing-file-dependents.ts';
import { signingRoutes } from './signing-routes.ts';
import { templateRoutes } from './template-routes.ts';
import { agreementVerificationRoutes } from './verification-routes.ts';

/** Agreements with organizers: the signing setting, templates, the generated PDF, its signed scan and the federation's decision. */
export const agreementsArea: Area = {
  processes: [agreementProcess],
  extensions: [
    extend(notificationKinds, agreementNotifications),
    extend(fileDependents, agreementFileDependents),
    extend(fileDependents, signingFileDependents),
    extend(eventDependents, agreementEventDependents),
    extend(queueSources, contractQueueSource),
    extend(ownedWithProfile, contractsOfProfile),
  ],
  // The public ones first: "verify" is the id of no agreement.
  routes: () => [...agreementVerificationRoutes, ...signingRoutes, ...templateRoutes, ...contractRoutes],
};
