import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { executeInternal } from '../../../activities/execute.ts';
import { createLongWork } from '../../../activities/long-work.ts';
import { transferProfile } from '../../../src/areas/ownership/transfer-profile.ts';
import { accountErasureProcess } from '../../../src/areas/privacy/index.ts';
import { readErased } from '../../../src/areas/privacy/erasure/erased-list.ts';
import { requestErasure } from '../../../src/areas/privacy/erasure/request-erasure.ts';
import { withdrawErasure } from '../../../src/areas/privacy/erasure/withdraw-erasure.ts';
import { correctProfile } from '../../../src/areas/profiles/correct-profile.ts';
import { correctLedger } from '../../../src/areas/wallet/ledger/correct-ledger.ts';
import { reverseMovement } from '../../../src/areas/wallet/ledger/reverse-movement.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { CommandContext } from '../../../src/platform/commands/context.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { type Storage, StorageUnavailableError } from '../../../src/platform/storage/storage.ts';
import { systemClock } from '../../../src/platform/time/clock.ts';
import { dayMs } from '../../../src/platform/time/date-time.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { fixturesIn } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** Repeated, concurrent and interrupted attempts erase an account once and whole (PRV-5). */
const started = await startTestPlatform();
afterAll(() => started.close());
const platform: Platform = { ...started.platform, outbox: relayOnlyOutbox, clock: systemClock };
const make = fixturesIn(platform);
const db = databaseOf(platform.orm.em.fork());

const at = (ms: number): Platform => ({ ...platform, clock: { ...platform.clock, now: async () => new Date(Date.now() + ms) } });
const due = at(1000);
const erase = (id: number, on: Platform = due): Promise<void> =>
  new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(createLongWork(on).eraseAccount, id);
const look = (id: number, on: Platform = due) => executeInternal(on, accountErasureProcess, id);

/** An account with files, whose erasure is due. */
async function leaving() {
  const member = await make.person();
  await make.athlete(member);
  await commit(platform, member.caller, (ctx) => requestErasure(ctx, { userId: member.userId, waitMs: 0 }));
  return member;
}

/** How much of an account is there. */
async function stateOf(userId: number) {
  const { erasedAt } = await db.selectFrom('users').select('erasedAt').where('id', '=', userId).executeTakeFirstOrThrow();
  const files = await db.selectFrom('files').select(['storageKey', 'purgedAt']).where('ownerId', '=', userId).execute();
  const stored = await Promise.all(files.map(({ storageKey }) => platform.storage.stat(storageKey)));
  const listed: number[] = [];
  for await (const { id } of readErased(platform.storage)) if (id === userId) listed.push(id);
  const audited = await db
    .selectFrom('audit_events')
    .select('id')
    .where('action', '=', 'account.erased')
    .where('subjectId', '=', String(userId))
    .execute();
  return {
    isErased: erasedAt !== null,
    left: stored.filter((object) => object !== null).length,
    notPurged: files.filter(({ purgedAt }) => purgedAt === null).length,
    listed: listed.length,
    audited: audited.length,
  };
}
const whole = { isErased: true, left: 0, notPurged: 0, listed: 1, audited: 1 };

/** A storage that fails from its nth call on. */
function failingFrom(nth: number): Storage {
  let calls = 0;
  const { storage } = platform;
  return new Proxy(storage, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): unknown => {
        calls += 1;
        if (calls >= nth) return Promise.reject(new StorageUnavailableError('away'));
        return Reflect.apply(method, target, args);
      };
    },
  });
}

test.each([1, 2, 3, 4, 5])(
  'an attempt that loses its storage at call %i leaves a due process, and the next one ends whole',
  async (nth) => {
    const { userId } = await leaving();
    await expect(erase(userId, { ...due, storage: failingFrom(nth) })).rejects.toThrow();
    expect(await look(userId)).toMatchObject({ stage: 'due', isDue: true, isOver: false });
    await erase(userId);
    expect(await stateOf(userId)).toEqual(whole);
    expect(await look(userId)).toMatchObject({ stage: 'erased', waitingFor: 'date', isDue: false, isOver: false });
  },
);

test('attempts at once, later ones, and the second look erase once', async () => {
  const { userId } = await leaving();
  await Promise.all([erase(userId), erase(userId), erase(userId)]);
  expect(await stateOf(userId)).toEqual(whole);
  const { erasedAt } = await db.selectFrom('account_erasures').select('erasedAt').where('id', '=', userId).executeTakeFirstOrThrow();
  const dayAfter = at((erasedAt?.getTime() ?? 0) - Date.now() + dayMs + 1000);
  expect(await look(userId, dayAfter)).toMatchObject({ stage: 'due' });
  // What was made meanwhile.
  await db
    .insertInto('password_resets')
    .values({ userId, tokenHash: 'made-meanwhile', createdAt: new Date(), expiresAt: new Date() })
    .execute();
  for (const again of [1, 2]) {
    await erase(userId, dayAfter);
    expect([again, await look(userId, dayAfter)]).toMatchObject([again, { stage: 'done', isOver: true }]);
  }
  expect(await stateOf(userId)).toEqual(whole);
  expect(await db.selectFrom('password_resets').select('id').where('userId', '=', userId).execute()).toEqual([]);
});

test('of a withdrawal and an erasure at once, one takes effect', async () => {
  for (let round = 0; round < 4; round += 1) {
    const member = await make.person();
    const { userId } = member;
    await commit(platform, member.caller, (ctx) => requestErasure(ctx, { userId, waitMs: 60_000 }));
    // The clock of the withdrawal is before the end, that of the erasure after it, as on two machines.
    const [withdrawn] = await Promise.allSettled([
      commit(platform, member.caller, (ctx) => withdrawErasure(ctx, userId)),
      erase(userId, at(61_000)),
    ]);
    const { isErased } = await stateOf(userId);
    expect(isErased).toBe(withdrawn.status === 'rejected');
  }
});

/** What administrators do to an account; each comes before its erasure or is refused. */
const others: [
  string,
  (account: { userId: number; profileId: number; otherId: number; updatedAt: Date }) => (ctx: CommandContext) => Promise<unknown>,
][] = [
  [
    'a correction',
    ({ profileId, updatedAt }) =>
      (ctx) =>
        correctProfile(ctx, profileId, { data: { city: 'Орал' }, updatedAt }),
  ],
  [
    'a transfer',
    ({ userId, profileId, otherId }) =>
      (ctx) =>
        transferProfile(ctx, profileId, { currentUserId: userId, targetUserId: otherId, reason: 'The club takes its athlete over' }),
  ],
  [
    'a credit',
    ({ userId }) =>
      (ctx) =>
        correctLedger(ctx, {
          userId,
          amountMinor: 100,
          direction: 'credit',
          reason: 'Late money',
          incidentId: null,
          idempotencyKey: `${userId}`,
        }),
  ],
];

test.each(others)('of %s and an erasure at once, each is whole or refused', async (what, command) => {
  const administrator = await make.administrator();
  const seen = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    const member = await make.person();
    const { profileId } = await make.athlete(member);
    const other = await make.person();
    await commit(platform, member.caller, (ctx) => requestErasure(ctx, { userId: member.userId, waitMs: 0 }));
    const profileOf = () =>
      db.selectFrom('profiles').select(['ownerId', 'data', 'updatedAt']).where('id', '=', profileId).executeTakeFirstOrThrow();
    const { updatedAt } = await profileOf();
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const [done] = await Promise.allSettled([
      pause(round % 3 === 1 ? 15 : 0).then(() =>
        commit(platform, administrator.caller, command({ userId: member.userId, profileId, otherId: other.userId, updatedAt })),
      ),
      pause(round % 3 === 2 ? 15 : 0).then(() => erase(member.userId)),
    ]);
    if (done.status === 'rejected') expect(done.reason).toMatchObject({ code: 'invalid_state' });
    seen.add(done.status);
    const { isErased } = await stateOf(member.userId);
    const { ownerId, data } = await profileOf();
    // Money that came first makes the erasure wait; a profile that moved first is another person's.
    expect([what, isErased]).toEqual([what, what !== 'a credit' || done.status === 'rejected']);
    const isMoved = what === 'a transfer' && done.status === 'fulfilled';
    expect(ownerId).toBe(isMoved ? other.userId : member.userId);
    expect(Object.keys(data).length > 0).toBe(isMoved || !isErased);
  }
  expect([...seen].toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('no administrator puts money into the wallet of an erased account; what came late can be taken out', async () => {
  const [administrator, { userId, caller }] = [await make.administrator(), await make.person()];
  const correct = (direction: 'credit' | 'debit') =>
    commit(platform, administrator.caller, (ctx) =>
      correctLedger(ctx, {
        userId,
        amountMinor: 500,
        direction,
        reason: 'Paid at the office',
        incidentId: null,
        idempotencyKey: randomUUID(),
      }),
    );
  await correct('credit');
  const { transactionId } = await correct('debit');
  await commit(platform, caller, (ctx) => requestErasure(ctx, { userId, waitMs: 0 }));
  await erase(userId);
  await expect(correct('credit')).rejects.toMatchObject({ code: 'invalid_state' });
  const reversed = commit(platform, administrator.caller, (ctx) =>
    reverseMovement(ctx, { id: transactionId, reason: 'Not paid out', incidentId: null }),
  );
  await expect(reversed).rejects.toMatchObject({ code: 'invalid_state' });
  await expect(correct('debit')).rejects.toMatchObject({ code: 'insufficient_funds' });
});

test('a command of the account that was let in before the erasure writes nothing after it', async () => {
  const member = await leaving();
  await erase(member.userId);
  const late = commit(platform, member.caller, async (ctx) => {
    await ctx.db.updateTable('users').set({ name: 'Back again' }).where('id', '=', member.userId).execute();
  });
  await expect(late).rejects.toMatchObject({ code: 'unauthenticated' });
  const { name } = await db.selectFrom('users').select('name').where('id', '=', member.userId).executeTakeFirstOrThrow();
  expect(name).toBe('name withheld');
});
