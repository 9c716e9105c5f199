import { DomainError } from '../../errors.ts';
import { inList } from '../../platform/database/database.ts';
import { processRef } from '../../platform/process-ref.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import type { ApplicationDependents } from '../applications/index.ts';
import type { EventDependents } from '../competitions/index.ts';
import type { DocumentDependents } from '../documents/index.ts';
import { type FileDependents, fileCopies } from '../files/index.ts';
import type { ProfileDependents, OwnedWithProfile } from '../profiles/index.ts';

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

/** Marks an event's registrations as due instead of waking thousands at once. After the event's end none has a due date. */
export const onEvent: EventDependents = {
  listLiving: async () => [],
  async makeDue({ db, now }, eventId) {
    await db.updateTable('registrations').set({ dueAt: now }).where('eventId', '=', eventId).where('dueAt', 'is not', null).execute();
  },
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
