export { notify } from './notify.ts';
export type { NotificationFacts } from './notification-texts.ts';
export { notificationTypes } from './notification-types.ts';
export type { NotificationType } from './notification-types.ts';
