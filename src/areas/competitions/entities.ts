import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import { ApplicationEntity } from '../applications/index.ts';
import { DisciplineEntity, ServiceEntity } from '../catalog/index.ts';
import { StoredFileEntity } from '../files/index.ts';
import { ProfileEntity } from '../profiles/index.ts';
import {
  type AdditionalDocumentKind,
  additionalDocumentKinds,
  type AdditionalDocumentStatus,
  additionalDocumentStatuses,
  type EventStatus,
  eventStatuses,
  livingStatuses,
  type ResultStatus,
  resultStatuses,
  type StageName,
  stageNames,
  type StageStatus,
  stageStatuses,
} from './events/states.ts';

/** Kind of agreement with the organizer: `3` is a contract, `1` a draft that is signed by hand (EVT-18). */
export type AgreementFlow = 1 | 3;

/** The event's terms, copied into the contract when it was made. */
export interface AgreementTerms {
  title: string;
  location: string;
  /** ISO 8601 instants. */
  startsAt: string;
  endsAt: string;
  /** Null in contracts without a discipline. */
  disciplineId: number | null;
}

/** A competition, from its draft to its approved results. */
export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    id: p.integer().primary().autoincrement(),
    ownerId: () => referenceTo(UserEntity, 'owner_id', 'events_owner_fk'),
    profileId: () => referenceTo(ProfileEntity, 'profile_id', 'events_profile_fk'),
    serviceId: () => referenceTo(ServiceEntity, 'service_id', 'events_service_fk'),
    disciplineId: () => referenceTo(DisciplineEntity, 'discipline_id', 'events_discipline_fk'),
    title: p.string().length(200),
    location: p.string().length(300),
    startsAt: p.datetime(),
    endsAt: p.datetime(),
    reserveAt: p.datetime().strictNullable(),
    status: p.string().length(20).$type<EventStatus>().default('draft'),
    agreementFlow: p.smallint().$type<AgreementFlow>().default(3),
    // EVT-4: one fee for one event, made when the details are first submitted.
    feeApplicationId: () => referenceTo(ApplicationEntity, 'fee_application_id', 'events_fee_application_fk').strictNullable(),
    // Terms of the live contract, and since when its signed scan waits for the federation.
    agreementTerms: p.json<AgreementTerms>().strictNullable(),
    agreementScanAt: p.datetime().strictNullable(),
    publishedAt: p.datetime().strictNullable(),
    completedAt: p.datetime().strictNullable(),
    cancelledAt: p.datetime().strictNullable(),
    cancelReason: p.text().strictNullable(),
    // When the event's process runs next; the sweeper finds overdue rows.
    dueAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [{ name: 'events_fee_application_unique', properties: ['feeApplicationId'] }],
  indexes: [
    { name: 'events_owner_index', properties: ['ownerId', 'id'] },
    { name: 'events_profile_index', properties: ['profileId'] },
    // For the sweeper, which pages by this key.
    { name: 'events_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    // Events with a process, paged by id.
    { name: 'events_live_index', properties: ['id'], where: `status in (${literalText(livingStatuses)})` },
  ],
  checks: [
    { name: 'events_status_known', expression: `status in (${literalText(eventStatuses)})` },
    { name: 'events_agreement_flow_known', expression: 'agreement_flow in (1, 3)' },
    { name: 'events_dates_ordered', expression: 'starts_at <= ends_at and (reserve_at is null or reserve_at >= ends_at)' },
  ],
});
export type Event = InferEntity<typeof EventEntity>;

/** A stage of an event: its submission and its decision. Every event has one row for each stage. */
export const EventStageEntity = defineEntity({
  name: 'EventStage',
  tableName: 'event_stages',
  primaryKeys: ['eventId', 'stage'],
  properties: {
    eventId: () => referenceTo(EventEntity, 'event_id', 'event_stages_event_fk').primary(),
    stage: p.string().length(20).$type<StageName>().primary(),
    status: p.string().length(20).$type<StageStatus>().default('locked'),
    // The scan of the agreement (earlier flow), the regulations, the final protocol.
    fileId: () => referenceTo(StoredFileEntity, 'file_id', 'event_stages_file_fk').strictNullable(),
    submittedAt: p.datetime().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
    reviewNote: p.text().strictNullable(),
    // EVT-8: the organizer is reminded once.
    remindedAt: p.datetime().strictNullable(),
    // Grows with each change but the reminder: the version that a decision is about (REV-5).
    updatedAt: p.datetime().defaultRaw('now()'),
  },
  indexes: [
    // For the administrators' queue.
    { name: 'event_stages_queue_index', properties: ['submittedAt'], where: "status = 'submitted'" },
    { name: 'event_stages_file_index', properties: ['fileId'], where: 'file_id is not null' },
  ],
  checks: [
    { name: 'event_stages_stage_known', expression: `stage in (${literalText(stageNames)})` },
    { name: 'event_stages_status_known', expression: `status in (${literalText(stageStatuses)})` },
  ],
});
export type EventStage = InferEntity<typeof EventStageEntity>;

export interface CrewRules {
  roles: string[];
  min: number;
  max: number;
}

export interface VehicleField {
  code: string;
  title: string;
  required: boolean;
}

/** A class of an event with its places (EVT-22). */
export interface ClassLimit {
  name: string;
  /** Null: without limit. */
  capacity: number | null;
  /** Whether a submission to the full class waits for a place; otherwise it is refused. */
  waitingList: boolean;
  /** How long an offered place is kept, hours. */
  offerHours: number;
}

/** What the organizer asks of athletes who register (EVT-14). An event without a row takes no registrations. */
export const RegistrationSettingsEntity = defineEntity({
  name: 'RegistrationSettings',
  tableName: 'registration_settings',
  properties: {
    eventId: () => referenceTo(EventEntity, 'event_id', 'registration_settings_event_fk').primary(),
    // The intake is open from `opensAt` until `closesAt`; null `closesAt` means the start of the event.
    opensAt: p.datetime().strictNullable(),
    closesAt: p.datetime().strictNullable(),
    classes: p.json<string[]>(),
    // EVT-22: of the classes whose places are limited.
    classLimits: p.json<ClassLimit[]>().defaultRaw("'[]'::jsonb"),
    crew: p.json<CrewRules>(),
    vehicleFields: p.json<VehicleField[]>(),
    columns: p.json<string[]>(),
    // When the event's process announced the opening and the closing; null again when the dates change.
    openedAt: p.datetime().strictNullable(),
    closedAt: p.datetime().strictNullable(),
    // REG-19: when the organizer was last notified of new registrations, and whether others were submitted since.
    submissionsToldAt: p.datetime().strictNullable(),
    hasUntoldSubmissions: p.boolean().default(false),
    updatedAt: p.datetime(),
  },
});
export type RegistrationSettings = InferEntity<typeof RegistrationSettingsEntity>;

/** A bulletin, scheme, schedule or other document of an event; each is reviewed separately (EVT-10). */
export const AdditionalDocumentEntity = defineEntity({
  name: 'AdditionalDocument',
  tableName: 'additional_documents',
  properties: {
    id: p.integer().primary().autoincrement(),
    eventId: () => referenceTo(EventEntity, 'event_id', 'additional_documents_event_fk'),
    fileId: () => referenceTo(StoredFileEntity, 'file_id', 'additional_documents_file_fk'),
    title: p.string().length(200),
    kind: p.string().length(20).$type<AdditionalDocumentKind>(),
    status: p.string().length(20).$type<AdditionalDocumentStatus>().default('pending'),
    reviewNote: p.text().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  indexes: [
    { name: 'additional_documents_event_index', properties: ['eventId', 'id'] },
    { name: 'additional_documents_file_index', properties: ['fileId'] },
    { name: 'additional_documents_queue_index', properties: ['createdAt', 'id'], where: "status = 'pending'" },
  ],
  checks: [
    { name: 'additional_documents_kind_known', expression: `kind in (${literalText(additionalDocumentKinds)})` },
    { name: 'additional_documents_status_known', expression: `status in (${literalText(additionalDocumentStatuses)})` },
  ],
});
export type AdditionalDocument = InferEntity<typeof AdditionalDocumentEntity>;

/** A participant, identified by their certificate, with the result. The primary key holds EVT-13. */
export const ParticipantEntity = defineEntity({
  name: 'Participant',
  tableName: 'participants',
  primaryKeys: ['eventId', 'applicationId'],
  properties: {
    eventId: () => referenceTo(EventEntity, 'event_id', 'participants_event_fk').primary(),
    applicationId: () => referenceTo(ApplicationEntity, 'application_id', 'participants_application_fk').primary(),
    profileId: () => referenceTo(ProfileEntity, 'profile_id', 'participants_profile_fk'),
    // EVT-20: copied from the certificate when the participant was added; the public results show them.
    name: p.string().length(400),
    certificateNumber: p.string().length(40),
    category: p.string().length(100).strictNullable(),
    startNumber: p.string().length(20).strictNullable(),
    resultStatus: p.string().length(20).$type<ResultStatus>().default('registered'),
    place: p.integer().strictNullable(),
    result: p.string().length(200).strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  indexes: [
    { name: 'participants_profile_index', properties: ['profileId', 'eventId'] },
    { name: 'participants_application_index', properties: ['applicationId'] },
  ],
  checks: [
    { name: 'participants_result_status_known', expression: `result_status in (${literalText(resultStatuses)})` },
    { name: 'participants_place_positive', expression: 'place is null or place > 0' },
  ],
});
export type Participant = InferEntity<typeof ParticipantEntity>;

/**
 * The search row of an event in the public calendar (EVT-11); every event that was ever published has one.
 *
 * Triggers (`guards.sql`) write it with the event and with the organizer's name, so no command can forget it.
 * A separate table keeps the indexes narrow and holds the organizer's name, which `events` lacks.
 */
export const CalendarEntryEntity = defineEntity({
  name: 'CalendarEntry',
  tableName: 'calendar_entries',
  properties: {
    eventId: () => referenceTo(EventEntity, 'event_id', 'calendar_entries_event_fk').primary().deleteRule('cascade'),
    startsAt: p.datetime(),
    endsAt: p.datetime(),
    disciplineId: p.integer(),
    // Words of title, location and organizer, made by the database function `calendar_words`.
    words: p.string().columnType('tsvector'),
  },
  indexes: [
    // In calendar order; `endsAt` is included so that counting is an index-only scan.
    { name: 'calendar_entries_index', properties: ['startsAt', 'eventId', 'endsAt'] },
    { name: 'calendar_entries_discipline_index', properties: ['disciplineId', 'startsAt', 'eventId', 'endsAt'] },
    { name: 'calendar_entries_words_index', properties: ['words'], type: 'gin' },
    // Events that run at an instant, however long they take.
    {
      name: 'calendar_entries_days_index',
      expression: `create index "calendar_entries_days_index" on "calendar_entries" using gist (tstzrange("starts_at", "ends_at", '[]'))`,
    },
  ],
});
export type CalendarEntry = InferEntity<typeof CalendarEntryEntity>;
