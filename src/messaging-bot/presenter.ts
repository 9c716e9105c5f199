import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { BotLink } from './entities.ts';
import type { IssuedLink } from './issue-link.ts';
import type { botLinkResponse, issuedBotLinkResponse } from './schemas.ts';

/** A link on the wire; one whose time is over is none, whatever its timer has done. */
export function presentLink(link: Readonly<Pick<BotLink, 'connectedAt' | 'expiresAt'>> | null, now: Date): z.input<typeof botLinkResponse> {
  if (link?.connectedAt) return { state: 'connected', connected_at: formatDateTime(link.connectedAt), expires_at: null };
  if (link?.expiresAt && link.expiresAt > now) return { state: 'pending', connected_at: null, expires_at: formatDateTime(link.expiresAt) };
  return { state: 'disconnected', connected_at: null, expires_at: null };
}

export function presentIssuedLink(username: string, { token, expiresAt }: IssuedLink): z.input<typeof issuedBotLinkResponse> {
  return { state: 'pending', url: `https://t.me/${username}?start=${token}`, expires_at: formatDateTime(expiresAt) };
}
