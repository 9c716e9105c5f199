import type { Area } from '../http/define-area.ts';
import { captchaTimer, impersonationTimer, passwordResetTimer } from './process.ts';
import { accountRoutes } from './routes.ts';

/** Accounts, sessions, keys, captchas, passwords, impersonation. */
export const accountsArea: Area = {
  processes: [captchaTimer, passwordResetTimer, impersonationTimer],
  extensions: [],
  routes: () => accountRoutes,
};
