import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { referenceTo } from '../../platform/database/reference.ts';

/** Why the registry disabled a webhook. */
export type DisabledReason = 'gone' | 'failed' | 'password_changed' | 'key_ended' | 'no_second_factor';

/** An address of an account's program that gets changes (WHK-1). */
export const WebhookEntity = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    id: p.integer().primary().autoincrement(),
    // No foreign key to `users`: a transaction that writes a webhook must not lock the account.
    userId: p.integer(),
    status: p.string().length(20).$type<'enabled' | 'disabled' | 'deleted'>().default('enabled'),
    // Why the registry disabled it; null when the owner did.
    disabledBy: p.string().length(20).$type<DisabledReason>().strictNullable(),
    // The API key that created or redirected it, and ends with it; null: a browser session with the password (WHK-9).
    keyId: p.integer().strictNullable(),
    url: p.string().length(2000),
    // Types as the owner wrote them: `registry.application.approved.v1`, `registry.application.*` or `*`.
    types: p.array(),
    description: p.string().length(200).strictNullable(),
    // Created by a caller who may read the records of others (WHK-3).
    seesAll: p.boolean(),
    // Encrypted with ENCRYPTION_KEY. The former one signs too until `former_until`.
    secret: p.text(),
    formerSecret: p.text().strictNullable(),
    formerUntil: p.datetime().strictNullable(),
    // All changes up to this position have deliveries, or are not for this webhook.
    place: p.bigint('number'),
    changeId: p.bigint('number'),
    positionAt: p.datetime(),
    // When a delivery can be tried next; null when none waits.
    nextTryAt: p.datetime().strictNullable(),
    // The first failed try since the last delivery; null while the receiver takes changes (WHK-5).
    failingSince: p.datetime().strictNullable(),
    // Subjects in a row whose first try failed, and single tries after them. Many mean a dead receiver (WHK-4).
    failedInRow: p.integer().default(0),
    // Nothing is sent before; null: at once.
    restsUntil: p.datetime().strictNullable(),
    // Of the latest try.
    lastTriedAt: p.datetime().strictNullable(),
    lastStatus: p.smallint().strictNullable(),
    lastProblem: p.string().length(40).strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    dueAt: p.datetime().strictNullable(),
  },
  indexes: [
    { name: 'webhooks_user_index', properties: ['userId', 'id'] },
    { name: 'webhooks_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'webhooks_enabled_index', properties: ['id'], where: "status = 'enabled'" },
    { name: 'webhooks_key_index', properties: ['keyId'], where: 'key_id is not null' },
    { name: 'webhooks_deleted_index', properties: ['updatedAt'], where: "status = 'deleted'" },
  ],
});
export type Webhook = InferEntity<typeof WebhookEntity>;

/** A change on its way to a webhook, and for thirty days what became of it (WHK-6). */
export const WebhookDeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    webhookId: () => referenceTo(WebhookEntity, 'webhook_id', 'webhook_deliveries_webhook_fk'),
    state: p.string().length(20).$type<'waiting' | 'delivered' | 'failed'>().default('waiting'),
    // Id of the change; a replay sends it again.
    messageId: p.string().length(80),
    type: p.string().length(120),
    subject: p.string().length(110),
    body: p.text(),
    isTest: p.boolean(),
    // The account owned the record, or its event: administrator rights are not needed.
    isOwn: p.boolean(),
    tries: p.integer().default(0),
    nextTryAt: p.datetime(),
    triedAt: p.datetime().strictNullable(),
    status: p.smallint().strictNullable(),
    problem: p.string().length(40).strictNullable(),
    durationMs: p.integer().strictNullable(),
    answer: p.text().strictNullable(),
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'webhook_deliveries_list_index', properties: ['webhookId', 'id'] },
    { name: 'webhook_deliveries_state_index', properties: ['webhookId', 'state', 'id'] },
    { name: 'webhook_deliveries_created_index', properties: ['createdAt'] },
    // The next of a subject, and waiting tests.
    { name: 'webhook_deliveries_subject_index', properties: ['webhookId', 'subject', 'id'], where: "state = 'waiting' and not is_test" },
    { name: 'webhook_deliveries_test_index', properties: ['webhookId', 'id'], where: "state = 'waiting' and is_test" },
  ],
});
export type WebhookDelivery = InferEntity<typeof WebhookDeliveryEntity>;

/**
 * A subject with deliveries that wait for a webhook. They go one after the other, and wait by themselves while the first one fails (WHK-4).
 * A trigger of `webhook_deliveries` inserts it.
 */
export const WebhookSubjectEntity = defineEntity({
  name: 'WebhookSubject',
  tableName: 'webhook_subjects',
  primaryKeys: ['webhookId', 'subject'],
  properties: {
    webhookId: () => referenceTo(WebhookEntity, 'webhook_id', 'webhook_subjects_webhook_fk').primary().deleteRule('cascade'),
    subject: p.string().length(110).primary(),
    // When its next delivery can be tried.
    nextTryAt: p.datetime(),
    // The first failed try since its last delivery; null while it goes on.
    failingSince: p.datetime().strictNullable(),
    // Failed tries since then, and the status of the last one.
    attempts: p.integer().default(0),
    lastStatus: p.smallint().strictNullable(),
  },
  // A subject that fails must not cost those that go on anything.
  indexes: [
    { name: 'webhook_subjects_ready_index', properties: ['webhookId', 'nextTryAt'], where: 'failing_since is null' },
    { name: 'webhook_subjects_retry_index', properties: ['webhookId', 'nextTryAt'], where: 'failing_since is not null' },
    { name: 'webhook_subjects_failing_index', properties: ['webhookId', 'failingSince'], where: 'failing_since is not null' },
  ],
});
export type WebhookSubject = InferEntity<typeof WebhookSubjectEntity>;
