import { z } from 'zod';
import { scopes } from '../../../http/access/scopes.ts';
import { dateTimeResponse, endDateTime, id, line } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import type { ApiKey } from '../entities.ts';
import { confirmation, keyPrefix, scopesText } from '../wire.ts';

export const apiKeyBody = z
  .strictObject({
    name: line(100),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).describe(scopesText),
    expires_at: endDateTime.describe('Within five years; a bare day means its last second'),
    ...confirmation,
  })
  .meta({ id: 'NewApiKey' });
export const apiKeyResponse = z
  .object({
    id,
    name: z.string(),
    prefix: keyPrefix,
    scopes: z.array(z.enum(scopes)).describe(scopesText),
    created_at: dateTimeResponse,
    expires_at: dateTimeResponse,
    last_used_at: dateTimeResponse.nullable(),
  })
  .meta({ id: 'ApiKey' });
export const newApiKeyResponse = apiKeyResponse
  .extend({ key: z.string().describe('The key; it is not shown again') })
  .meta({ id: 'IssuedApiKey' });

export function presentApiKey(key: Readonly<ApiKey>): z.input<typeof apiKeyResponse> {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    created_at: formatDateTime(key.createdAt),
    expires_at: formatDateTime(key.expiresAt),
    last_used_at: key.lastUsedAt === null ? null : formatDateTime(key.lastUsedAt),
  };
}
