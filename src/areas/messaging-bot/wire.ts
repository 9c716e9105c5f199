import { z } from 'zod';
import { dateTimeResponse } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import type { BotLink } from './entities.ts';
import type { IssuedLink } from './issue-link.ts';

const linkStates = ['disconnected', 'pending', 'connected'] as const;

export const botLinkResponse = z
  .object({
    state: z.enum(linkStates).describe('`pending`: a link was created and not opened yet'),
    connected_at: dateTimeResponse.nullable(),
    expires_at: dateTimeResponse.nullable().describe('When the pending link expires'),
  })
  .meta({ id: 'MessagingBotLink' });

export const issuedBotLinkResponse = z
  .object({
    state: z.literal('pending'),
    url: z.url().meta({
      description: 'Open it on the telephone; it is not shown again',
      examples: ['https://t.me/registry_bot?start=kMNvTq8hcwYSjOBnyXvs3bZ0H1pA7dLr'],
    }),
    expires_at: dateTimeResponse,
  })
  .meta({ id: 'IssuedMessagingBotLink' });

const secret = z.string().optional();
/** The header of the specification and the platform's own; either is accepted. */
export const secretHeaders = z.object({
  'x-messaging-bot-api-secret-token': secret.describe('Secret of the webhook; either header is accepted'),
  'x-telegram-bot-api-secret-token': secret.describe("Secret of the webhook in the platform's own header"),
});

/** Numbers of the platform: above the database's integer, within JavaScript's safe integers. */
const number = z.int();
const chat = z.looseObject({ id: number, type: z.string().max(40) });
const person = z.looseObject({ language_code: z.string().max(40).optional() });

/** The parts of an update that the bot reads; the platform may add fields and kinds. */
export const updateBody = z
  .looseObject({
    update_id: number.min(0),
    message: z.looseObject({ chat, from: person.optional(), text: z.string().optional() }).optional(),
    my_chat_member: z
      .looseObject({ chat, from: person.optional(), new_chat_member: z.looseObject({ status: z.string().max(40) }) })
      .optional(),
  })
  .meta({ id: 'BotUpdate', description: 'An update of the bot platform; other kinds and fields are ignored' });

export const receivedUpdateResponse = z.object({ received: z.literal(true) }).meta({ id: 'ReceivedUpdate' });

/** Presents a link; an expired one counts as none, also before its timer runs. */
export function presentLink(link: Readonly<Pick<BotLink, 'connectedAt' | 'expiresAt'>> | null, now: Date): z.input<typeof botLinkResponse> {
  if (link?.connectedAt) return { state: 'connected', connected_at: formatDateTime(link.connectedAt), expires_at: null };
  if (link?.expiresAt && link.expiresAt > now) return { state: 'pending', connected_at: null, expires_at: formatDateTime(link.expiresAt) };
  return { state: 'disconnected', connected_at: null, expires_at: null };
}

export function presentIssuedLink(username: string, { token, expiresAt }: IssuedLink): z.input<typeof issuedBotLinkResponse> {
  return { state: 'pending', url: `https://t.me/${username}?start=${token}`, expires_at: formatDateTime(expiresAt) };
}
