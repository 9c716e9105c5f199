import { accountsArea } from './accounts/index.ts';
import { administrationArea } from './administration/index.ts';
import { agreementsArea } from './agreements/index.ts';
import { applicationsArea } from './applications/index.ts';
import { auditArea } from './audit/index.ts';
import { catalogArea } from './catalog/index.ts';
import { competitionsArea } from './competitions/index.ts';
import { documentsArea } from './documents/index.ts';
import { filesArea } from './files/index.ts';
import type { Area } from './http/define-area.ts';
import { messagesArea } from './messages/index.ts';
import { messagingBotArea } from './messaging-bot/index.ts';
import { nationalArea } from './national/index.ts';
import { notificationsArea } from './notifications/index.ts';
import { ownershipArea } from './ownership/index.ts';
import { Extensions } from './platform/extensions.ts';
import { profilesArea } from './profiles/index.ts';
import { registrationsArea } from './registrations/index.ts';
import { reviewsArea } from './reviews/index.ts';
import { sandboxArea } from './sandbox/index.ts';
import { verificationArea } from './verification/index.ts';
import { walletArea } from './wallet/index.ts';

/**
 * The areas from the lowest to the uppermost: each may import those before it, through their `index.ts`, and no other.
 * `npm run lint:areas` reads the order here and holds it.
 */
export const areas: readonly Area[] = [
  auditArea,
  accountsArea,
  notificationsArea,
  reviewsArea,
  catalogArea,
  filesArea,
  walletArea,
  profilesArea,
  documentsArea,
  applicationsArea,
  verificationArea,
  competitionsArea,
  registrationsArea,
  agreementsArea,
  messagesArea,
  messagingBotArea,
  nationalArea,
  ownershipArea,
  administrationArea,
  sandboxArea,
];

/** What the areas entered for those below them. */
export const extensions = new Extensions(areas.flatMap((area) => area.extensions));

/** Every kind of process. */
export const definitions = areas.flatMap((area) => area.processes);
