import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { referenceTo } from '../../platform/database/reference.ts';

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
    disabledBy: p.string().length(20).$type<'gone' | 'failed'>().strictNullable(),
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
    // Deliveries of one subject go one after the other.
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
  ],
});
export type WebhookDelivery = InferEntity<typeof WebhookDeliveryEntity>;
