import type { z } from 'zod';
import { impersonationOf } from '../http/access.ts';
import type { Impersonation, SignedIn } from '../http/access.ts';
import { formatDateTime, formatVersion } from '../platform/date-time.ts';
import type { ApiKey, Captcha, ContactMessage, User } from './entities.ts';
import type { ListedUser } from './list-users.ts';
import type {
  accountResponse,
  apiKeyResponse,
  captchaResponse,
  contactMessageResponse,
  impersonationResponse,
  listedUserResponse,
  sessionResponse,
  userResponse,
} from './schemas.ts';

type ShownUser = Pick<User, 'id' | 'email' | 'name' | 'phone' | 'role' | 'language'>;

export function presentUser({ id, email, name, phone, role, language }: ShownUser): z.input<typeof userResponse> {
  return { id, email, name, phone, role, language };
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

/** An account as administrators see it. */
export function presentListedUser(user: ListedUser): z.input<typeof listedUserResponse> {
  return {
    ...presentUser(user),
    status: user.status,
    created_at: formatDateTime(user.createdAt),
    updated_at: formatVersion(user.updatedAt),
    sessions: user.sessions,
    api_keys: user.apiKeys,
    last_seen_at: user.lastSeenAt && formatDateTime(user.lastSeenAt),
  };
}

export function presentContactMessage(message: Readonly<ContactMessage>): z.input<typeof contactMessageResponse> {
  return {
    id: message.id,
    name: message.name,
    email: message.email,
    message: message.message,
    status: message.status,
    created_at: formatDateTime(message.createdAt),
    answered_at: message.answeredAt && formatDateTime(message.answeredAt),
    answered_by: message.answeredBy,
    note: message.answerNote,
  };
}
