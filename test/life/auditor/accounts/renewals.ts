import type { Area } from '../area.ts';
import { cookieOf } from '../exchange.ts';
import { Finding } from '../finding.ts';

const renewing: ReadonlySet<string> = new Set([
  'POST /auth/login',
  'POST /auth/logout',
  'POST /auth/password',
  'POST /auth/second-factor',
  'POST /admin/impersonate',
  'POST /auth/impersonation/stop',
]);

/** These give the browser a session id and a CSRF token that no session had (ACC-3). Asked before the accounts take the session over. */
export const renewalsArea: Area = {
  saw(model, exchange) {
    const { operation, by, data } = exchange;
    if (!renewing.has(operation) || by.scopes !== null) return [];
    const [id, token] = [cookieOf(exchange), String(data?.csrf_token)];
    const isNew = id !== null && id !== by.credential && !model.sessions.has(id);
    if (!isNew) throw new Finding(`${operation} gives the browser of ${by.name} a new session id (ACC-3)`, 'another one', 'a former one');
    if (model.csrfTokens.has(token))
      throw new Finding(`${operation} gives the browser of ${by.name} a new CSRF token (ACC-3)`, 'another one', token);
    model.csrfTokens.add(token);
    return [];
  },
};
