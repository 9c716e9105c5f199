import { z } from 'zod';
import { impersonationOf, type SignedIn } from '../../../http/access/access.ts';
import { scopes } from '../../../http/access/scopes.ts';
import { dateTimeResponse, id, uuid } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { impersonation, keyPrefix, language, presentImpersonation, presentUser, role, scopesText, userResponse } from '../wire.ts';

export const accountBody = z.strictObject({ language }).meta({ id: 'AccountChanges' });
export const accountResponse = z
  .object({
    user: userResponse,
    role,
    scopes: z.array(z.enum(scopes)).describe(scopesText),
    by: z.enum(['session', 'key']).describe('How the caller is authenticated'),
    session: z
      .object({ id: uuid, created_at: dateTimeResponse, expires_at: dateTimeResponse })
      .nullable()
      .describe('Null for a caller with an API key'),
    key: z
      .object({ id, name: z.string(), prefix: keyPrefix })
      .nullable()
      .describe('The API key of the request; null for a browser session'),
    impersonation,
  })
  .meta({ id: 'Account' });

/** Presents the caller and their scopes. */
export function presentAccount(principal: SignedIn): z.input<typeof accountResponse> {
  const { user, scopes, by } = principal;
  const impersonation = impersonationOf(principal);
  return {
    user: presentUser(user),
    role: user.role,
    scopes: [...scopes],
    by: by.kind,
    session:
      by.kind === 'session'
        ? { id: by.session.id, created_at: formatDateTime(by.session.createdAt), expires_at: formatDateTime(by.session.expiresAt) }
        : null,
    key: by.kind === 'key' ? { id: by.key.id, name: by.key.name, prefix: by.key.prefix } : null,
    impersonation: impersonation === null ? null : presentImpersonation(impersonation),
  };
}
