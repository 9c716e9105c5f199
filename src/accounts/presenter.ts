import type { z } from 'zod';
import { impersonationOf } from '../http/access.ts';
import type { Impersonation, SignedIn } from '../http/access.ts';
import { formatDateTime } from '../platform/date-time.ts';
import type { ApiKey, Captcha, User } from './entities.ts';
import type { accountResponse, apiKeyResponse, captchaResponse, impersonationResponse, sessionResponse, userResponse } from './schemas.ts';

type ShownUser = Pick<User, 'id' | 'email' | 'name' | 'phone' | 'role'>;

export function presentUser({ id, email, name, phone, role }: ShownUser): z.input<typeof userResponse> {
  return { id, email, name, phone, role };
}

/** @param impersonation by which the session acts in the account of `user` */
export function presentSession(
  csrfToken: string,
  user: ShownUser | null,
  impersonation: Impersonation | null = null,
): z.input<typeof sessionResponse> {
  return {
    csrf_token: csrfToken,
    user: user === null ? null : presentUser(user),
    impersonation: impersonation === null ? null : presentImpersonation(impersonation),
  };
}

function presentImpersonation({ administrator, startedAt, expiresAt }: Impersonation): z.input<typeof impersonationResponse> {
  const { id, email, name } = administrator;
  return { administrator: { id, name, email }, started_at: formatDateTime(startedAt), expires_at: formatDateTime(expiresAt) };
}

export function presentCaptcha({ id, expiresAt }: Readonly<Captcha>, png: Buffer): z.input<typeof captchaResponse> {
  return { id, captcha_id: id, image: `data:image/png;base64,${png.toString('base64')}`, expires_at: formatDateTime(expiresAt) };
}

/** Who the caller is and what they may do. */
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
