import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { referenceTo } from '../../platform/database/reference.ts';
import type { ProcessRef } from '../../platform/workflows/process-ref.ts';
import { UserEntity } from '../accounts/index.ts';
import { EventEntity } from '../competitions/index.ts';
import { ProfileEntity, type ReviewStatus } from '../profiles/index.ts';
import type { ProcessAction } from './processes/process-status.ts';

/** An administrator's action on a process, with their reason; append-only. The audit row has the same request id. */
export const ProcessActionEntity = defineEntity({
  name: 'ProcessAction',
  tableName: 'process_actions',
  properties: {
    id: p.integer().primary().autoincrement(),
    process: p.string().length(100).$type<ProcessRef>(),
    action: p.string().length(20).$type<ProcessAction>(),
    reason: p.text(),
    actorId: () => referenceTo(UserEntity, 'actor_id', 'process_actions_actor_fk'),
    requestId: p.string().length(64),
    at: p.datetime(),
  },
  indexes: [{ name: 'process_actions_process_index', properties: ['process', 'id'] }],
});
export type StoredProcessAction = InferEntity<typeof ProcessActionEntity>;

/**
 * Search row of an athlete's profile. Triggers (`guards.sql`) write it with the profile, the owner's e-mail and the applications, so no command can forget it. It has years and no flags: whether a certificate is in force depends on the clock, and no
 * row changes when a year ends.
 */
export const AthleteEntryEntity = defineEntity({
  name: 'AthleteEntry',
  tableName: 'athlete_entries',
  properties: {
    profileId: () => referenceTo(ProfileEntity, 'profile_id', 'athlete_entries_profile_fk').primary().deleteRule('cascade'),
    // Status of the profile.
    status: p.string().length(20).$type<ReviewStatus>(),
    // The two latest years of national certificates that count as issued; each ends with its year (APP-8). Of at most two living years
    // the later one is the next (APP-19).
    issuedYear: p.integer().strictNullable(),
    earlierIssuedYear: p.integer().strictNullable(),
    // The two latest years of submitted or returned applications for a national certificate.
    pendingYear: p.integer().strictNullable(),
    earlierPendingYear: p.integer().strictNullable(),
    // Words of name, city, e-mail, phone, IIN and id, made by `athlete_words` of the database.
    words: p.string().columnType('tsvector'),
  },
  indexes: [
    // In the order of the list, with all filter columns, so that neither a page nor a count reads a row.
    {
      name: 'athlete_entries_index',
      properties: ['profileId', 'status', 'issuedYear', 'earlierIssuedYear', 'pendingYear', 'earlierPendingYear'],
    },
    {
      name: 'athlete_entries_status_index',
      properties: ['status', 'profileId', 'issuedYear', 'earlierIssuedYear', 'pendingYear', 'earlierPendingYear'],
    },
    {
      name: 'athlete_entries_pending_index',
      properties: ['pendingYear', 'profileId', 'status', 'earlierPendingYear', 'issuedYear', 'earlierIssuedYear'],
      where: 'pending_year is not null',
    },
    { name: 'athlete_entries_words_index', properties: ['words'], type: 'gin' },
  ],
});

/** Search row of an organizer's profile, which a trigger writes with the profile. */
export const OrganizerEntryEntity = defineEntity({
  name: 'OrganizerEntry',
  tableName: 'organizer_entries',
  properties: {
    profileId: () => referenceTo(ProfileEntity, 'profile_id', 'organizer_entries_profile_fk').primary().deleteRule('cascade'),
    // Words of name, city, e-mail, phone, BIN and id, made by `organizer_words` of the database.
    words: p.string().columnType('tsvector'),
  },
  indexes: [{ name: 'organizer_entries_words_index', properties: ['words'], type: 'gin' }],
});

/** Search row of an event of any status, which a trigger writes with the event; the public calendar has rows of its own. */
export const EventEntryEntity = defineEntity({
  name: 'EventEntry',
  tableName: 'event_entries',
  properties: {
    eventId: () => referenceTo(EventEntity, 'event_id', 'event_entries_event_fk').primary().deleteRule('cascade'),
    // Words of the title.
    words: p.string().columnType('tsvector'),
  },
  indexes: [{ name: 'event_entries_words_index', properties: ['words'], type: 'gin' }],
});
