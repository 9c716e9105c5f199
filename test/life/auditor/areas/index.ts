import type { Area } from '../area.ts';
import { additionalDocumentsArea } from './additional-documents.ts';
import { agreementsArea } from './agreements.ts';
import { accountsArea } from './accounts.ts';
import { applicationsArea } from './applications.ts';
import { changesArea } from './changes.ts';
import { competitionsArea } from './competitions.ts';
import { catalogArea } from './catalog.ts';
import { documentsArea } from './documents.ts';
import { keysArea } from './keys.ts';
import { messengerArea } from './messenger.ts';
import { nationalArea } from './national.ts';
import { notificationsArea } from './notifications.ts';
import { participantsArea } from './participants.ts';
import { ownershipArea } from './ownership.ts';
import { profilesArea } from './profiles.ts';
import { registrationsArea } from './registrations.ts';
import { queueArea } from './queue.ts';
import { reminderClock, remindersArea } from './reminders.ts';
import { rightsArea } from './rights.ts';
import { settlingArea } from './settling.ts';
import { verificationArea } from './verification.ts';
import { walletArea } from './wallet.ts';
import { webhooksArea } from './webhooks.ts';

/** All areas. Rights come first, because a request without the right is refused whatever else it asks. */
const recordAreas: readonly Area[] = [
  settlingArea,
  reminderClock,
  rightsArea,
  keysArea,
  accountsArea,
  queueArea,
  profilesArea,
  ownershipArea,
  documentsArea,
  applicationsArea,
  catalogArea,
  walletArea,
  verificationArea,
  competitionsArea,
  additionalDocumentsArea,
  agreementsArea,
  registrationsArea,
  participantsArea,
  messengerArea,
  nationalArea,
  remindersArea,
  changesArea,
  webhooksArea,
];

/** Notifications come last: they are asked about what the other areas have followed. */
export const areas: readonly Area[] = [...recordAreas, notificationsArea(new Set(recordAreas.flatMap(({ notifies = [] }) => notifies)))];
