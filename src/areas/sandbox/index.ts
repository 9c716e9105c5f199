import type { Area } from '../../http/define-area.ts';
import { sandboxRoutes } from './routes.ts';

/** Time that can be moved, for trying the service out; its routes exist only where the sandbox is switched on. */
export const sandboxArea: Area = {
  processes: [],
  extensions: [],
  routes: () => sandboxRoutes,
};
