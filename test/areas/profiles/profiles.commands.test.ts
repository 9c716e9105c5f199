import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { executeInternal, executeOnce } from '../../../activities/execute.ts';
import { deleteFile } from '../../../src/areas/files/delete-file.ts';
import { lockOwnFile } from '../../../src/areas/files/index.ts';
import { createProfile } from '../../../src/areas/profiles/create-profile.ts';
import { findProfile, profileProcess } from '../../../src/areas/profiles/index.ts';
import { updateProfile } from '../../../src/areas/profiles/update-profile.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { storePrivateInput } from '../../../src/platform/commands/private-inputs.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import type { ProcessCommand } from '../../../workflows/contracts/process.contract.ts';
import { handlerOf } from '../../support/handler-of.ts';
import { type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { makeIin } from '../../support/identities/iin.ts';
import { startTestPlatform } from '../../support/test-platform.ts';
import { waitFor } from '../../support/wait-for.ts';

const data = { last_name: 'Әбдіқадырұлы', first_name: 'Ғалым', birth_date: '1990-05-17', gender: 'male', citizenship: 'KZ' } as const;

const waitingForLock = sql<{ count: number }>`
  select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

let platform: Platform;
let close: () => Promise<void>;
let make: Fixtures<Member>;
let administrator: Member;

beforeAll(async () => {
  const started = await startTestPlatform();
  // No worker runs the processes in this test.
  platform = { ...started.platform, outbox: relayOnlyOutbox };
  close = started.close;
  make = fixturesIn(platform);
  administrator = await make.administrator();
});
afterAll(() => close());

/** The steps of the process, run as its activities run them. */
const activities = {
  submitProfile: (id: number, sent: ProcessCommand<unknown>) =>
    executeOnce(platform, profileProcess, handlerOf(profileProcess, 'submit'), id, sent),
  reviewProfile: (id: number, sent: ProcessCommand<unknown>) =>
    executeOnce(platform, profileProcess, handlerOf(profileProcess, 'review'), id, sent),
  reconsiderProfile: (id: number) => executeInternal(platform, profileProcess, id),
};

/** Runs the real command, so that it writes its audit event. */
async function draftAthlete(owner: Member): Promise<number> {
  const photoId = await make.file(owner, 'photo');
  const ownerId = owner.userId;
  return (await commit(platform, owner.caller, (ctx) => createProfile(ctx, { ownerId, kind: 'athlete', data, photoId }))).id;
}

function command<Args>({ caller }: Member, args: Args, privateInputId: string | null = null): ProcessCommand<Args> {
  return { commandId: randomUUID(), caller, args, privateInputId };
}

async function decision(part: 'profile' | 'photo', verdict: 'approve' | 'changes' | 'cancel', note: string | null = null) {
  const privateInputId = note === null ? null : await storePrivateInput(platform, { note });
  return command(administrator, { part, decision: verdict }, privateInputId);
}

async function profileOf(id: number) {
  const profile = await query(platform, (db) => findProfile(db, id));
  if (!profile) throw new Error('no such profile');
  return profile;
}

async function rows(table: 'notifications' | 'audit_events' | 'review_decisions', id: number): Promise<Record<string, unknown>[]> {
  const kinds = table === 'review_decisions' ? ['profile', 'photo'] : ['profile'];
  return platform.orm.em
    .fork()
    .execute(`select * from ${table} where subject_kind in (${kinds.map(() => '?').join(',')}) and subject_id = ? order by id`, [
      ...kinds,
      String(id),
    ]);
}

describe('submission', () => {
  test('refuses another account, an athlete without a photo and a second submission (PRO-8)', async () => {
    const owner = await make.person();
    const id = await draftAthlete(owner);
    await expect(activities.submitProfile(id, command(await make.person(), {}))).rejects.toMatchObject({
      type: 'not_found',
      nonRetryable: true,
    });
    await commit(platform, owner.caller, (ctx) => updateProfile(ctx, id, { photoId: null }));
    await expect(activities.submitProfile(id, command(owner, {}))).rejects.toMatchObject({ type: 'validation_failed' });
    const photoId = await make.file(owner, 'photo');
    await commit(platform, owner.caller, (ctx) => updateProfile(ctx, id, { photoId }));
    await activities.submitProfile(id, command(owner, {}));
    await expect(activities.submitProfile(id, command(owner, {}))).rejects.toMatchObject({ type: 'invalid_state' });
  });
});

// PRO-2
describe('review', () => {
  test('approval of both parts ends the process and notifies once for each', async () => {
    const owner = await make.person();
    const id = await draftAthlete(owner);
    await activities.submitProfile(id, command(owner, {}));
    const approval = await decision('profile', 'approve');
    expect(await activities.reviewProfile(id, approval)).toMatchObject({ stage: 'pending', waitingFor: 'administrator' });
    expect(await activities.reviewProfile(id, await decision('photo', 'approve'))).toMatchObject({
      stage: 'approved',
      waitingFor: 'none',
      isOver: true,
    });
    // Repeats the command, then sends the same decision by another command.
    await activities.reviewProfile(id, approval);
    await activities.reviewProfile(id, await decision('profile', 'approve'));
    expect((await rows('notifications', id)).map(({ type }) => type)).toEqual(['profile.approved', 'photo.approved']);
    expect(await rows('review_decisions', id)).toHaveLength(2);
    expect(await profileOf(id)).toMatchObject({ status: 'approved', photoStatus: 'approved', everApproved: true, reviewNote: null });
  });

  test('requires an administrator, a submitted part, and a note unless it approves', async () => {
    const owner = await make.person();
    const id = await draftAthlete(owner);
    await expect(activities.reviewProfile(id, await decision('profile', 'approve'))).rejects.toMatchObject({ type: 'invalid_state' });
    await activities.submitProfile(id, command(owner, {}));
    await expect(activities.reviewProfile(id, await decision('profile', 'cancel'))).rejects.toMatchObject({ type: 'validation_failed' });
    const own = { ...(await decision('profile', 'approve')), caller: owner.caller };
    await expect(activities.reviewProfile(id, own)).rejects.toMatchObject({ type: 'forbidden' });
    await expect(activities.reviewProfile(999_999, await decision('profile', 'approve'))).rejects.toMatchObject({ type: 'not_found' });
    expect(await rows('review_decisions', id)).toHaveLength(0);
  });
});

describe('the sweeper', () => {
  test('lists exactly the profiles whose process is not over', async () => {
    const owner = await make.person();
    const id = await draftAthlete(owner);
    const isLive = async () => (await query(platform, (db) => profileProcess.listLiving(db, id - 1, 1))).includes(id);
    const isRunning = async () => !(await activities.reconsiderProfile(id)).isOver;
    const seen: boolean[] = [];
    const look = async () => {
      expect(await isLive()).toBe(await isRunning());
      seen.push(await isLive());
    };
    await look();
    await activities.submitProfile(id, command(owner, {}));
    await look();
    await activities.reviewProfile(id, await decision('profile', 'approve'));
    await activities.reviewProfile(id, await decision('photo', 'approve'));
    await look();
    await commit(platform, owner.caller, (ctx) => updateProfile(ctx, id, { data: { first_name: 'Ғани' } }));
    await look();
    expect(seen).toEqual([false, true, false, true]);
    expect(await query(platform, (db, now) => profileProcess.listDue(db, now, null, 10))).toEqual([]);
    expect(await activities.reconsiderProfile(999_999)).toMatchObject({ isOver: true });
  });
});

// PRO-1
describe('races', () => {
  test('of many attempts to create an athlete with one IIN one wins, the others are refused', async () => {
    const owner = await make.person();
    const known = { ...data, iin: '900517300029' };
    const attempts = Array.from({ length: 8 }, () =>
      commit(platform, owner.caller, (ctx) => createProfile(ctx, { ownerId: owner.userId, kind: 'athlete', data: known, photoId: null })),
    );
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [{ count } = { count: 0 }] = await platform.orm.em
      .fork()
      .execute<{ count: number }[]>('select count(*)::int as count from profiles where owner_id = ?', [owner.userId]);
    expect(count).toBe(1);
  });

  test('of two athletes of an account that take one IIN at once only one gets it', async () => {
    const owner = await make.person();
    const ids = [await draftAthlete(owner), await draftAthlete(owner)];
    const results = await Promise.allSettled(
      ids.map((id) => commit(platform, owner.caller, (ctx) => updateProfile(ctx, id, { data: { iin: '900517300019' } }))),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const iins = await Promise.all(ids.map(async (id) => (await profileOf(id)).iin));
    expect(iins.filter((iin) => iin === null)).toHaveLength(1);
  });

  test('profiles that take one IIN at once are all flagged', async () => {
    const iin = makeIin(data.birth_date, 'male', 7);
    const owners = await Promise.all(Array.from({ length: 5 }, () => make.person()));
    const ids = await Promise.all(
      owners.map(
        async (owner) =>
          (
            await commit(platform, owner.caller, (ctx) =>
              createProfile(ctx, { ownerId: owner.userId, kind: 'athlete', data: { ...data, iin }, photoId: null }),
            )
          ).id,
      ),
    );
    for (const id of ids) expect((await profileOf(id)).duplicateIin).toBe(true);
    await Promise.all(
      owners
        .slice(0, 2)
        .map((owner, index) => commit(platform, owner.caller, (ctx) => updateProfile(ctx, ids[index] ?? 0, { data: { iin: null } }))),
    );
    expect(await Promise.all(ids.map(async (id) => (await profileOf(id)).duplicateIin))).toEqual([false, false, true, true, true]);
  });

  test('a file is either attached or deleted (FIL-5)', async () => {
    for (let round = 0; round < 10; round += 1) {
      const owner = await make.person();
      const id = await draftAthlete(owner);
      const photoId = await make.file(owner, 'photo');
      const [attached, deleted] = await Promise.allSettled([
        commit(platform, owner.caller, (ctx) => updateProfile(ctx, id, { photoId })),
        commit(platform, owner.caller, (ctx) => deleteFile(ctx, { fileId: photoId, ownerId: owner.userId })),
      ]);
      expect([attached.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
      if (deleted.status === 'rejected')
        expect(deleted.reason).toMatchObject({ code: 'file_in_use', details: { used_by: [{ kind: 'profile_photo', id }] } });
    }
  });

  test('attaching locks the file until the transaction ends (FIL-5)', async () => {
    const owner = await make.person();
    const fileId = await make.file(owner, 'photo');
    const deletion = await commit(platform, owner.caller, async (ctx) => {
      await lockOwnFile(ctx, fileId, owner.userId);
      const started = commit(platform, owner.caller, (other) => deleteFile(other, { fileId, ownerId: owner.userId }));
      // The database reports that the deletion waits for the lock.
      await waitFor(
        async () => (await query(platform, (db) => waitingForLock.execute(db))).rows[0]?.count ?? 0,
        (count) => count > 0,
        'the deletion to wait for the lock',
      );
      return { started };
    });
    await deletion.started;
    await expect(commit(platform, owner.caller, (ctx) => lockOwnFile(ctx, fileId, owner.userId))).rejects.toMatchObject({
      code: 'validation_failed',
      details: { fields: [{ path: 'body.file_id', code: 'unknown_file' }] },
    });
  });
});
