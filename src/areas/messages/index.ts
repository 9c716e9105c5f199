import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { changedRecords } from '../changes/index.ts';
import { notificationKinds, streamSubjects } from '../notifications/index.ts';
import { ownedWithProfile } from '../profiles/index.ts';
import { conversationsOfProfile, messageChanges, messageStream } from './extensions.ts';
import { messageNotifications } from './notifications.ts';
import { messagesRecords } from './personal-data.ts';
import { chatAdministrationRoutes, chatRoutes, messengerRoutes } from './routes.ts';

/** The messenger of registrations, and the chat of each account with the federation. */
export const messagesArea: Area = {
  processes: [],
  extensions: [
    extend(changedRecords, messageChanges),
    extend(notificationKinds, messageNotifications),
    extend(streamSubjects, messageStream),
    extend(ownedWithProfile, conversationsOfProfile),
    extend(personalRecords, messagesRecords),
  ],
  routes: () => [...messengerRoutes, ...chatRoutes, ...chatAdministrationRoutes],
};
