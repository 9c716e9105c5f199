import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { referenceTo } from '../../platform/database/reference.ts';

/** A key that signs credentials and status lists (VER-9). In real time, because verifiers cache the published keys. */
export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_keys',
  properties: {
    // RFC 7638 thumbprint of the public key.
    kid: p.string().length(43).primary(),
    // `x` of the JWK.
    publicKey: p.string().length(43),
    // PKCS #8, encrypted with ENCRYPTION_KEY.
    privateKey: p.text(),
    publishedAt: p.datetime(),
    signsFrom: p.datetime(),
    // To the day: when it last signed.
    lastSignedAt: p.datetime().strictNullable(),
  },
});
export type SigningKey = InferEntity<typeof SigningKeyEntity>;

/** A status list with its latest edition (VER-12). */
export const StatusListEntity = defineEntity({
  name: 'StatusList',
  tableName: 'status_lists',
  properties: {
    id: p.integer().primary().autoincrement(false),
    // `open` always: the administrators' totals count by status.
    status: p.string().length(20).$type<'open'>().default('open'),
    openedAt: p.datetime(),
    // Number of the latest edition; decides between two workers that make the next one.
    edition: p.integer().default(0),
    // When the reading of the latest edition began; null before the first.
    issuedAt: p.datetime().strictNullable(),
    expiresAt: p.datetime().strictNullable(),
    cwt: p.blob().$type<Buffer>().strictNullable(),
    jwt: p.text().strictNullable(),
    dueAt: p.datetime().strictNullable(),
  },
  indexes: [{ name: 'status_lists_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' }],
});
export type StatusList = InferEntity<typeof StatusListEntity>;

/**
 * A fact behind a certificate of the list has changed since the latest edition. Triggers write it with the history that `?on=` reads, so no
 * command can forget it.
 */
export const StatusListChangeEntity = defineEntity({
  name: 'StatusListChange',
  tableName: 'status_list_changes',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    listId: () => referenceTo(StatusListEntity, 'list_id', 'status_list_changes_list_fk'),
    // In real time: up to when the list is complete while this change waits.
    at: p.datetime().defaultRaw('now()'),
  },
  indexes: [{ name: 'status_list_changes_list_index', properties: ['listId', 'id'] }],
});

/** The place of a certificate in a status list, drawn in the transaction of the certificate, and its signed credential (VER-10). */
export const CredentialEntity = defineEntity({
  name: 'Credential',
  tableName: 'credentials',
  properties: {
    // No foreign key: the certificate's area is above this one.
    applicationId: p.integer().primary().autoincrement(false),
    listId: () => referenceTo(StatusListEntity, 'list_id', 'credentials_list_fk'),
    place: p.integer(),
    // Base64url; null until a worker has signed it.
    credential: p.text().strictNullable(),
    signedAt: p.datetime().strictNullable(),
  },
  // A place is used once, also under concurrent draws.
  uniques: [{ name: 'credentials_place_unique', properties: ['listId', 'place'] }],
  checks: [{ name: 'credentials_place_in_list', expression: 'place >= 0 and place <= 131071' }],
});
