import { randomUUID } from 'node:crypto';
import { createApplication } from '../../../src/areas/applications/create-application.ts';
import type { ApplicationData } from '../../../src/areas/applications/entities.ts';
import { payApplication } from '../../../src/areas/applications/payments/pay-application.ts';
import { reviewApplication } from '../../../src/areas/applications/review-application.ts';
import { submitApplication } from '../../../src/areas/applications/submit-application.ts';
import { postTransaction } from '../../../src/areas/wallet/index.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { CommandContext, UnrecordedCaller } from '../../../src/platform/commands/context.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { Steps } from '../factories.ts';
import { makePhoto, makeScan } from '../papers/scans.ts';
import { insertDocuments, insertFiles, insertProfiles, insertUsers } from './rows.ts';

/** An account known to commands. */
export interface Member {
  userId: number;
  caller: UnrecordedCaller;
}

/** The steps by rows, and by commands where the outcome is more than a row: money and applications. */
export function stepsByRecord(platform: Platform): Steps<Member> {
  const db = databaseOf(platform.orm.em.fork());
  const present = () => platform.clock.now(db);
  const by = <T>({ caller }: Member, command: (ctx: CommandContext) => Promise<T>) => commit(platform, caller, command);
  // Drawn once: it takes longer than all the rows of an athlete.
  let photo: Promise<Buffer> | null = null;
  const file = async ({ userId }: Member, content: 'photo' | 'scan', text = 'scan'): Promise<string> => {
    const bytes = content === 'photo' ? await (photo ??= makePhoto()) : await makeScan(`${text} of ${userId}`);
    return only(await insertFiles(db, [userId], { kind: content, bytes, storage: platform.storage }, await present()));
  };
  let decider: Promise<Member> | null = null;
  const administrator = () => (decider ??= insertMember('administrator'));
  const insertMember = async (role: 'user' | 'administrator'): Promise<Member> =>
    memberOf(only(await insertUsers(db, 1, await present(), role)), role);

  return {
    file,
    administrator,
    async person(name) {
      const member = await insertMember('user');
      if (name !== undefined) await db.updateTable('users').set({ name }).where('id', '=', member.userId).execute();
      return member;
    },
    async profile(owner, { status = 'draft', data, columns } = {}) {
      const photoId = await file(owner, 'photo');
      return only(await insertProfiles(db, [{ ownerId: owner.userId, photoId, status, data, columns }], await present()));
    },
    async document(owner, profileId, { type = 'medical', status = 'pending', expiresAt = null, columns } = {}) {
      const fileId = await file(owner, 'scan', type);
      return only(await insertDocuments(db, [{ profileId, fileId, type, status, expiresAt, columns }], await present()));
    },
    async money(owner, amountMinor) {
      const legs = [
        { account: `wallet:${owner.userId}`, amountMinor },
        { account: 'adjustments', amountMinor: -amountMinor },
      ] as const;
      await by(owner, (ctx) => postTransaction(ctx, { type: 'correction', reference: `fixture:${randomUUID()}`, legs }));
    },
    async open(owner, { profileId, documentIds, serviceId, data }) {
      const form: ApplicationData = { insurance_territory: 'KZ', ...data };
      const { id, application } = await by(owner, (ctx) => createApplication(ctx, { profileId, documentIds, serviceId, data: form }));
      return { id, amountMinor: application.amountMinor };
    },
    submit: async (owner, id) => void (await by(owner, (ctx) => submitApplication(ctx, id))),
    pay: async (owner, id) => void (await by(owner, (ctx) => payApplication(ctx, id))),
    async decide(_owner, id, decision) {
      const { status, revision } = await db
        .selectFrom('applications')
        .select(['status', 'revision'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (decision === 'approve' && status === 'approved') return;
      const note = decision === 'approve' ? null : 'as the fixture wishes it';
      const review = { decision, revision, validFrom: null, validUntil: null, note };
      await by(await administrator(), (ctx) => reviewApplication(ctx, id, review));
    },
    async overwrite(applicationId, columns) {
      await db.updateTable('applications').set(columns).where('id', '=', applicationId).execute();
    },
  };
}

function memberOf(userId: number, role: 'user' | 'administrator'): Member {
  const actor = { kind: 'user', userId, isAdministrator: role === 'administrator', impersonatedUserId: null } as const;
  return { userId, caller: { actor, requestId: `req-${randomUUID().slice(0, 8)}`, ip: '127.0.0.1' } };
}

function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new RangeError(`${items.length} instead of one`);
  return item;
}
