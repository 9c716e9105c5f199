import type { Route } from '../http/define-route.ts';
import { administrationRoutes } from './administration-routes.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { authRoutes } from './auth-routes.ts';
import { impersonationRoutes } from './impersonation-routes.ts';
import { resetPageRoutes } from './reset-page-routes.ts';
import { sessionRoutes } from './session-routes.ts';

export const accountRoutes: Route[] = [
  ...sessionRoutes,
  ...authRoutes,
  ...apiKeyRoutes,
  ...impersonationRoutes,
  ...resetPageRoutes,
  ...administrationRoutes,
];
