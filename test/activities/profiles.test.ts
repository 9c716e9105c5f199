import { randomUUID } from 'node:crypto';
import { createProfileActivities } from '../../activities/profiles.ts';
import { UserEntity } from '../../src/accounts/entities.ts';
import { StoredFileEntity } from '../../src/files/entities.ts';
import { lockOwnFile } from '../../src/files/index.ts';
import { deleteFile } from '../../src/files/delete-file.ts';
import { commit, read } from '../../src/platform/command.ts';
import type { Caller } from '../../src/platform/context.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { keepPrivateInput } from '../../src/platform/private-inputs.ts';
import { createProfile } from '../../src/profiles/create-profile.ts';
import { findProfile } from '../../src/profiles/index.ts';
import { findDue, findLive } from '../../src/profiles/sweep.ts';
import { updateProfile } from '../../src/profiles/update-profile.ts';
import type { ProcessCommand } from '../../workflows/process.contract.ts';
import { makeIin } from '../support/iin.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { waitFor } from '../support/wait-for.ts';

const data = { last_name: 'Әбдіқадырұлы', first_name: 'Ғалым', birth_date: '1990-05-17', gender: 'male', citizenship: 'KZ' } as const;

const waitingForLock = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

let platform: Platform;
let close: () => Promise<void>;
let activities: ReturnType<typeof createProfileActivities>;
let administrator: Caller;
let people = 0;

beforeAll(async () => {
  const started = await startTestPlatform();
  // Nothing runs the processes here: what is told to them is not of interest.
  platform = {
    ...started.platform,
    processes: { ...started.platform.processes, touch: async () => undefined, touchInBackground: () => undefined },
  };
  close = started.close;
  activities = createProfileActivities(platform);
  administrator = await somebody('administrator');
});
afterAll(() => close());

async function somebody(role: 'user' | 'administrator' = 'user'): Promise<Caller> {
  people += 1;
  const em = platform.orm.em.fork();
  const now = new Date();
  const userId = await em.insert(UserEntity, {
    email: `p${people}@example.kz`,
    passwordHash: 'x',
    name: `Person ${people}`,
    phone: null,
    role,
    createdAt: now,
    updatedAt: now,
  });
  return {
    actor: { kind: 'user', userId, isAdministrator: role === 'administrator', impersonatedUserId: null },
    requestId: `request-${people}`,
    ip: null,
  };
}

function idOf(caller: Caller): number {
  if (caller.actor.kind !== 'user') throw new Error('not a person');
  return caller.actor.userId;
}

async function picture(owner: Caller): Promise<string> {
  const id = randomUUID();
  await platform.orm.em.fork().insert(StoredFileEntity, {
    id,
    ownerId: idOf(owner),
    purpose: 'photo',
    name: 'photo.jpg',
    mime: 'image/jpeg',
    size: 10,
    sha256: 'a'.repeat(64),
    width: 1,
    height: 1,
    pages: null,
    storageKey: `ab/cd/${id}`,
    createdAt: new Date(),
    deletedAt: null,
    purgedAt: null,
  });
  return id;
}

async function draftAthlete(owner: Caller): Promise<number> {
  const photoId = await picture(owner);
  return (await commit(platform, owner, (ctx) => createProfile(ctx, { ownerId: idOf(owner), kind: 'athlete', data, photoId }))).result;
}

function command<Args>(caller: Caller, args: Args): ProcessCommand<Args> {
  return { commandId: randomUUID(), caller, args };
}

async function decision(part: 'profile' | 'photo', verdict: 'approve' | 'changes' | 'cancel', note: string | null = null) {
  return command(administrator, {
    part,
    decision: verdict,
    privateInputId: note === null ? null : await keepPrivateInput(platform, { note }),
  });
}

async function profileOf(id: number) {
  const profile = await read(platform, (em) => findProfile(em, id));
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
  test('puts data and photo before an administrator, once for a command', async () => {
    const owner = await somebody();
    const id = await draftAthlete(owner);
    const submit = command(owner, {});
    const view = await activities.submitProfile(id, submit);
    expect(view).toMatchObject({ stage: 'pending', waitingFor: 'administrator', isOver: false, wakeAfterMs: null });
    expect(view.details).toContain('Waits for an administrator to review the data and the photo');
    expect(await activities.submitProfile(id, submit)).toEqual(view);
    expect((await rows('audit_events', id)).map(({ action }) => action)).toEqual(['profile.created', 'profile.submitted']);
  });

  test('refuses another person, an athlete without a photo, and a second submission', async () => {
    const owner = await somebody();
    const id = await draftAthlete(owner);
    await expect(activities.submitProfile(id, command(await somebody(), {}))).rejects.toMatchObject({
      type: 'not_found',
      nonRetryable: true,
    });
    await commit(platform, owner, (ctx) => updateProfile(ctx, id, { photoId: null }));
    await expect(activities.submitProfile(id, command(owner, {}))).rejects.toMatchObject({ type: 'validation_failed' });
    const photoId = await picture(owner);
    await commit(platform, owner, (ctx) => updateProfile(ctx, id, { photoId }));
    await activities.submitProfile(id, command(owner, {}));
    await expect(activities.submitProfile(id, command(owner, {}))).rejects.toMatchObject({ type: 'invalid_state' });
  });
});

describe('review', () => {
  test('approval of both parts ends the process and is told once each', async () => {
    const owner = await somebody();
    const id = await draftAthlete(owner);
    await activities.submitProfile(id, command(owner, {}));
    const approval = await decision('profile', 'approve');
    expect(await activities.reviewProfile(id, approval)).toMatchObject({ stage: 'pending', waitingFor: 'administrator' });
    expect(await activities.reviewProfile(id, await decision('photo', 'approve'))).toMatchObject({
      stage: 'approved',
      waitingFor: 'nobody',
      isOver: true,
    });
    // The same command again, and the same decision by another command.
    await activities.reviewProfile(id, approval);
    await activities.reviewProfile(id, await decision('profile', 'approve'));
    expect((await rows('notifications', id)).map(({ type }) => type)).toEqual(['profile.approved', 'photo.approved']);
    expect(await rows('review_decisions', id)).toHaveLength(2);
    expect(await profileOf(id)).toMatchObject({ status: 'approved', photoStatus: 'approved', everApproved: true, reviewNote: null });
  });

  test('a return keeps its note until approval, and the history keeps every decision', async () => {
    const owner = await somebody();
    const id = await draftAthlete(owner);
    await activities.submitProfile(id, command(owner, {}));
    const returned = await activities.reviewProfile(id, await decision('photo', 'changes', 'The face is not visible.'));
    expect(returned).toMatchObject({ stage: 'pending' });
    expect(await profileOf(id)).toMatchObject({
      status: 'pending',
      photoStatus: 'changes',
      photoReviewNote: 'The face is not visible.',
      reviewNote: null,
    });
    await activities.reviewProfile(id, await decision('profile', 'approve'));
    expect(await activities.reconsiderProfile(id)).toMatchObject({ stage: 'changes', waitingFor: 'owner', isOver: false });
    await activities.submitProfile(id, command(owner, {}));
    await activities.reviewProfile(id, await decision('photo', 'approve'));
    expect(await profileOf(id)).toMatchObject({ photoStatus: 'approved', photoReviewNote: null });
    expect((await rows('review_decisions', id)).map(({ subject_kind: kind, decision: verdict, note }) => [kind, verdict, note])).toEqual([
      ['photo', 'changes', 'The face is not visible.'],
      ['profile', 'approve', null],
      ['photo', 'approve', null],
    ]);
  });

  test('is for administrators, needs a note to refuse, and something submitted', async () => {
    const owner = await somebody();
    const id = await draftAthlete(owner);
    await expect(activities.reviewProfile(id, await decision('profile', 'approve'))).rejects.toMatchObject({ type: 'invalid_state' });
    await activities.submitProfile(id, command(owner, {}));
    await expect(activities.reviewProfile(id, await decision('profile', 'cancel'))).rejects.toMatchObject({ type: 'validation_failed' });
    const own = { ...(await decision('profile', 'approve')), caller: owner };
    await expect(activities.reviewProfile(id, own)).rejects.toMatchObject({ type: 'forbidden' });
    await expect(activities.reviewProfile(999_999, await decision('profile', 'approve'))).rejects.toMatchObject({ type: 'not_found' });
    expect(await rows('review_decisions', id)).toHaveLength(0);
  });
});

describe('the sweeper', () => {
  test('counts as live exactly what the process says is not over', async () => {
    const owner = await somebody();
    const id = await draftAthlete(owner);
    const isLive = async () => (await read(platform, (em) => findLive(em, id - 1, 1))).includes(id);
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
    await commit(platform, owner, (ctx) => updateProfile(ctx, id, { data: { first_name: 'Ғани' } }));
    await look();
    expect(seen).toEqual([false, true, false, true]);
    expect(await read(platform, (em, now) => findDue(em, now, 0, 10))).toEqual([]);
    expect(await activities.reconsiderProfile(999_999)).toMatchObject({ isOver: true });
  });
});

describe('races', () => {
  test('of many attempts to make an athlete with one IIN one wins, the others are told', async () => {
    const owner = await somebody();
    const known = { ...data, iin: '900517300029' };
    const attempts = Array.from({ length: 8 }, () =>
      commit(platform, owner, (ctx) => createProfile(ctx, { ownerId: idOf(owner), kind: 'athlete', data: known, photoId: null })),
    );
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [{ count } = { count: 0 }] = await platform.orm.em
      .fork()
      .execute<{ count: number }[]>('select count(*)::int as count from profiles where owner_id = ?', [idOf(owner)]);
    expect(count).toBe(1);
  });

  test('of two athletes of an account that take one IIN at the same time one gets it', async () => {
    const owner = await somebody();
    const ids = [await draftAthlete(owner), await draftAthlete(owner)];
    const results = await Promise.allSettled(
      ids.map((id) => commit(platform, owner, (ctx) => updateProfile(ctx, id, { data: { iin: '900517300019' } }))),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const iins = await Promise.all(ids.map(async (id) => (await profileOf(id)).iin));
    expect(iins.filter((iin) => iin === null)).toHaveLength(1);
  });

  test('profiles that take one IIN at the same time are all flagged', async () => {
    const iin = makeIin(data.birth_date, 'male', 7);
    const owners = await Promise.all(Array.from({ length: 5 }, () => somebody()));
    const ids = await Promise.all(
      owners.map(
        async (owner) =>
          (
            await commit(platform, owner, (ctx) =>
              createProfile(ctx, { ownerId: idOf(owner), kind: 'athlete', data: { ...data, iin }, photoId: null }),
            )
          ).result,
      ),
    );
    for (const id of ids) expect((await profileOf(id)).duplicateIin).toBe(true);
    await Promise.all(
      owners
        .slice(0, 2)
        .map((owner, index) => commit(platform, owner, (ctx) => updateProfile(ctx, ids[index] ?? 0, { data: { iin: null } }))),
    );
    expect(await Promise.all(ids.map(async (id) => (await profileOf(id)).duplicateIin))).toEqual([false, false, true, true, true]);
  });

  test('a file is either attached or deleted', async () => {
    for (let round = 0; round < 10; round += 1) {
      const owner = await somebody();
      const id = await draftAthlete(owner);
      const photoId = await picture(owner);
      const [attached, deleted] = await Promise.allSettled([
        commit(platform, owner, (ctx) => updateProfile(ctx, id, { photoId })),
        commit(platform, owner, (ctx) => deleteFile(ctx, { fileId: photoId, ownerId: idOf(owner) })),
      ]);
      expect([attached.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
      if (deleted.status === 'rejected')
        expect(deleted.reason).toMatchObject({ code: 'file_in_use', details: { used_by: [{ kind: 'profile_photo', id }] } });
    }
  });

  test('whoever attaches holds the file until the end of the transaction', async () => {
    const owner = await somebody();
    const fileId = await picture(owner);
    const { result: deletion } = await commit(platform, owner, async (ctx) => {
      await lockOwnFile(ctx, fileId, idOf(owner));
      const started = commit(platform, owner, (other) => deleteFile(other, { fileId, ownerId: idOf(owner) }));
      // The deletion stands at the lock: the database says so.
      await waitFor(
        async () => (await platform.orm.em.fork().execute<{ count: number }[]>(waitingForLock))[0]?.count ?? 0,
        (count) => count > 0,
        'the deletion to wait for the lock',
      );
      return { started };
    });
    await deletion.started;
    await expect(commit(platform, owner, (ctx) => lockOwnFile(ctx, fileId, idOf(owner)))).rejects.toMatchObject({
      code: 'validation_failed',
      details: { fields: [{ path: 'body.file_id', code: 'unknown_file' }] },
    });
  });
});
