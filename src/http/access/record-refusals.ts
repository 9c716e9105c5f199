import type { Context, Middleware } from 'koa';
import { type DomainError, type ErrorCode, isDomainError } from '../../errors.ts';
import { refusedSubject, type SecurityAction, type SecurityLog } from '../../platform/logging/security-log.ts';
import type { Route } from '../define-route.ts';

/** Refusals that are security events by their code. A refusal of another account's record has its own subject (`refusalOf`). */
const actions: Partial<Record<ErrorCode, SecurityAction>> = {
  invalid_credentials: 'login.failed',
  account_blocked: 'login.failed',
  password_confirmation_failed: 'password_confirmation.failed',
  second_factor_failed: 'second_factor.failed',
  captcha_failed: 'captcha.failed',
  csrf_failed: 'csrf.failed',
  token_invalid: 'reset_link.refused',
  insufficient_scope: 'scope.refused',
  forbidden: 'access.refused',
  forbidden_while_impersonating: 'access.refused',
  browser_session_required: 'access.refused',
};

/** Records a route's refusals in the security log; the answer does not change. */
export function recordRefusals(log: SecurityLog, route: Pick<Route, 'name'>, serve: Middleware): Middleware {
  return async (ctx, next) => {
    try {
      return await serve(ctx, next);
    } catch (error) {
      const action = isDomainError(error) ? actionOf(ctx, error) : undefined;
      if (isDomainError(error) && action !== undefined)
        log.record({
          action,
          actorId: ctx.state.userId ?? null,
          impersonatedUserId: ctx.state.impersonatedUserId ?? null,
          subject: refusedSubject(error) ?? { kind: 'route', id: route.name },
          ip: ctx.ip,
          requestId: ctx.state.requestId,
          data: {
            code: error.code,
            route: route.name,
            ...(error.code === 'insufficient_scope' ? { scope: error.details?.['scope'] } : {}),
          },
        });
      throw error;
    }
  };
}

function actionOf(ctx: Context, error: DomainError): SecurityAction | undefined {
  if (error.code === 'not_found') return refusedSubject(error) === null ? undefined : 'record.refused';
  if (error.code === 'rate_limited') return refusedSubject(error) === null ? undefined : 'login.limited';
  // Without credentials the caller is a guest; an unknown key is an attempt.
  if (error.code === 'unauthenticated') return ctx.get('authorization') === '' ? undefined : 'api_key.refused';
  return actions[error.code];
}
