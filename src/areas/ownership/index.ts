import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { notificationKinds } from '../notifications/index.ts';
import { ownershipNotifications } from './notifications.ts';
import { ownershipRecords } from './personal-data.ts';
import { ownershipTransferProcess } from './process.ts';
import { ownershipRoutes } from './routes.ts';

/** The transfer of a profile and its records from one account to another. */
export const ownershipArea: Area = {
  processes: [ownershipTransferProcess],
  extensions: [extend(notificationKinds, ownershipNotifications), extend(personalRecords, ownershipRecords)],
  routes: () => ownershipRoutes,
};
