import type { Area } from '../http/define-area.ts';
import { notificationRoutes } from './routes.ts';

/** Facts that are told to a person. */
export const notificationsArea: Area = { processes: [], extensions: [], routes: () => notificationRoutes };
