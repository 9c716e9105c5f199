import { z } from 'zod';
import { dateTimeResponse, line, newestFirst } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { withoutSurrounding } from '../../platform/text.ts';
import { confirmation } from '../accounts/index.ts';
import { actionsOf, cursor } from '../changes/index.ts';
import type { Webhook, WebhookDelivery } from './entities.ts';
import type { Backlog } from './queries.ts';

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
const longestUrl = 2000;
/** Characters that a person does not see: controls, line ends, marks of direction, blanks other than the space around the text. */
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** The address as it is stored and sent to: a URL in its normal form (WHK-7). */
const url = z
  .string()
  .max(longestUrl)
  .transform((text, context) => {
    const given = withoutSurrounding(text, ' ');
    const problem = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (invisible.test(given)) return problem('must not have spaces, line ends or invisible characters');
    if (!URL.canParse(given)) return problem('must be a URL');
    const { href } = new URL(given);
    return href.length > longestUrl ? problem(`must have at most ${longestUrl} characters in its normal form`) : href;
  })
  .meta({
    wire: {
      type: 'string',
      format: 'uri',
      maxLength: longestUrl,
      description: 'Address of your receiver: https, without user name, on a public address. Stored in its normal form',
      examples: ['https://example.com/hooks'],
    },
  });
const description = line(200).nullable().describe('For you; not sent');
const enabled = z.boolean().describe('False: no change is sent');

/** In a browser session the person confirms; a key has no password. */
const person = {
  password: confirmation.password.optional().describe("The caller's own password; needed in a browser session"),
  code: confirmation.code,
};

export const newWebhookBody = z.strictObject({ url, types, description: description.optional(), ...person });
export const webhookBody = z.strictObject({
  url: url.optional(),
  types: types.optional(),
  description: description.optional(),
  enabled: enabled.optional(),
  ...person,
  password: person.password.describe(
    "The caller's own password; needed in a browser session for another `url`, and to enable a webhook with `disabled_reason` `password_changed` or `key_ended`",
  ),
});
/** `after` of `GET /changes`. */
export const replayBody = z.strictObject({ after: cursor });

const state = z.enum(['waiting', 'delivered', 'failed']).describe('`waiting`: for its first or next try; `failed`: not tried again');
export const deliveriesQuery = z.strictObject({ state: state.optional(), ...newestFirst });

const problem = z
  .string()
  .nullable()
  .meta({ description: 'Why there was no answer; null with one', examples: ['timeout'] });

const subject = z.string().meta({ description: 'Kind and id of the record', examples: ['application/12'] });
const answerStatus = z.int().nullable().describe('HTTP status of the latest answer; null without one');
const disabledReason = z.enum(['owner', 'gone', 'failed', 'password_changed', 'key_ended', 'no_second_factor']);

export const webhookResponse = z
  .object({
    id: z.int(),
    url: z.string().describe('Address of the receiver'),
    types: z.array(z.string()).describe('Types of changes, `registry.<record>.*` or `*`'),
    description,
    enabled,
    disabled_reason: disabledReason
      .nullable()
      .describe(
        '`owner`: you; `gone`: the receiver answered 410; `failed`: it took nothing for five days; `password_changed`, `key_ended`: the access that made the webhook ended; enable it with your password; `no_second_factor`: administrators need a second factor; set one up and enable it',
      ),
    disabled_by: disabledReason.nullable().meta({ description: 'The same as `disabled_reason`', deprecated: true }),
    sees_all: z.boolean().describe('Gets the changes of all records while its owner is an administrator'),
    last_delivery: z.object({ at: dateTimeResponse, status: answerStatus, problem }).nullable().describe('The latest try'),
    next_try_at: dateTimeResponse.nullable(),
    former_secret_until: dateTimeResponse.nullable().describe('Until then the former secret signs too'),
    created_at: dateTimeResponse,
  })
  .meta({ id: 'Webhook' });

/** With what waits (WHK-10). */
export const webhookDetailResponse = webhookResponse
  .extend({
    waiting: z.int().describe('Deliveries that wait, also behind a failed one'),
    oldest_waiting_at: dateTimeResponse.nullable(),
    failing_subjects: z
      .array(
        z.object({
          subject,
          since: dateTimeResponse,
          attempts: z.int().describe('Failed tries since then'),
          last_status: z.int().nullable().describe('Null: there was no answer'),
        }),
      )
      .describe('Records whose changes the receiver does not take, those that fail longest; at most 20'),
    failing_total: z.int().describe('Number of all such records'),
  })
  .meta({ id: 'WebhookDetail' });

export const newSecretResponse = z.object({
  secret: z.string().describe('Shown once: `whsec_` and base64 of 32 bytes'),
});
export const newWebhookResponse = webhookResponse.extend(newSecretResponse.shape).meta({ id: 'NewWebhook' });

export const deliveryResponse = z
  .object({
    id: z.int(),
    webhook_id: z.string().describe('The header `webhook-id`: id of the change'),
    type: z.string().meta({ description: 'Type of the change', examples: ['registry.application.approved.v1'] }),
    subject,
    state,
    tries: z.int().describe('Number of tries so far'),
    next_try_at: dateTimeResponse.nullable(),
    tried_at: dateTimeResponse.nullable(),
    status: answerStatus,
    problem,
    duration_ms: z.int().nullable().describe('Milliseconds of the latest try'),
    answer: z.string().nullable().describe('The first 1,000 bytes of the latest answer'),
    created_at: dateTimeResponse,
  })
  .meta({ id: 'WebhookDelivery' });

export function presentWebhook(webhook: Readonly<Webhook>, now: Date): z.input<typeof webhookResponse> {
  const { lastTriedAt, formerUntil, nextTryAt, status, disabledBy } = webhook;
  const disabled = status === 'enabled' ? null : (disabledBy ?? 'owner');
  return {
    id: webhook.id,
    url: webhook.url,
    types: webhook.types,
    description: webhook.description,
    enabled: status === 'enabled',
    disabled_reason: disabled,
    disabled_by: disabled,
    sees_all: webhook.seesAll,
    last_delivery: lastTriedAt && { at: formatDateTime(lastTriedAt), status: webhook.lastStatus, problem: webhook.lastProblem },
    next_try_at: nextTryAt && formatDateTime(nextTryAt),
    former_secret_until: formerUntil !== null && formerUntil > now ? formatDateTime(formerUntil) : null,
    created_at: formatDateTime(webhook.createdAt),
  };
}

export function presentBacklog({ waiting, oldestWaitingAt, failingSubjects, failingTotal }: Backlog) {
  return {
    waiting,
    oldest_waiting_at: oldestWaitingAt && formatDateTime(oldestWaitingAt),
    failing_subjects: failingSubjects.flatMap(({ subject, failingSince, attempts, lastStatus }) =>
      failingSince === null ? [] : [{ subject, since: formatDateTime(failingSince), attempts, last_status: lastStatus }],
    ),
    failing_total: failingTotal,
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
