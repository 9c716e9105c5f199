import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { UserEntity } from '../accounts/index.ts';
import { ApplicationEntity } from '../applications/index.ts';
import { DisciplineEntity, ServiceEntity } from '../catalog/index.ts';
import { StoredFileEntity } from '../files/index.ts';
import { ProfileEntity } from '../profiles/index.ts';
import type { AgreementTerms } from './agreement-terms.ts';
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

/** How the agreement with the organizer comes about: `3` is a contract of the agreements, `1` a draft that is signed by hand (events of the earlier flow). */
export type AgreementFlow = 1 | 3;

/** A competition, from its draft to its approved results (service.md "Event", decisions.md §6). */
export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    id: p.integer().primary().autoincrement(),
    ownerId: () => p.manyToOne(UserEntity).mapToPk().fieldName('owner_id').foreignKeyName('events_owner_fk'),
    profileId: () => p.manyToOne(ProfileEntity).mapToPk().fieldName('profile_id').foreignKeyName('events_profile_fk'),
    serviceId: () => p.manyToOne(ServiceEntity).mapToPk().fieldName('service_id').foreignKeyName('events_service_fk'),
    disciplineId: () => p.manyToOne(DisciplineEntity).mapToPk().fieldName('discipline_id').foreignKeyName('events_discipline_fk'),
    title: p.string().length(200),
    location: p.string().length(300),
    startsAt: p.datetime(),
    endsAt: p.datetime(),
    reserveAt: p.datetime().strictNullable(),
    status: p.string().length(20).$type<EventStatus>().default('draft'),
    agreementFlow: p.smallint().$type<AgreementFlow>().default(3),
    // Its fee; made when the details are first submitted, and only once: one fee for one event.
    feeApplicationId: () =>
      p.manyToOne(ApplicationEntity).mapToPk().fieldName('fee_application_id').strictNullable().foreignKeyName('events_fee_application_fk'),
    // What its live contract says of it, and since when the signed scan waits for the federation.
    agreementTerms: p.json<AgreementTerms>().strictNullable(),
    agreementScanAt: p.datetime().strictNullable(),
    publishedAt: p.datetime().strictNullable(),
    completedAt: p.datetime().strictNullable(),
    cancelledAt: p.datetime().strictNullable(),
    cancelReason: p.text().strictNullable(),
    // When its process must look at it next by itself; what is in the past is found by the sweeper.
    dueAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [{ name: 'events_fee_application_unique', properties: ['feeApplicationId'] }],
  indexes: [
    { name: 'events_owner_index', properties: ['ownerId', 'id'] },
    { name: 'events_profile_index', properties: ['profileId'] },
    // For the sweeper: the earliest first, behind the one before.
    { name: 'events_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    // Those that have a process, in slices by their id.
    { name: 'events_live_index', properties: ['id'], where: `status in (${literalText(livingStatuses)})` },
  ],
  checks: [
    { name: 'events_status_known', expression: `status in (${literalText(eventStatuses)})` },
    { name: 'events_agreement_flow_known', expression: 'agreement_flow in (1, 3)' },
    { name: 'events_dates_ordered', expression: 'starts_at <= ends_at and (reserve_at is null or reserve_at >= ends_at)' },
  ],
});
export type Event = InferEntity<typeof EventEntity>;

/** A stage of an event: what was handed in and what became of it. Every event has one row for each stage. */
export const EventStageEntity = defineEntity({
  name: 'EventStage',
  tableName: 'event_stages',
  primaryKeys: ['eventId', 'stage'],
  properties: {
    eventId: () => p.manyToOne(EventEntity).mapToPk().primary().fieldName('event_id').foreignKeyName('event_stages_event_fk'),
    stage: p.string().length(20).$type<StageName>().primary(),
    status: p.string().length(20).$type<StageStatus>().default('locked'),
    // The scan of the agreement (earlier flow), the regulations, the final protocol.
    fileId: () => p.manyToOne(StoredFileEntity).mapToPk().fieldName('file_id').strictNullable().foreignKeyName('event_stages_file_fk'),
    submittedAt: p.datetime().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
    reviewNote: p.text().strictNullable(),
    // When the organizer was reminded of its deadline: once.
    remindedAt: p.datetime().strictNullable(),
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

/** What the organizer asks of those who register (decisions.md §6 "Registrations"). An event without a row takes no registrations. */
export const RegistrationSettingsEntity = defineEntity({
  name: 'RegistrationSettings',
  tableName: 'registration_settings',
  properties: {
    eventId: () => p.manyToOne(EventEntity).mapToPk().primary().fieldName('event_id').foreignKeyName('registration_settings_event_fk'),
    // The intake is open from here until `closesAt`, or the start of the event where that is null.
    opensAt: p.datetime().strictNullable(),
    closesAt: p.datetime().strictNullable(),
    classes: p.json<string[]>(),
    crew: p.json<CrewRules>(),
    vehicleFields: p.json<VehicleField[]>(),
    columns: p.json<string[]>(),
    // When the event's process noted that the intake has opened and closed, as it stands; null again when the dates are moved.
    openedAt: p.datetime().strictNullable(),
    closedAt: p.datetime().strictNullable(),
    updatedAt: p.datetime(),
  },
});
export type RegistrationSettings = InferEntity<typeof RegistrationSettingsEntity>;

/** Bulletins, schemes, schedules and the like of an event, each reviewed by itself. */
export const AdditionalDocumentEntity = defineEntity({
  name: 'AdditionalDocument',
  tableName: 'additional_documents',
  properties: {
    id: p.integer().primary().autoincrement(),
    eventId: () => p.manyToOne(EventEntity).mapToPk().fieldName('event_id').foreignKeyName('additional_documents_event_fk'),
    fileId: () => p.manyToOne(StoredFileEntity).mapToPk().fieldName('file_id').foreignKeyName('additional_documents_file_fk'),
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
    { name: 'additional_documents_queue_index', properties: ['createdAt'], where: "status = 'pending'" },
  ],
  checks: [
    { name: 'additional_documents_kind_known', expression: `kind in (${literalText(additionalDocumentKinds)})` },
    { name: 'additional_documents_status_known', expression: `status in (${literalText(additionalDocumentStatuses)})` },
  ],
});
export type AdditionalDocument = InferEntity<typeof AdditionalDocumentEntity>;

/** Who took part, by their certificate, and with what result (decisions.md §6 "Participants"). */
export const ParticipantEntity = defineEntity({
  name: 'Participant',
  tableName: 'participants',
  primaryKeys: ['eventId', 'applicationId'],
  properties: {
    eventId: () => p.manyToOne(EventEntity).mapToPk().primary().fieldName('event_id').foreignKeyName('participants_event_fk'),
    applicationId: () =>
      p.manyToOne(ApplicationEntity).mapToPk().primary().fieldName('application_id').foreignKeyName('participants_application_fk'),
    profileId: () => p.manyToOne(ProfileEntity).mapToPk().fieldName('profile_id').foreignKeyName('participants_profile_fk'),
    // As they stood on the certificate when the participant was added; results are published with them.
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
 * What the public calendar finds an event by; one row for each that was published, also for one that was cancelled since. Written by the
 * database itself with the event and with the name of its organizer (triggers of the migration `calendar_entries`), so no command can
 * forget it. The other columns of an event would make its indexes wide, and the name of the organizer is not among them.
 */
export const CalendarEntryEntity = defineEntity({
  name: 'CalendarEntry',
  tableName: 'calendar_entries',
  properties: {
    eventId: () =>
      p.manyToOne(EventEntity).mapToPk().primary().fieldName('event_id').deleteRule('cascade').foreignKeyName('calendar_entries_event_fk'),
    startsAt: p.datetime(),
    endsAt: p.datetime(),
    disciplineId: p.integer(),
    // The words of title, location and organizer, as `calendar_words` of the database makes them.
    words: p.string().columnType('tsvector'),
  },
  indexes: [
    // In the order of the calendar; the end stands in them so that counting reads no row.
    { name: 'calendar_entries_index', properties: ['startsAt', 'eventId', 'endsAt'] },
    { name: 'calendar_entries_discipline_index', properties: ['disciplineId', 'startsAt', 'eventId', 'endsAt'] },
    { name: 'calendar_entries_words_index', properties: ['words'], type: 'gin' },
  ],
});
export type CalendarEntry = InferEntity<typeof CalendarEntryEntity>;
