import { sql } from 'kysely';
import type { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { countRows, type Database, inList } from '../../platform/database/database.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import type { ApplicationDependents } from '../applications/index.ts';
import type { ChangedRecord } from '../changes/index.ts';
import { type EventDependents, participationsOf } from '../competitions/index.ts';
import type { DocumentDependents } from '../documents/index.ts';
import { fileCopies, type FileDependents } from '../files/index.ts';
import type { DossierSection, OwnedWithProfile, ProfileCounter, ProfileDependents } from '../profiles/index.ts';
import { participationResponse } from './reading/wire.ts';
import { living } from './queries.ts';
import { placedStatuses } from './states.ts';
import { offerPlaces } from './waiting-list/offer-places.ts';
import { countPlaces } from './waiting-list/places.ts';

/** Lists registrations to wake when their application changes (REG-4), until their event has ended. */
export const onApplication: ApplicationDependents = {
  async listLiving(db, applicationId) {
    const rows = await db
      .selectFrom('registration_licences as rl')
      .innerJoin('registrations as r', 'r.id', 'rl.registrationId')
      .select('r.id')
      .where('rl.applicationId', '=', applicationId)
      .where('r.dueAt', 'is not', null)
      .orderBy('r.id')
      .execute();
    return rows.map(({ id }) => processRef('registration', id));
  },
};

export const onDocument: DocumentDependents = {
  kind: 'registration',

  /** Registrations with this document attached, and those whose licence rests on it (REG-4). */
  async listLiving(db, documentId) {
    const attached = db.selectFrom('registration_documents').where('documentId', '=', documentId).select('registrationId as id');
    const behind = db
      .selectFrom('application_documents as ad')
      .innerJoin('registration_licences as rl', 'rl.applicationId', 'ad.applicationId')
      .where('ad.documentId', '=', documentId)
      .select('rl.registrationId as id');
    const rows = await db
      .selectFrom('registrations as r')
      .select('r.id')
      .where('r.id', 'in', attached.union(behind))
      .where('r.dueAt', 'is not', null)
      .orderBy('r.id')
      .execute();
    return rows.map(({ id }) => id);
  },

  /** A document in a snapshot cannot change (REG-10, REG-16); a draft has no snapshot. */
  async listUses(db, documentId) {
    const rows = await db
      .selectFrom('registration_documents as rd')
      .innerJoin('registrations as r', 'r.id', 'rd.registrationId')
      .select('r.id')
      .where('rd.documentId', '=', documentId)
      .where('r.submittedAt', 'is not', null)
      .orderBy('r.id')
      .execute();
    return rows.map(({ id }) => id);
  },
};

/** Refuses to delete a profile with a registration in any status (REG-16). */
export const onProfile: ProfileDependents = {
  async listLiving(db, profileId) {
    const rows = await db
      .selectFrom('registrations')
      .select('id')
      .where('profileId', '=', profileId)
      .where('dueAt', 'is not', null)
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => processRef('registration', id));
  },

  async removeWith(ctx, profileId) {
    // Registering locks the profile, so no registration can be added after this lock.
    const standing = await ctx.db.selectFrom('registrations').select('id').where('profileId', '=', profileId).orderBy('id').execute();
    if (standing.length > 0) throw new DomainError('profile_in_use', { registrations: standing.map(({ id }) => id) });
    return null;
  },
};

/** Refuses to delete the files of a snapshot (REG-16). */
export const onFile: FileDependents = {
  async listUses({ db }, fileId) {
    const rows = await db
      .selectFrom('registration_documents as rd')
      .innerJoin('registrations as r', 'r.id', 'rd.registrationId')
      .select('r.id')
      .distinct()
      .where('rd.fileId', '=', fileId)
      .where('r.submittedAt', 'is not', null)
      .orderBy('r.id')
      .execute();
    return rows.map(({ id }) => ({ kind: 'registration', id }));
  },
};

/** Marks an event's registrations as due instead of waking thousands at once. After the event's end only a cancellation does so. */
export const onEvent: EventDependents = {
  listLiving: async () => [],
  /** A cancelled event makes every living registration due, also one whose process ended with the event, so that its athlete is notified (REG-15). */
  async makeDue({ db, now }, { id, status }) {
    const ofEvent = db.updateTable('registrations').set({ dueAt: now }).where('eventId', '=', id);
    await (status === 'cancelled' ? ofEvent.where('status', 'in', living) : ofEvent.where('dueAt', 'is not', null)).execute();
  },
  /** Uses registrations_event_index. */
  countUndecided: (db, eventId) =>
    countRows(db.selectFrom('registrations').where('eventId', '=', eventId).where('status', '=', 'submitted')),
  countPlaces,
  offerPlaces,
};

/**
 * Moves an athlete's registrations with the profile. Registrations for a competition do not move with its organizer.
 *
 * A snapshot keeps its content (REG-10); only its file ids change, to copies with the same bytes.
 */
export const registrationsOfProfile: OwnedWithProfile = {
  counted: { registrations: (db, profileId) => db.selectFrom('registrations').select('id').where('profileId', '=', profileId) },

  files: {
    ofProfiles: (db, profileIds) =>
      db
        .selectFrom('registration_documents as rd')
        .innerJoin('registrations as r', 'r.id', 'rd.registrationId')
        .select('rd.fileId')
        .where('r.profileId', '=', inList(profileIds)),

    async exchange({ db }, profileId, copies) {
      const registrations = db.selectFrom('registrations').select('id').where('profileId', '=', profileId);
      await db
        .updateTable('registration_documents')
        .from(fileCopies(copies))
        .set((eb) => ({ fileId: eb.ref('c.copyId') }))
        .whereRef('fileId', '=', 'c.id')
        .where('registrationId', 'in', registrations)
        .execute();
    },
  },

  async lock({ db }, profileId) {
    await db.selectFrom('registrations').select('id').where('profileId', '=', profileId).orderBy('id').forUpdate().execute();
  },

  async move(ctx, { profileId, toUserId }) {
    const { db, now } = ctx;
    await db.updateTable('registrations').set({ ownerId: toUserId, updatedAt: now }).where('profileId', '=', profileId).execute();
    const living = db.selectFrom('registrations').select('id').where('profileId', '=', profileId).where('dueAt', 'is not', null);
    await wakeAll(ctx, 'registration', living);
  },
};

/** Lists the competitions of a profile, newest first, each once, from registrations and participant lists. Two statements. */
export const participationSection: DossierSection = {
  field: 'participation',
  schema: participationResponse,
  async read(db, profileId): Promise<z.input<typeof participationResponse>> {
    const [registrations, participations] = await Promise.all([listCounted(db, profileId), participationsOf(db, [profileId])]);
    const events = new Map([...registrations, ...participations].map((row) => [row.eventId, row]));
    return [...events.values()]
      .toSorted((left, right) => right.startsAt.getTime() - left.startsAt.getTime() || right.eventId - left.eventId)
      .map(({ eventId, title, startsAt, endsAt }) => ({
        event_id: eventId,
        title,
        starts_at: formatDateTime(startsAt),
        ends_at: formatDateTime(endsAt),
        registrations: registrations
          .filter((registration) => registration.eventId === eventId)
          .map((registration) => ({
            registration_id: registration.id,
            class: registration.class,
            status: registration.status,
            start_number: registration.startNumber,
          })),
        results: participations
          .filter((participation) => participation.eventId === eventId)
          .map((participation) => ({
            application_id: participation.applicationId,
            class: participation.category,
            start_number: participation.startNumber,
            result_status: participation.resultStatus,
            place: participation.place,
            result: participation.result,
          })),
      }));
  },
};

/** Counts the competitions of each profile, from registrations and participant lists, each once. */
export const competitionsCounter: ProfileCounter = {
  field: 'competitions',
  select: (db, profileIds) =>
    db
      .selectFrom(
        db
          .selectFrom('registrations')
          .where('profileId', '=', inList(profileIds))
          .where('status', '=', inList(placedStatuses))
          .select(['profileId', 'eventId'])
          .union(db.selectFrom('participants').where('profileId', '=', inList(profileIds)).select(['profileId', 'eventId']))
          .as('c'),
      )
      .innerJoin('events as e', 'e.id', 'c.eventId')
      .where('e.status', '<>', 'cancelled')
      .groupBy('c.profileId')
      .select(['c.profileId', sql<number>`count(*)::integer`.as('count')]),
};

/** Uses registrations_profile_index. */
function listCounted(db: Database, profileId: number) {
  return db
    .selectFrom('registrations as r')
    .innerJoin('events as e', 'e.id', 'r.eventId')
    .where('r.profileId', '=', profileId)
    .where('r.status', '=', inList(placedStatuses))
    .where('e.status', '<>', 'cancelled')
    .select(['r.id', 'r.eventId', 'e.title', 'e.startsAt', 'e.endsAt', 'r.class', 'r.status', 'r.startNumber'])
    .orderBy('r.id')
    .execute();
}

/** Registrations in the log of changes; the organizer sees those that were submitted (REG-8). */
export const registrationChanges: readonly ChangedRecord[] = [
  {
    record: 'registration',
    select: (db) =>
      db
        .selectFrom('registrations as r')
        .innerJoin('events as e', 'e.id', 'r.eventId')
        .select(['r.id', 'r.status', 'r.ownerId', 'r.eventId as parentId'])
        .select((eb) => eb.case().when('r.submittedAt', 'is not', null).then(eb.ref('e.ownerId')).end().as('organizerId')),
    path: ({ id, parentId }, reader) => (reader === 'organizer' ? `/events/${parentId}/registrations` : `/event-registrations/${id}`),
  },
];
