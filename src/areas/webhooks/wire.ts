import { z } from 'zod';
import { dateTimeResponse, line, newestFirst } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/date-time.ts';
import { actionsOf, cursor } from '../changes/index.ts';
import type { Webhook, WebhookDelivery } from './entities.ts';

const types = z
  .array(
    z
      .string()
      .max(120)
      .refine((filter) => actionsOf(filter) !== null, 'must be a type of a change, registry.<record>.* or *'),
  )
  .min(1)
  .max(50)
  .transform((filters) => [...new Set(filters)])
  .meta({
    description: 'Types of changes, `registry.<record>.*` or `*`',
    examples: [['registry.application.*', 'registry.invoice.paid.v1']],
  });
const url = z
  .string()
  .trim()
  .max(2000)
  .refine((text) => URL.canParse(text), 'must be a URL')
  .meta({
    format: 'uri',
    description: 'Address of your receiver: https, without user name, on a public address',
    examples: ['https://example.com/hooks'],
  });
const description = line(200).nullable();

export const newWebhookBody = z.strictObject({ url, types, description: description.optional() });
export const webhookBody = z.strictObject({
  url: url.optional(),
  types: types.optional(),
  description: description.optional(),
  enabled: z.boolean().optional(),
});
/** `after` of `GET /changes`. */
export const replayBody = z.strictObject({ after: cursor });

const state = z.enum(['waiting', 'delivered', 'failed']);
export const deliveriesQuery = z.strictObject({ state: state.optional(), ...newestFirst });

const problem = z
  .string()
  .nullable()
  .meta({ description: 'Why there was no answer; null with one', examples: ['timeout'] });

export const webhookResponse = z
  .object({
    id: z.int(),
    url: z.string(),
    types: z.array(z.string()),
    description: z.string().nullable(),
    enabled: z.boolean(),
    disabled_by: z
      .enum(['owner', 'gone', 'failed'])
      .nullable()
      .meta({ description: '`gone`: the receiver answered 410; `failed`: a change could not be delivered' }),
    sees_all: z.boolean().meta({ description: 'Gets the changes of all records while its owner is an administrator' }),
    last_delivery: z
      .object({ at: dateTimeResponse, status: z.int().nullable(), problem })
      .nullable()
      .meta({ description: 'The latest try' }),
    next_try_at: dateTimeResponse.nullable(),
    former_secret_until: dateTimeResponse.nullable().meta({ description: 'Until then the former secret signs too' }),
    created_at: dateTimeResponse,
  })
  .meta({ id: 'Webhook' });

export const newSecretResponse = z.object({
  secret: z.string().meta({ description: 'Shown once: `whsec_` and base64 of 32 bytes' }),
});
export const newWebhookResponse = webhookResponse.extend(newSecretResponse.shape).meta({ id: 'NewWebhook' });

export const deliveryResponse = z
  .object({
    id: z.int(),
    webhook_id: z.string().meta({ description: 'The header `webhook-id`: id of the change' }),
    type: z.string(),
    subject: z.string(),
    state,
    tries: z.int(),
    next_try_at: dateTimeResponse.nullable(),
    tried_at: dateTimeResponse.nullable(),
    status: z.int().nullable().meta({ description: 'HTTP status of the latest answer' }),
    problem,
    duration_ms: z.int().nullable(),
    answer: z.string().nullable().meta({ description: 'The first 1,000 bytes of the latest answer' }),
    created_at: dateTimeResponse,
  })
  .meta({ id: 'WebhookDelivery' });

export function presentWebhook(webhook: Readonly<Webhook>, now: Date): z.input<typeof webhookResponse> {
  const { lastTriedAt, formerUntil, nextTryAt, status, disabledBy } = webhook;
  return {
    id: webhook.id,
    url: webhook.url,
    types: webhook.types,
    description: webhook.description,
    enabled: status === 'enabled',
    disabled_by: status === 'enabled' ? null : (disabledBy ?? 'owner'),
    sees_all: webhook.seesAll,
    last_delivery: lastTriedAt && { at: formatDateTime(lastTriedAt), status: webhook.lastStatus, problem: webhook.lastProblem },
    next_try_at: nextTryAt && formatDateTime(nextTryAt),
    former_secret_until: formerUntil !== null && formerUntil > now ? formatDateTime(formerUntil) : null,
    created_at: formatDateTime(webhook.createdAt),
  };
}

export function presentDelivery(delivery: Readonly<WebhookDelivery>): z.input<typeof deliveryResponse> {
  const { id, messageId, type, subject, state: reached, tries, nextTryAt, triedAt, status, durationMs, answer } = delivery;
  return {
    id,
    webhook_id: messageId,
    type,
    subject,
    state: reached,
    tries,
    next_try_at: reached === 'waiting' ? formatDateTime(nextTryAt) : null,
    tried_at: triedAt && formatDateTime(triedAt),
    status,
    problem: delivery.problem,
    duration_ms: durationMs,
    answer,
    created_at: formatDateTime(delivery.createdAt),
  };
}
