import type { Area } from './area.ts';
import { additionalDocumentsArea } from './competitions/additional-documents.ts';
import { agreementsArea } from './agreements/agreements.ts';
import { athletesArea } from './administration/athletes.ts';
import { accountsArea } from './accounts/accounts.ts';
import { applicationsArea } from './applications/applications.ts';
import { changesArea } from './changes/changes.ts';
import { competitionsArea } from './competitions/competitions.ts';
import { dossiersArea } from './applications/dossiers.ts';
import { filtersArea } from './http/filters.ts';
import { captchasArea } from './accounts/captchas.ts';
import { renewalsArea } from './accounts/renewals.ts';
import { requestLogArea } from './accounts/request-log.ts';
import { doorsArea } from './accounts/doors.ts';
import { catalogArea } from './applications/catalog.ts';
import { documentsArea } from './applications/documents.ts';
import { chatsArea } from './messages/chats.ts';
import { contactArea } from './messages/contact.ts';
import { filesArea } from './files/files.ts';
import { keysArea } from './accounts/keys.ts';
import { mailClock, mailsArea } from './mails/mails.ts';
import { botArea, botClock } from './messaging-bot/messaging-bot.ts';
import { messengerArea } from './registrations/messenger.ts';
import { clockArea } from './http/moved-clock.ts';
import { nationalArea } from './national/national.ts';
import { notificationsArea } from './notifications/notifications.ts';
import { participantsArea } from './competitions/participants.ts';
import { ownershipArea } from './accounts/ownership.ts';
import { ownSessionsArea } from './accounts/own-sessions.ts';
import { processesArea } from './administration/process-actions.ts';
import { profilesArea } from './applications/profiles.ts';
import { registrationsArea } from './registrations/registrations.ts';
import { queueArea } from './notifications/queue.ts';
import { reminderClock, remindersArea } from './notifications/reminders.ts';
import { repeatsArea } from './accounts/repeats.ts';
import { rightsArea } from './accounts/rights.ts';
import { secondFactorArea, waitingClock } from './accounts/second-factor.ts';
import { settlingArea } from './notifications/settling.ts';
import { publicationArea } from './verification/publication.ts';
import { papersArea } from './verification/papers.ts';
import { securityArea } from './audit/security-events.ts';
import { sharingArea } from './verification/sharing.ts';
import { timelinesArea } from './administration/timelines.ts';
import { streamsArea } from './notifications/streams.ts';
import { readMarksArea } from './notifications/read-marks.ts';
import { statusClock, statusListsArea } from './verification/status-lists.ts';
import { verificationArea } from './verification/verification.ts';
import { importsArea } from './imports/imports.ts';
import { incidentsArea } from './wallet/incidents.ts';
import { walletArea } from './wallet/wallet.ts';
import { webhooksArea } from './webhooks/webhooks.ts';

/** All areas. Doors and rights come first, because a request without the right is refused whatever else it asks. */
const recordAreas: readonly Area[] = [
  settlingArea,
  reminderClock,
  statusClock,
  mailClock,
  botClock,
  waitingClock,
  clockArea,
  doorsArea,
  rightsArea,
  keysArea,
  renewalsArea,
  captchasArea,
  requestLogArea,
  secondFactorArea,
  accountsArea,
  ownSessionsArea,
  securityArea,
  queueArea,
  athletesArea,
  profilesArea,
  ownershipArea,
  repeatsArea,
  documentsArea,
  applicationsArea,
  catalogArea,
  walletArea,
  incidentsArea,
  verificationArea,
  papersArea,
  sharingArea,
  competitionsArea,
  additionalDocumentsArea,
  agreementsArea,
  registrationsArea,
  participantsArea,
  importsArea,
  messengerArea,
  nationalArea,
  botArea,
  chatsArea,
  contactArea,
  filesArea,
  remindersArea,
  changesArea,
  webhooksArea,
  statusListsArea,
  publicationArea,
  processesArea,
  timelinesArea,
  dossiersArea,
  filtersArea,
  streamsArea,
  readMarksArea,
  mailsArea,
];

/** Notifications come last: they are asked about what the other areas have followed. */
export const areas: readonly Area[] = [...recordAreas, notificationsArea(new Set(recordAreas.flatMap(({ notifies = [] }) => notifies)))];
