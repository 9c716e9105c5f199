import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import { ApplicationEntity } from '../applications/index.ts';
import type { DocumentType } from '../catalog/index.ts';
import { EventEntity } from '../competitions/index.ts';
import { DocumentEntity, type DocumentStatus } from '../documents/index.ts';
import { StoredFileEntity } from '../files/index.ts';
import { ProfileEntity } from '../profiles/index.ts';
import { livingStatuses, placedStatuses, type RegistrationStatus, registrationStatuses } from './states.ts';

/** An athlete's request to take part in an event. */
export const RegistrationEntity = defineEntity({
  name: 'Registration',
  tableName: 'registrations',
  properties: {
    id: p.integer().primary().autoincrement(),
    eventId: () => referenceTo(EventEntity, 'event_id', 'registrations_event_fk'),
    ownerId: () => referenceTo(UserEntity, 'owner_id', 'registrations_owner_fk'),
    profileId: () => referenceTo(ProfileEntity, 'profile_id', 'registrations_profile_fk'),
    class: p.string().length(100).fieldName('class'),
    // Keyed by the codes of the event's vehicle fields.
    vehicle: p.json<Record<string, string>>(),
    status: p.string().length(20).$type<RegistrationStatus>().default('draft'),
    startNumber: p.string().length(20).strictNullable(),
    // Reason of the organizer's last return or rejection.
    reason: p.text().strictNullable(),
    submittedAt: p.datetime().strictNullable(),
    // REG-21: the instant that decides its place in the line; only while it waits.
    queuedAt: p.datetime().strictNullable(),
    // REG-21: when the offer of a place runs out; only while one is offered.
    offeredUntil: p.datetime().strictNullable(),
    // REG-21: whether an offer ran out before; the second one withdraws it.
    hasMissedOffer: p.boolean().default(false),
    decidedAt: p.datetime().strictNullable(),
    // REG-6: since when both sides know that it is not eligible; null while it is.
    ineligibleSince: p.datetime().strictNullable(),
    // When its process runs next; null when nothing is left to wait for.
    dueAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [
    // REG-2: the index decides, not a preceding read.
    {
      name: 'registrations_live_unique',
      expression: `create unique index "registrations_live_unique" on "registrations" ("event_id", "profile_id", "class") where status in (${literalText(livingStatuses)})`,
    },
    {
      name: 'registrations_start_number_unique',
      expression:
        'create unique index "registrations_start_number_unique" on "registrations" ("event_id", "start_number") where start_number is not null',
    },
  ],
  indexes: [
    { name: 'registrations_owner_index', properties: ['ownerId', 'id'] },
    { name: 'registrations_profile_index', properties: ['profileId'] },
    // The organizer's list, and the export class by class.
    { name: 'registrations_event_index', properties: ['eventId', 'class', 'id'] },
    // REG-20, REG-21: counts the places of a class, and finds the first of its line.
    {
      name: 'registrations_places_index',
      properties: ['eventId', 'class', 'status', 'queuedAt', 'id'],
      where: `status in (${literalText(['waiting', ...placedStatuses])})`,
    },
    // For the sweeper, which pages by this key; below, for the rebuild: registrations with a process.
    { name: 'registrations_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'registrations_live_index', properties: ['id'], where: 'due_at is not null' },
  ],
  checks: [
    { name: 'registrations_status_known', expression: `status in (${literalText(registrationStatuses)})` },
    { name: 'registrations_queue_whole', expression: "(status = 'waiting') = (queued_at is not null)" },
    { name: 'registrations_offer_whole', expression: "(status = 'offered') = (offered_until is not null)" },
  ],
});
export type Registration = InferEntity<typeof RegistrationEntity>;

/** Certificates of a registration: one, or two for an event across New Year; none with papers of another federation (REG-3, REG-4). */
export const RegistrationLicenceEntity = defineEntity({
  name: 'RegistrationLicence',
  tableName: 'registration_licences',
  primaryKeys: ['registrationId', 'applicationId'],
  properties: {
    registrationId: () =>
      referenceTo(RegistrationEntity, 'registration_id', 'registration_licences_registration_fk').primary().deleteRule('cascade'),
    applicationId: () => referenceTo(ApplicationEntity, 'application_id', 'registration_licences_application_fk').primary(),
  },
  // Finds the registrations of a certificate when it changes.
  indexes: [{ name: 'registration_licences_application_index', properties: ['applicationId'] }],
});

/** Snapshot of a registration's documents at its submission (REG-10). */
export const RegistrationDocumentEntity = defineEntity({
  name: 'RegistrationDocument',
  tableName: 'registration_documents',
  primaryKeys: ['registrationId', 'documentId'],
  properties: {
    registrationId: () =>
      referenceTo(RegistrationEntity, 'registration_id', 'registration_documents_registration_fk').primary().deleteRule('cascade'),
    documentId: () => referenceTo(DocumentEntity, 'document_id', 'registration_documents_document_fk').primary(),
    // True for papers of another federation, false for documents of the certificate.
    isAttached: p.boolean(),
    type: p.string().length(40).$type<DocumentType>(),
    number: p.string().length(100).strictNullable(),
    expiresAt: p.date().strictNullable(),
    status: p.string().length(20).$type<DocumentStatus>(),
    fileId: () => referenceTo(StoredFileEntity, 'file_id', 'registration_documents_file_fk'),
  },
  indexes: [
    { name: 'registration_documents_document_index', properties: ['documentId'] },
    { name: 'registration_documents_file_index', properties: ['fileId'] },
  ],
});
export type RegistrationDocument = InferEntity<typeof RegistrationDocumentEntity>;

/** Crew of a registration: other registrations of the same event, each in a role (REG-14). */
export const RegistrationCrewEntity = defineEntity({
  name: 'RegistrationCrew',
  tableName: 'registration_crew',
  primaryKeys: ['registrationId', 'memberId'],
  properties: {
    registrationId: () =>
      referenceTo(RegistrationEntity, 'registration_id', 'registration_crew_registration_fk').primary().deleteRule('cascade'),
    memberId: () => referenceTo(RegistrationEntity, 'member_id', 'registration_crew_member_fk').primary(),
    role: p.string().length(60),
  },
  indexes: [{ name: 'registration_crew_member_index', properties: ['memberId'] }],
});

/** Changes of a registration's status; append-only. */
export const RegistrationHistoryEntity = defineEntity({
  name: 'RegistrationHistory',
  tableName: 'registration_history',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    // No foreign key, so that the history outlives its registration.
    registrationId: p.integer(),
    at: p.datetime(),
    status: p.string().length(20).$type<RegistrationStatus>(),
    actor: p.string().length(20).$type<'athlete' | 'organizer' | 'registry'>(),
    actorId: p.integer().strictNullable(),
    reason: p.text().strictNullable(),
    // After the step. Two steps `approved` in a row: the second set another number (REG-12).
    startNumber: p.string().length(20).strictNullable(),
    requestId: p.string().length(64),
  },
  indexes: [{ name: 'registration_history_registration_index', properties: ['registrationId', 'id'] }],
});
export type RegistrationHistory = InferEntity<typeof RegistrationHistoryEntity>;
