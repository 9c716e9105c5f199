import type { Authenticator } from '../../http/access/access.ts';
import type { Area } from '../../http/define-area.ts';
import type { Route } from '../../http/define-route.ts';
import { actorChecks } from '../../platform/commands/command.ts';
import type { Database } from '../../platform/database/database.ts';
import { extend } from '../../platform/extensions.ts';
import { erasureBlockers } from '../../platform/erasure-blockers.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { auditRead } from '../audit/index.ts';
import { type ChangedRecord, changedRecords, nullColumn } from '../changes/index.ts';
import { accountRoutes } from './account/routes.ts';
import { authenticateApiKey } from './api-keys/authenticate-api-key.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { captchaTimer } from './captcha/process.ts';
import { captchaRoutes } from './captcha/routes.ts';
import { contactRoutes } from './contact/routes.ts';
import { confirmationPageRoutes } from './email-confirmation/confirmation-page.ts';
import { emailConfirmationTimer } from './email-confirmation/process.ts';
import { emailConfirmationRoutes } from './email-confirmation/routes.ts';
import { impersonationTimer } from './impersonation/process.ts';
import { impersonationRoutes } from './impersonation/routes.ts';
import { loginRoutes } from './login/routes.ts';
import { passwordResetTimer } from './passwords/process.ts';
import { resetPageRoutes } from './passwords/reset-page.ts';
import { passwordRoutes } from './passwords/routes.ts';
import { accountsImpersonalRecords, accountsRecords } from './personal-data.ts';
import { checkActor } from './policy.ts';
import { requestRoutes } from './requests/routes.ts';
import { secondFactorRoutes } from './second-factor/routes.ts';
import { authenticateSession } from './sessions/authenticate-session.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { userRoutes } from './users/routes.ts';
import { lastAdministrator } from './erasure-blockers.ts';

const accountPath: ChangedRecord['path'] = ({ id }, reader) => (reader === 'owner' ? '/account' : `/admin/users/${id}`);

/** Accounts in the log of changes. */
const accountChanges: readonly ChangedRecord[] = [
  { record: 'account', select: selectAccounts, path: accountPath },
  { record: 'user', select: selectAccounts, path: accountPath },
  { record: 'contact_message', path: ({ id }) => `/admin/contact-messages/${id}` },
];

function selectAccounts(db: Database) {
  return db.selectFrom('users as u').select(['u.id', 'u.status', 'u.id as ownerId', nullColumn.organizer, nullColumn.parent]);
}

const routes: Route[] = [
  ...sessionRoutes,
  ...loginRoutes,
  ...captchaRoutes,
  ...contactRoutes,
  ...accountRoutes,
  ...passwordRoutes,
  ...emailConfirmationRoutes,
  ...apiKeyRoutes,
  ...secondFactorRoutes,
  ...requestRoutes,
  ...impersonationRoutes,
  ...resetPageRoutes,
  ...confirmationPageRoutes,
  ...userRoutes,
];

/** Accounts, sessions, keys, captchas, passwords, impersonation. */
export const accountsArea: Area = {
  processes: [captchaTimer, passwordResetTimer, emailConfirmationTimer, impersonationTimer],
  extensions: [
    extend(changedRecords, accountChanges),
    extend(actorChecks, checkActor),
    extend(personalRecords, accountsRecords),
    extend(erasureBlockers, lastAdministrator),
    extend(impersonalRecords, accountsImpersonalRecords),
  ],
  routes: () => routes,
};

/** Authenticates the credentials of a request for the HTTP layer. */
export const authenticator: Authenticator = {
  byKey: authenticateApiKey,
  bySession: authenticateSession,
  recordRead: (db, caller, { kind, subject, operation }, now) => auditRead({ ...caller, db, now }, `${kind}.read`, subject, { operation }),
};

export { apiKeyLimit, keysInForce } from './api-keys/create-api-key.ts';
export { afterAnswer, afterAnswersDone, mailAfterAnswer } from './after-answer.ts';
export { countAttempt, exportsOf } from './attempt-limits.ts';
export { clearExpiredData } from './clear-expired-data.ts';
export { type User, UserEntity } from './entities.ts';
export { accessEnded, accountOpened, type EndedAccess } from './extension-points.ts';
export { webhookMail } from './mails.ts';
export { answerLink } from './link-page.ts';
export { isActiveAdministrator, lockActingAdministrator, lockUser, requireNotErased, requireStillAllowed } from './policy.ts';
export { clearRequestRecords, findRequest, keptDays as requestDays } from './requests/list-requests.ts';
export { RequestRecorder } from './requests/request-recorder.ts';
export { confirmInPerson } from './second-factor/confirm-in-person.ts';
export { encryptSecretsAnew } from './second-factor/encrypt-secrets.ts';
export { hashToken, makeToken } from './secret-tokens.ts';
export { bindToSession } from './sessions/browser-session.ts';
export { accountsOfSessions } from './sessions/sessions-in-force.ts';
export { lockWithAdministrator, narrowRights } from './users/change-user.ts';
export { closeAccount } from './users/close-account.ts';
export { createFirstAdministrator } from './users/create-first-administrator.ts';
export { findNames } from './users/find-names.ts';
export { isErased } from './users/is-erased.ts';
export { findListedUser, type ListedUser, readUsers } from './users/list-users.ts';
export { listedUserResponse, presentListedUser } from './users/wire.ts';
export { confirmation, isCommonPassword } from './wire.ts';
