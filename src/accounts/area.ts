import type { Area } from '../http/define-area.ts';
import { captchaTimer, passwordResetTimer } from './process.ts';
import { accountRoutes } from './routes.ts';

/** Accounts, sessions, keys, captchas, passwords. */
export const accountsArea: Area = {
  processes: [captchaTimer, passwordResetTimer],
  extensions: [],
  routes: () => accountRoutes,
};
