import type { Area } from '../../http/define-area.ts';
import type { Route } from '../../http/define-route.ts';
import { actorChecks } from '../../platform/actor-checks.ts';
import { extend } from '../../platform/extensions.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { checkActor } from './check-actor.ts';
import { impersonationRoutes } from './impersonation/routes.ts';
import { resetPageRoutes } from './passwords/reset-page.ts';
import { captchaTimer, impersonationTimer, passwordResetTimer } from './process.ts';
import { authRoutes } from './sessions/auth-routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { administrationRoutes } from './users/routes.ts';

export const accountRoutes: Route[] = [
  ...sessionRoutes,
  ...authRoutes,
  ...apiKeyRoutes,
  ...impersonationRoutes,
  ...resetPageRoutes,
  ...administrationRoutes,
];

/** Accounts, sessions, keys, captchas, passwords, impersonation. */
export const accountsArea: Area = {
  processes: [captchaTimer, passwordResetTimer, impersonationTimer],
  extensions: [extend(actorChecks, checkActor)],
  routes: () => accountRoutes,
};

export { accountOpened } from './extension-points.ts';
export { afterAnswer, afterAnswersDone } from './after-answer.ts';
export { exportsOf } from './attempt-limits.ts';
export { authenticator } from './sessions/authenticate-session.ts';
export { clearExpiredData } from './clear-expired-data.ts';
export { isCommonPassword } from './passwords/common-passwords.ts';
export { countAttempt } from './attempt-limits.ts';
export { requirePassword } from './passwords/confirm-password.ts';
export { createFirstAdministrator } from './users/create-first-administrator.ts';
export { endImpersonationsOf } from './impersonation/end-impersonations.ts';
export { UserEntity } from './entities.ts';
export type { User } from './entities.ts';
export { isActiveAdministrator, lockActingAdministrator } from './impersonation/lock-administrator.ts';
export { passwordChanged } from './extension-points.ts';
export { presentPassword } from './wire.ts';
export { accountsOfSessions } from './sessions/sessions-in-force.ts';
export { hashToken, makeToken } from './secret-tokens.ts';
