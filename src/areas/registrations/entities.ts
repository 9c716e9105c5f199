import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { UserEntity } from '../accounts/index.ts';
import { ApplicationEntity } from '../applications/index.ts';
import type { DocumentType } from '../catalog/index.ts';
import { EventEntity } from '../competitions/index.ts';
import { DocumentEntity, type DocumentStatus } from '../documents/index.ts';
import { StoredFileEntity } from '../files/index.ts';
import { ProfileEntity } from '../profiles/index.ts';
import { livingStatuses, type RegistrationStatus, registrationStatuses } from './states.ts';

/** An athlete's request to take part in an event (service.md "Event registration", decisions.md §6). */
export const RegistrationEntity = defineEntity({
  name: 'Registration',
  tableName: 'registrations',
  properties: {
    id: p.integer().primary().autoincrement(),
    eventId: () => p.manyToOne(EventEntity).mapToPk().fieldName('event_id').foreignKeyName('registrations_event_fk'),
    ownerId: () => p.manyToOne(UserEntity).mapToPk().fieldName('owner_id').foreignKeyName('registrations_owner_fk'),
    profileId: () => p.manyToOne(ProfileEntity).mapToPk().fieldName('profile_id').foreignKeyName('registrations_profile_fk'),
    class: p.string().length(100).fieldName('class'),
    // By the codes of the event's vehicle fields.
    vehicle: p.json<Record<string, string>>(),
    status: p.string().length(20).$type<RegistrationStatus>().default('draft'),
    startNumber: p.string().length(20).strictNullable(),
    // Of the organizer's last decision, where it needs one.
    reason: p.text().strictNullable(),
    submittedAt: p.datetime().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
    // Since when it is known that it does not stand on every day of the event, and both sides were told; null while it does.
    ineligibleSince: p.datetime().strictNullable(),
    // When its process must look at it next by itself; null once nothing is left to wait for.
    dueAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [
    // One live registration for an event, profile and class, decided here and not by reading first.
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
    // For the sweeper: the earliest first, behind the one before; for the rolling audit: those that have a process.
    { name: 'registrations_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'registrations_live_index', properties: ['id'], where: 'due_at is not null' },
  ],
  checks: [{ name: 'registrations_status_known', expression: `status in (${literalText(registrationStatuses)})` }],
});
export type Registration = InferEntity<typeof RegistrationEntity>;

/** The certificates a registration stands on: one, or two where the event crosses New Year; none with documents of another federation. */
export const RegistrationLicenceEntity = defineEntity({
  name: 'RegistrationLicence',
  tableName: 'registration_licences',
  primaryKeys: ['registrationId', 'applicationId'],
  properties: {
    registrationId: () =>
      p
        .manyToOne(RegistrationEntity)
        .mapToPk()
        .primary()
        .fieldName('registration_id')
        .deleteRule('cascade')
        .foreignKeyName('registration_licences_registration_fk'),
    applicationId: () =>
      p.manyToOne(ApplicationEntity).mapToPk().primary().fieldName('application_id').foreignKeyName('registration_licences_application_fk'),
  },
  // "Which registrations does this certificate stand behind": when it changes.
  indexes: [{ name: 'registration_licences_application_index', properties: ['applicationId'] }],
});

/** The documents behind a registration as they stood when it was submitted (service.md "a snapshot of documents"). */
export const RegistrationDocumentEntity = defineEntity({
  name: 'RegistrationDocument',
  tableName: 'registration_documents',
  primaryKeys: ['registrationId', 'documentId'],
  properties: {
    registrationId: () =>
      p
        .manyToOne(RegistrationEntity)
        .mapToPk()
        .primary()
        .fieldName('registration_id')
        .deleteRule('cascade')
        .foreignKeyName('registration_documents_registration_fk'),
    documentId: () =>
      p.manyToOne(DocumentEntity).mapToPk().primary().fieldName('document_id').foreignKeyName('registration_documents_document_fk'),
    // Attached to the registration itself (another federation's papers), not found behind its certificate.
    isAttached: p.boolean(),
    type: p.string().length(40).$type<DocumentType>(),
    number: p.string().length(100).strictNullable(),
    expiresAt: p.date().strictNullable(),
    status: p.string().length(20).$type<DocumentStatus>(),
    fileId: () => p.manyToOne(StoredFileEntity).mapToPk().fieldName('file_id').foreignKeyName('registration_documents_file_fk'),
  },
  indexes: [
    { name: 'registration_documents_document_index', properties: ['documentId'] },
    { name: 'registration_documents_file_index', properties: ['fileId'] },
  ],
});
export type RegistrationDocument = InferEntity<typeof RegistrationDocumentEntity>;

/** Who else is in the vehicle: other registrations of the same event, each in a role. */
export const RegistrationCrewEntity = defineEntity({
  name: 'RegistrationCrew',
  tableName: 'registration_crew',
  primaryKeys: ['registrationId', 'memberId'],
  properties: {
    registrationId: () =>
      p
        .manyToOne(RegistrationEntity)
        .mapToPk()
        .primary()
        .fieldName('registration_id')
        .deleteRule('cascade')
        .foreignKeyName('registration_crew_registration_fk'),
    memberId: () =>
      p.manyToOne(RegistrationEntity).mapToPk().primary().fieldName('member_id').foreignKeyName('registration_crew_member_fk'),
    role: p.string().length(60),
  },
  indexes: [{ name: 'registration_crew_member_index', properties: ['memberId'] }],
});

/** Every change of a registration's status, never changed (decisions.md §6 `history`). */
export const RegistrationHistoryEntity = defineEntity({
  name: 'RegistrationHistory',
  tableName: 'registration_history',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    // No foreign key: a draft may be deleted, what happened to it stays.
    registrationId: p.integer(),
    at: p.datetime(),
    status: p.string().length(20).$type<RegistrationStatus>(),
    actor: p.string().length(20).$type<'athlete' | 'organizer' | 'registry'>(),
    actorId: p.integer().strictNullable(),
    reason: p.text().strictNullable(),
    requestId: p.string().length(64),
  },
  indexes: [{ name: 'registration_history_registration_index', properties: ['registrationId', 'id'] }],
});
export type RegistrationHistory = InferEntity<typeof RegistrationHistoryEntity>;
