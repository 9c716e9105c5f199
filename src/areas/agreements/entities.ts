import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import { EventEntity } from '../competitions/index.ts';
import { StoredFileEntity } from '../files/index.ts';
import { type ContractStatus, contractStatuses, liveStatuses, waitingStatuses } from './contracts/states.ts';

/** Millimetres from the last page's top left corner to the mark's; `scale` 1 is 50 mm wide for the signature, 40 mm for the stamp. */
export interface MarkPlace {
  x: number;
  y: number;
  scale: number;
}

export interface SigningLayout {
  signature: MarkPlace;
  stamp: MarkPlace;
}

/**
 * The signing setting of the federation (AGR-8). Append-only: the newest row applies to new agreements, and each agreement keeps the row it
 * was made with.
 */
export const FederationSigningEntity = defineEntity({
  name: 'FederationSigning',
  tableName: 'federation_signings',
  properties: {
    id: p.integer().primary().autoincrement(),
    signerName: p.string().length(200),
    signerPosition: p.string().length(200),
    signatureFileId: () => referenceTo(StoredFileEntity, 'signature_file_id', 'federation_signings_signature_fk'),
    stampFileId: () => referenceTo(StoredFileEntity, 'stamp_file_id', 'federation_signings_stamp_fk'),
    layout: p.json<SigningLayout>(),
    actorId: () => referenceTo(UserEntity, 'actor_id', 'federation_signings_actor_fk'),
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'federation_signings_signature_index', properties: ['signatureFileId'] },
    { name: 'federation_signings_stamp_index', properties: ['stampFileId'] },
  ],
});
export type FederationSigning = InferEntity<typeof FederationSigningEntity>;

/** A template of agreements; `version` is the newest. */
export const ContractTemplateEntity = defineEntity({
  name: 'ContractTemplate',
  tableName: 'contract_templates',
  properties: {
    id: p.integer().primary().autoincrement(),
    version: p.integer().default(1),
    active: p.boolean().default(true),
    isDefault: p.boolean().default(false),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [
    {
      name: 'contract_templates_one_default',
      expression: 'create unique index "contract_templates_one_default" on "contract_templates" ("is_default") where is_default',
    },
  ],
});
export type ContractTemplate = InferEntity<typeof ContractTemplateEntity>;

/** An immutable version of a template; agreements keep the version they were made from (AGR-9). */
export const ContractTemplateVersionEntity = defineEntity({
  name: 'ContractTemplateVersion',
  tableName: 'contract_template_versions',
  primaryKeys: ['templateId', 'version'],
  properties: {
    templateId: () => referenceTo(ContractTemplateEntity, 'template_id', 'contract_template_versions_template_fk').primary(),
    version: p.integer().primary(),
    title: p.string().length(200),
    body: p.text(),
    createdAt: p.datetime(),
  },
});
export type ContractTemplateVersion = InferEntity<typeof ContractTemplateVersionEntity>;

/** The facts of an agreement, fixed when it was made; later changes of event, profile or setting do not affect it (AGR-3). */
export interface ContractSnapshot {
  eventTitle: string;
  eventStartsAt: string;
  eventEndsAt: string;
  eventLocation: string;
  /** Absent in old agreements. */
  disciplineId?: number;
  organizerName: string;
  organizerBin: string | null;
  organizerDirector: string;
  notes: string | null;
  signerName: string;
  signerPosition: string;
  /** Address in the QR of the PDF, stored with it because the address of the service may change. */
  verificationUrl?: string;
}

/** The request that created an agreement; its PDF is audited in the same name. */
export interface ContractCreator {
  /** The accountable account: under impersonation the administrator. */
  userId: number;
  impersonatedUserId: number | null;
  ip: string | null;
  requestId: string;
}

/** An agreement with an organizer about one event. */
export const ContractEntity = defineEntity({
  name: 'Contract',
  tableName: 'contracts',
  properties: {
    id: p.integer().primary().autoincrement(),
    eventId: () => referenceTo(EventEntity, 'event_id', 'contracts_event_fk'),
    ownerId: () => referenceTo(UserEntity, 'owner_id', 'contracts_owner_fk'),
    number: p.string().length(40),
    year: p.integer(),
    sequence: p.integer(),
    // 1 for the first agreement about the event, one more with each replacement.
    version: p.integer(),
    status: p.string().length(20).$type<ContractStatus>().default('generated'),
    templateId: () => referenceTo(ContractTemplateEntity, 'template_id', 'contracts_template_fk'),
    templateVersion: p.integer(),
    signingId: () => referenceTo(FederationSigningEntity, 'signing_id', 'contracts_signing_fk'),
    snapshot: p.json<ContractSnapshot>(),
    creator: p.json<ContractCreator>().strictNullable(),
    token: p.string().length(43),
    signedAt: p.datetime(),
    // The generated PDF; null until it is stored.
    pages: p.integer().strictNullable(),
    originalStorageKey: p.string().length(200).strictNullable(),
    originalSha256: p.string().length(64).strictNullable(),
    originalSize: p.integer().strictNullable(),
    // The latest signed scan.
    scanStorageKey: p.string().length(200).strictNullable(),
    scanSha256: p.string().length(64).strictNullable(),
    scanSize: p.integer().strictNullable(),
    scanPages: p.integer().strictNullable(),
    scanUploadedAt: p.datetime().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
    // Of a rejection, a cancellation or a replacement.
    reason: p.text().strictNullable(),
    replacesId: p.integer().strictNullable(),
    replacedById: p.integer().strictNullable(),
    // Last reminder in the current status.
    remindedAt: p.datetime().strictNullable(),
    dueAt: p.datetime().strictNullable(),
    // When the process of a waiting agreement ended because its event is over (AGR-7).
    closedAt: p.datetime().strictNullable(),
    // Since when administrators are to see that the organizer ended it (AGR-17); null when they need not, or have seen it.
    unseenSince: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [
    { name: 'contracts_number_unique', properties: ['number'] },
    { name: 'contracts_sequence_unique', properties: ['year', 'sequence'] },
    { name: 'contracts_token_unique', properties: ['token'] },
    // AGR-1; decides concurrent inserts.
    {
      name: 'contracts_live_unique',
      expression: `create unique index "contracts_live_unique" on "contracts" ("event_id") where status in (${literalText(liveStatuses)})`,
    },
  ],
  indexes: [
    { name: 'contracts_owner_index', properties: ['ownerId', 'id'] },
    { name: 'contracts_event_index', properties: ['eventId', 'id'] },
    { name: 'contracts_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'contracts_waiting_index', properties: ['id'], where: `closed_at is null and status in (${literalText(waitingStatuses)})` },
    // For the administrators' queue.
    { name: 'contracts_unseen_index', properties: ['unseenSince', 'id'], where: 'unseen_since is not null' },
    { name: 'contracts_queue_index', properties: ['scanUploadedAt'], where: "closed_at is null and status = 'pending'" },
  ],
  checks: [{ name: 'contracts_status_known', expression: `status in (${literalText(contractStatuses)})` }],
});
export type Contract = InferEntity<typeof ContractEntity>;
