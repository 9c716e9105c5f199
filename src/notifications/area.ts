import type { Area } from '../http/define-area.ts';
import { preferenceRoutes } from './preference-routes.ts';
import { deliveryProcess } from './process.ts';
import { notificationRoutes } from './routes.ts';
import { streamRoute } from './stream-route.ts';

/** Facts that are told to a person. */
export const notificationsArea: Area = {
  processes: [deliveryProcess],
  extensions: [],
  routes: (entered) => [streamRoute(entered), ...notificationRoutes, ...preferenceRoutes(entered)],
};
