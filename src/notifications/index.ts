export { notificationsArea } from './area.ts';
export { after, defineNotifications, moneyOf, noteOf, notificationKinds, reasonOf, words } from './define-notifications.ts';
export type { NotificationFacts, NotificationKind, NotificationWords } from './define-notifications.ts';
export { NotificationEntity } from './entities.ts';
export type { Notification } from './entities.ts';
export { notify } from './notify.ts';
export { notifyAdministrators } from './notify-administrators.ts';
