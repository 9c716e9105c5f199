import type { Area } from '../http/define-area.ts';
import { editingRoutes } from './editing-routes.ts';
import { catalogRoutes } from './routes.ts';

/** What the federation sells, at what price, and what it asks for. */
export const catalogArea: Area = {
  processes: [],
  extensions: [],
  routes: () => [...catalogRoutes, ...editingRoutes],
};
