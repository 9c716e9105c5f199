import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok, page } from '../../../http/response/reply.ts';
import { deleted, idParams, listMeta, pagingQuery } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { type Database, type Paging, readPage } from '../../../platform/database/database.ts';
import { mailAfterAnswer } from '../after-answer.ts';
import type { ApiKey } from '../entities.ts';
import { apiKeyMail } from '../mails.ts';
import { confirmInPerson } from '../second-factor/confirm-in-person.ts';
import { confirmationBody } from '../wire.ts';
import { apiKeyLimit, createApiKey } from './create-api-key.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { apiKeyBody, apiKeyResponse, newApiKeyResponse, presentApiKey } from './wire.ts';

/** Lists the keys of an account that were not revoked, newest first; reads `api_keys_user_index`. */
export function listApiKeys(db: Database, userId: number, paging: Paging): Promise<{ rows: Readonly<ApiKey>[]; total: number }> {
  const own = db.selectFrom('api_keys').selectAll().where('userId', '=', userId).where('revokedAt', 'is', null);
  return readPage(own.orderBy('id', 'desc'), paging);
}

const tag = 'API keys';

/** Routes for API keys; a key cannot manage keys (ACC-7). */
export const apiKeyRoutes: Route[] = [
  defineRoute({
    name: 'listApiKeys',
    method: 'GET',
    path: '/api-keys',
    access: access.inPerson(access.browser),
    tag,
    summary: 'List the API keys of the account',
    description: 'Newest first, without revoked keys.',
    request: { query: pagingQuery },
    response: { data: z.array(apiKeyResponse), meta: listMeta },
    async handler({ principal, query: paging, platform }) {
      const { rows, total } = await query(platform, (db) => listApiKeys(db, principal.user.id, paging));
      return page(rows.map(presentApiKey), total, paging);
    },
  }),
  defineRoute({
    name: 'createApiKey',
    method: 'POST',
    path: '/api-keys',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Create an API key',
    description: `The answer contains the key; it is not shown again. Its scopes must be scopes of the account. It expires within five years. The owner receives a mail. An account has at most ${apiKeyLimit} valid keys: 409 \`quota_exceeded\` with the quota \`api_keys\`.`,
    request: {
      body: apiKeyBody,
      example: {
        name: 'Сайт клуба',
        scopes: ['profiles:read', 'applications:read'],
        expires_at: '2027-06-30',
        password: 'Tulpar-1994-Altai',
      },
    },
    response: { status: 201, location: '/api-keys', data: newApiKeyResponse },
    links: { listApiKeys: {}, revokeApiKey: { id: 'id' } },
    errors: ['password_confirmation_failed', 'second_factor_failed', 'quota_exceeded'],
    async handler({ principal, body, caller, platform, signal }) {
      const { user } = principal;
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const wanted = { owner: user, name: body.name, scopes: body.scopes, expiresAt: body.expires_at };
      const { shown, mail } = await commit(platform, confirmed, async (ctx) => {
        const { key, secret } = await createApiKey(ctx, wanted);
        return { shown: { ...presentApiKey(key), key: secret }, mail: apiKeyMail(platform, user, key) };
      });
      mailAfterAnswer(platform, caller.requestId, 'mailing of a new API key', mail);
      return created(shown, '/api-keys');
    },
  }),
  defineRoute({
    name: 'revokeApiKey',
    method: 'DELETE',
    path: '/api-keys/:id',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Revoke an API key',
    description: 'Later requests with the key answer 401.',
    request: { params: idParams, body: confirmationBody, example: { password: 'Tulpar-1994-Altai' } },
    response: { data: deleted },
    errors: ['password_confirmation_failed', 'second_factor_failed'],
    async handler({ principal, params, body, caller, platform, signal }) {
      const { user } = principal;
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      await commit(platform, confirmed, (ctx) => revokeApiKey(ctx, { ownerId: user.id, keyId: params.id }));
      return ok({ deleted: true as const });
    },
  }),
];
