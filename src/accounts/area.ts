import type { Area } from '../http/define-area.ts';
import { actorChecks } from '../platform/actor-checks.ts';
import { extend } from '../platform/extensions.ts';
import { checkActor } from './check-actor.ts';
import { captchaTimer, impersonationTimer, passwordResetTimer } from './process.ts';
import { accountRoutes } from './routes.ts';

/** Accounts, sessions, keys, captchas, passwords, impersonation. */
export const accountsArea: Area = {
  processes: [captchaTimer, passwordResetTimer, impersonationTimer],
  extensions: [extend(actorChecks, checkActor)],
  routes: () => accountRoutes,
};
