import type { Area } from '../http/define-area.ts';
import { verificationRoutes } from './routes.ts';

/** What anyone may ask who holds a QR; reads what the areas below keep and has no records of its own. */
export const verificationArea: Area = { processes: [], extensions: [], routes: () => verificationRoutes };
