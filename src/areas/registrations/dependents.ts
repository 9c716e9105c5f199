import { DomainError } from '../../errors.ts';
import { processRef } from '../../platform/process-ref.ts';
import type { ApplicationDependents } from '../applications/index.ts';
import type { EventDependents } from '../competitions/index.ts';
import type { DocumentDependents } from '../documents/index.ts';
import type { FileDependents } from '../files/index.ts';
import type { ProfileDependents } from '../profiles/index.ts';

/** Registrations whose event has not ended: they look again when what they stand on changes. */
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

  /** Those that it is attached to, and those whose licence it lies behind. */
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

  /** One that is in the snapshot of a registration stays as it was seen (decisions.md §3 "Unused"); a draft has none. */
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

/** A profile with registrations is kept, whatever became of them. */
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
    // Whoever registers holds the profile, so once it is locked none can join them.
    const standing = await ctx.db.selectFrom('registrations').select('id').where('profileId', '=', profileId).orderBy('id').execute();
    if (standing.length > 0) throw new DomainError('profile_in_use', { registrations: standing.map(({ id }) => id) });
    return null;
  },
};

/** The scans of a snapshot are kept. */
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

/** An event may have thousands, which are not all woken at once; of one that is over by its dates none is left to wake. */
export const onEvent: EventDependents = {
  listLiving: async () => [],
  async makeDue({ db, now }, eventId) {
    await db.updateTable('registrations').set({ dueAt: now }).where('eventId', '=', eventId).where('dueAt', 'is not', null).execute();
  },
};
