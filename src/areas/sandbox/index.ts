import type { Area } from '../../http/define-area.ts';
import { sandboxRoutes } from './routes.ts';

/** A clock that clients can move, for demonstrations and tests; its routes exist only with `SANDBOX` (SBX-1). */
export const sandboxArea: Area = {
  processes: [],
  extensions: [],
  routes: () => sandboxRoutes,
};
