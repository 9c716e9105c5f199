import { accountsArea } from '../areas/accounts/index.ts';
import { administrationArea } from '../areas/administration/index.ts';
import { agreementsArea } from '../areas/agreements/index.ts';
import { applicationsArea } from '../areas/applications/index.ts';
import { auditArea } from '../areas/audit/index.ts';
import { catalogArea } from '../areas/catalog/index.ts';
import { changesArea } from '../areas/changes/index.ts';
import { competitionsArea } from '../areas/competitions/index.ts';
import { credentialsArea } from '../areas/credentials/index.ts';
import { documentsArea } from '../areas/documents/index.ts';
import { filesArea } from '../areas/files/index.ts';
import { importsArea } from '../areas/imports/index.ts';
import { messagesArea } from '../areas/messages/index.ts';
import { messagingBotArea } from '../areas/messaging-bot/index.ts';
import { nationalArea } from '../areas/national/index.ts';
import { notificationsArea } from '../areas/notifications/index.ts';
import { ownershipArea } from '../areas/ownership/index.ts';
import { privacyArea } from '../areas/privacy/index.ts';
import { profilesArea } from '../areas/profiles/index.ts';
import { registrationsArea } from '../areas/registrations/index.ts';
import { reviewsArea } from '../areas/reviews/index.ts';
import { sandboxArea } from '../areas/sandbox/index.ts';
import { verificationArea } from '../areas/verification/index.ts';
import { walletArea } from '../areas/wallet/index.ts';
import { webhooksArea } from '../areas/webhooks/index.ts';
import type { Area } from '../http/define-area.ts';
import { Extensions } from '../platform/extensions.ts';

/**
 * The areas from lowest to highest: each may import only earlier ones, through their `index.ts`. `npm run lint:areas` reads this order and
 * enforces it.
 */
export const areas: readonly Area[] = [
  auditArea,
  changesArea,
  accountsArea,
  notificationsArea,
  webhooksArea,
  reviewsArea,
  catalogArea,
  filesArea,
  walletArea,
  profilesArea,
  documentsArea,
  credentialsArea,
  applicationsArea,
  verificationArea,
  competitionsArea,
  registrationsArea,
  importsArea,
  agreementsArea,
  messagesArea,
  messagingBotArea,
  nationalArea,
  ownershipArea,
  privacyArea,
  administrationArea,
  sandboxArea,
];

/** All extensions of the areas. */
export const extensions = new Extensions(areas.flatMap((area) => area.extensions));

/** Every kind of process. */
export const definitions = areas.flatMap((area) => area.processes);
