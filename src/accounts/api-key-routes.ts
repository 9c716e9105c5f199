import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { created, ok, page } from '../http/reply.ts';
import { deleted, idParams, listMeta, pagingQuery } from '../http/schemas.ts';
import { z } from 'zod';
import { read, runCommand } from '../platform/command.ts';
import { requirePassword } from './confirm-password.ts';
import { createApiKey } from './create-api-key.ts';
import { presentApiKey } from './presenter.ts';
import { listApiKeys } from './queries.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { apiKeyBody, apiKeyOut, confirmationBody, newApiKeyOut } from './schemas.ts';

const tag = 'API keys';

/** Keys for programs; a key cannot manage keys (service.md "Authentication" 1, 6). */
export const apiKeyRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api-keys',
    access: access.browser,
    tag,
    summary: 'The keys of the account',
    description: 'Newest first; revoked ones are not shown.',
    request: { query: pagingQuery },
    response: { data: z.array(apiKeyOut), meta: listMeta },
    async handler({ principal, query, platform }) {
      const [keys, total] = await read(platform, (em) => listApiKeys(em, principal.user.id, query));
      return page(keys.map(presentApiKey), total, query);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api-keys',
    access: access.browser,
    tag,
    summary: 'Make a key',
    description: 'The key is shown this once. Its scopes are at most those of the account; it expires within five years.',
    request: { body: apiKeyBody },
    response: { status: 201, data: newApiKeyOut },
    errors: ['password_confirmation_failed'],
    async handler({ principal, body, caller, platform }) {
      const { user } = principal;
      await requirePassword(platform, user.id, body.password);
      const wanted = { owner: user, name: body.name, scopes: body.scopes, expiresAt: body.expires_at };
      const { key, secret } = await runCommand(platform, caller, (ctx) => createApiKey(ctx, wanted));
      return created({ ...presentApiKey(key), key: secret });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api-keys/:id',
    access: access.browser,
    tag,
    summary: 'Revoke a key',
    description: 'Requests with the key are refused from then on.',
    request: { params: idParams, body: confirmationBody },
    response: { data: deleted },
    errors: ['password_confirmation_failed'],
    async handler({ principal, params, body, caller, platform }) {
      const { user } = principal;
      await requirePassword(platform, user.id, body.password);
      await runCommand(platform, caller, (ctx) => revokeApiKey(ctx, { ownerId: user.id, keyId: params.id }));
      return ok({ deleted: true as const });
    },
  }),
];
