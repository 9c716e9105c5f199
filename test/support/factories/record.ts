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
import { type Decided, decisionNote, insertDecisions, insertDocuments, insertFiles, insertProfiles, insertUsers } from './rows.ts';

/** An account known to commands. */
export interface Member {
  userId: number;
  caller: UnrecordedCaller;
}

/** Who the records are of: any person with an account. */
interface People<Person> {
  person(name?: string): Promise<Person>;
  administrator(): Promise<Person>;
}

// Each is drawn once: it takes longer than all the rows of an athlete.
const scans = new Map<string, Promise<Buffer>>();
let photo: Promise<Buffer> | null = null;

/** @returns the bytes of a photo, or of a scan with this text */
function bytesOf(content: 'photo' | 'scan', text: string): Promise<Buffer> {
  if (content === 'photo') return (photo ??= makePhoto());
  const drawn = scans.get(text) ?? makeScan(text);
  scans.set(text, drawn);
  return drawn;
}

/** The steps by rows, and by commands where the outcome is more than a row: money and applications. */
export function stepsByRecord<Person extends { userId: number; caller?: UnrecordedCaller }>(
  platform: Platform,
  people: People<Person>,
): Steps<Person> {
  const db = databaseOf(platform.orm.em.fork());
  const present = () => platform.clock.now(db);
  const by = <T>({ userId, caller = callerOf(userId, 'user') }: Person, command: (ctx: CommandContext) => Promise<T>) =>
    commit(platform, caller, command);
  const file = async ({ userId }: Person, content: 'photo' | 'scan', text = 'scan'): Promise<string> => {
    const bytes = await bytesOf(content, text);
    return only(await insertFiles(db, [userId], { kind: content, bytes, storage: platform.storage }, await present()));
  };
  let decider: Promise<Person> | null = null;
  const administrator = () => (decider ??= people.administrator());
  const insertDecision = async (kind: string, id: number, toStatus: Decided) =>
    insertDecisions(db, { kind, ids: [id], toStatus, actorId: (await administrator()).userId }, await present());

  return {
    file,
    administrator,
    person: (name) => people.person(name),
    async profile(owner, { status = 'draft', data, columns } = {}) {
      const photoId = await file(owner, 'photo');
      const id = only(await insertProfiles(db, [{ ownerId: owner.userId, photoId, status, data, columns }], await present()));
      if (status === 'approved') for (const part of ['profile', 'photo']) await insertDecision(part, id, status);
      return id;
    },
    async document(owner, profileId, { type = 'medical', status = 'pending', expiresAt = null, columns } = {}) {
      const fileId = await file(owner, 'scan', type);
      const id = only(await insertDocuments(db, [{ profileId, fileId, type, status, expiresAt, columns }], await present()));
      if (status !== 'pending') await insertDecision('document', id, status);
      return id;
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
      const note = decision === 'approve' ? null : decisionNote;
      const review = { decision, revision, validFrom: null, validUntil: null, note };
      const { userId } = await administrator();
      await commit(platform, callerOf(userId, 'administrator'), (ctx) => reviewApplication(ctx, id, review));
    },
    async overwrite(applicationId, columns) {
      await db.updateTable('applications').set(columns).where('id', '=', applicationId).execute();
    },
  };
}

/** Inserts an account that only commands know. */
export async function insertMember(platform: Platform, role: 'user' | 'administrator', name?: string): Promise<Member> {
  const db = databaseOf(platform.orm.em.fork());
  const userId = only(await insertUsers(db, 1, await platform.clock.now(db), role));
  if (name !== undefined) await db.updateTable('users').set({ name }).where('id', '=', userId).execute();
  return { userId, caller: callerOf(userId, role) };
}

function callerOf(userId: number, role: 'user' | 'administrator'): UnrecordedCaller {
  const actor = { kind: 'user', userId, isAdministrator: role === 'administrator', impersonatedUserId: null } as const;
  return { actor, requestId: `req-${randomUUID().slice(0, 8)}`, ip: '127.0.0.1' };
}

function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new RangeError(`${items.length} instead of one`);
  return item;
}
