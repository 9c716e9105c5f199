import { z } from 'zod';
import { dateTimeResponse, uuid } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import type { ListedSession } from './list-sessions.ts';

export const sessionParams = z.strictObject({ id: uuid });
export const listedSessionResponse = z
  .object({
    id: uuid.describe('Not the secret of the cookie'),
    created_at: dateTimeResponse,
    last_seen_at: dateTimeResponse.describe('Last request, to the minute'),
    ip: z.string().nullable().describe('Client address at the sign-in'),
    user_agent: z
      .string()
      .nullable()
      .describe('Browser at the sign-in, as it named itself: at most 200 characters, without control characters'),
    current: z.boolean().describe('True for the session of this request'),
    expires_at: dateTimeResponse.describe('Latest end; 12 hours without a request end it earlier'),
  })
  .meta({ id: 'ListedSession' });

/** A session as administrators see it (ADM-7). */
export const userSessionResponse = listedSessionResponse.omit({ current: true }).meta({ id: 'UserSession' });

/** @param currentId the session of the request */
export function presentListedSession(session: ListedSession, currentId: string): z.input<typeof listedSessionResponse> {
  return { ...presentUserSession(session), current: session.id === currentId };
}

export function presentUserSession(session: ListedSession): z.input<typeof userSessionResponse> {
  return {
    id: session.id,
    created_at: formatDateTime(session.createdAt),
    last_seen_at: formatDateTime(session.lastSeenAt),
    ip: session.ip,
    user_agent: session.userAgent,
    expires_at: formatDateTime(session.expiresAt),
  };
}
