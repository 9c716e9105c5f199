import { MockActivityEnvironment } from '@temporalio/testing';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { executeInternal } from '../../activities/execute.ts';
import { createMaintenanceActivities, createSweeper, type SweepPage } from '../../activities/maintenance.ts';
import { ApplicationEntity } from '../../src/areas/applications/entities.ts';
import { applicationProcess } from '../../src/areas/applications/process.ts';
import { applicationStatuses } from '../../src/areas/applications/states.ts';
import { eventProcess } from '../../src/areas/competitions/events/process.ts';
import { eventStatuses, stageStatuses } from '../../src/areas/competitions/events/states.ts';
import { DocumentEntity } from '../../src/areas/documents/entities.ts';
import { documentProcess } from '../../src/areas/documents/process.ts';
import { documentStatuses } from '../../src/areas/documents/states.ts';
import { ProfileEntity } from '../../src/areas/profiles/entities.ts';
import { profileProcess } from '../../src/areas/profiles/process.ts';
import { reviewStatuses } from '../../src/areas/profiles/states.ts';
import { invoiceProcess, lockWallet, payFromWallet, postTransaction } from '../../src/areas/wallet/index.ts';
import { invoiceStatuses } from '../../src/areas/wallet/invoices/states.ts';
import { commit, query } from '../../src/platform/commands/command.ts';
import { type Database, databaseOf, json } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { DueRecord, ProcessState, RecordProcess } from '../../src/platform/workflows/define-process.ts';
import { dueAtOf } from '../../src/platform/workflows/process-view.ts';
import type { Processes } from '../../src/platform/workflows/processes.ts';
import { rebuildProcesses, type RebuildProgress } from '../../src/platform/workflows/rebuild.ts';
import type { SweepPosition } from '../../workflows/contracts/sweep.contract.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertDocuments, insertFiles, insertProfiles, insertUsers } from '../support/factories/rows.ts';
import { startTestPlatform } from '../support/test-platform.ts';

/**
 * The sweeper reads by SQL what the processes compute in TypeScript: which records need a process, and which are due. This test compares
 * the two on generated records, most of them impossible through the API.
 */

const dayMs = 86_400_000;
const noon = new Date('2026-06-15T12:00:00+05:00');
let now = noon;
let platform: Platform;
let close: () => Promise<void>;

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  platform = { ...started.platform, clock: { sandbox: false, now: async () => now } };
});
afterAll(() => close());
beforeEach(() => {
  now = noon;
});

const em = () => platform.orm.em.fork();
const db = () => databaseOf(em());
const reading = <T>(work: (db: Database) => Promise<T>) => query(platform, work);
const caller = { actor: { kind: 'process' }, requestId: 'sweep-test', ip: null } as const;
const pageSize = 7;
/** The scheduled sweep pauses longer. */
const pacing = { share: 1, leastMs: 2, mostMs: 60 };

/** All records that are due by an instant, read by pages like the sweeper; in the order of the ids. */
async function dueAt(process: RecordProcess, instant: Date): Promise<number[]> {
  const all: number[] = [];
  for (let after: DueRecord | null = null; ;) {
    const page: DueRecord[] = await reading((db) => process.listDue(db, instant, after, pageSize));
    all.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return byId(all);
    after = last;
  }
}

async function livingOf(process: RecordProcess): Promise<number[]> {
  const all: number[] = [];
  for (let page = [0]; page.length > 0;) {
    page = await reading((db) => process.listLiving(db, all.at(-1) ?? 0, pageSize));
    all.push(...page);
  }
  return all;
}

async function statesOf<Row extends { id: number }>(
  process: RecordProcess<Row>,
  ids: readonly number[],
): Promise<Map<number, ProcessState>> {
  const rows = await reading((db) => process.read(db, ids));
  return new Map(rows.map((row) => [row.id, process.describe(row, now)]));
}

/** Stores what the first look of each process would store in its record. */
async function keepDueDates(process: RecordProcess, ids: readonly number[]): Promise<void> {
  for (const [id, state] of await statesOf(process, ids))
    await reading(async (db) => process.dueAt?.save(db, id, dueAtOf(state, now), null));
}

/** Exactly the records whose process is not over need one, and no process wakes without work or too late. */
async function expectAgreement(process: RecordProcess, ids: readonly number[]): Promise<void> {
  const states = await statesOf(process, ids);
  expect(await livingOf(process)).toEqual(ids.filter((id) => states.get(id)?.isOver === false));
  const due = new Set(await dueAt(process, now));
  expect([...due]).toEqual(ids.filter((id) => states.get(id)?.isDue === true));
  const wakes = new Map<number, number[]>();
  for (const [id, { next }] of states) {
    if (next === null || due.has(id)) continue;
    wakes.set(next.at.getTime(), [...(wakes.get(next.at.getTime()) ?? []), id]);
  }
  for (const [at, sleepers] of wakes) {
    const before = new Set(await dueAt(process, new Date(at - 1)));
    const then = new Set(await dueAt(process, new Date(at)));
    expect(sleepers.filter((id) => before.has(id))).toEqual([]);
    expect(sleepers.filter((id) => !then.has(id))).toEqual([]);
  }
}

const sample = <T>(values: fc.Arbitrary<T>, count: number): T[] => fc.sample(values, { numRuns: count, seed: 20_260_615 });
const byId = (ids: readonly number[]) => [...ids].sort((left, right) => left - right);

const part = fc.constantFrom(...reviewStatuses);
/** Mostly valid parents, so that some records have no obstacle. */
const mostly = <T>(usual: T, others: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });
const documentFields = fc.record({
  type: fc.constantFrom('identity' as const, 'medical' as const, 'driver' as const),
  status: mostly('approved' as const, fc.constantFrom(...documentStatuses)),
  expiresAt: fc.constantFrom(null, '2026-06-14', '2026-06-15', '2026-06-16', '2027-02-01'),
  decidedAt: fc.constantFrom(null, new Date('2026-06-14T23:59:59.999+05:00'), new Date('2026-06-15T00:00:00+05:00')),
  isFileDeleted: mostly(false, fc.constant(true)),
});
type DocumentFields = typeof documentFields extends fc.Arbitrary<infer Fields> ? Fields : never;
const profileFields = fc.record({
  status: mostly('approved' as const, part),
  photoStatus: mostly('approved' as const, part),
  birthDate: mostly('1990-05-17', fc.constant('2012-05-17')),
});
type ProfileFields = typeof profileFields extends fc.Arbitrary<infer Fields> ? Fields : never;

const file = { kind: 'scan', bytes: Buffer.from('a file that is never opened'), storage: null } as const;

async function insertProfile(ownerId: number, { birthDate, ...columns }: ProfileFields): Promise<number> {
  const [photoId = ''] = await insertFiles(db(), [ownerId], file, noon);
  const row = { ownerId, photoId, status: 'approved', data: { birth_date: birthDate }, columns } as const;
  const [id = 0] = await insertProfiles(db(), [row], noon);
  return id;
}

async function insertDocument(
  ownerId: number,
  profileId: number,
  { isFileDeleted, decidedAt, ...fields }: DocumentFields,
): Promise<number> {
  const [fileId = ''] = await insertFiles(db(), [ownerId], file, noon);
  if (isFileDeleted) await db().updateTable('files').set({ deletedAt: noon }).where('id', '=', fileId).execute();
  const [id = 0] = await insertDocuments(db(), [{ profileId, fileId, ...fields, columns: { decidedAt, remindAt: null } }], noon);
  return id;
}

/** The ids of the records that another look has moved to another status. */
async function movedBy(ids: readonly number[], statusOf: (id: number) => Promise<string>, reconsider: (id: number) => Promise<unknown>) {
  const moved: number[] = [];
  for (const id of ids) {
    const before = await statusOf(id);
    await reconsider(id);
    if ((await statusOf(id)) !== before) moved.push(id);
  }
  return moved;
}

test('documents: the sweeper and the processes agree', async () => {
  const [ownerId = 0] = await insertUsers(db(), 1, noon);
  const profileId = await insertProfile(ownerId, { status: 'approved', photoStatus: 'approved', birthDate: '1990-05-17' });
  const ids: number[] = [];
  for (const fields of sample(documentFields, 80)) ids.push(await insertDocument(ownerId, profileId, fields));
  await expectAgreement(documentProcess, byId(ids));
  const due = await dueAt(documentProcess, now);
  const statusOf = async (id: number) => (await em().findOneOrFail(DocumentEntity, { id })).status;
  expect(due.length).toBeGreaterThan(5);
  expect(await movedBy(byId(ids), statusOf, (id) => executeInternal(platform, documentProcess, id))).toEqual(due);
  expect(await dueAt(documentProcess, now)).toEqual([]);
  await em().nativeDelete(DocumentEntity, { id: { $in: ids } });
  await em().nativeDelete(ProfileEntity, { id: profileId });
});

test('profiles: the sweeper and the processes agree', async () => {
  const fields = sample(fc.record({ status: part, photoStatus: part, birthDate: fc.constant('1990-05-17') }), 40);
  const owners = await insertUsers(db(), fields.length, noon);
  const ids: number[] = [];
  for (const [index, profile] of fields.entries()) ids.push(await insertProfile(owners[index] ?? 0, profile));
  await expectAgreement(profileProcess, byId(ids));
  await em().nativeDelete(ProfileEntity, { id: { $in: ids } });
});

test('invoices: the sweeper and the processes agree', async () => {
  const [ownerId = 0] = await insertUsers(db(), 1, noon);
  const instant = fc.constantFrom(-1, 0, 1, 60_000).map((ms) => new Date(noon.getTime() + ms));
  const isOpen = (status: string) => status !== 'paid' && status !== 'mismatch';
  const fields = sample(fc.record({ status: fc.constantFrom(...invoiceStatuses), nextAskAt: fc.option(instant) }), 60);
  const inserted: number[] = [];
  for (const [index, invoice] of fields.entries()) {
    const { id } = await db()
      .insertInto('invoices')
      .values({
        ...invoice,
        // A final invoice has no plan: its last step deletes the plan.
        nextAskAt: isOpen(invoice.status) ? invoice.nextAskAt : null,
        ownerId,
        number: String(1_000_000 + index),
        amountMinor: 100_000,
        idempotencyKey: randomUUID(),
        expiresAt: noon,
        createdAt: noon,
        updatedAt: noon,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    inserted.push(id);
  }
  await expectAgreement(invoiceProcess, byId(inserted));
  expect((await dueAt(invoiceProcess, now)).length).toBeGreaterThan(5);
});

test('records that stay due block none after them: each sweep continues where the previous one ended', async () => {
  const due = Array.from({ length: 70 }, (_, index) => ({
    id: index + 1,
    // Several of one instant, so that the cursor needs date and id.
    at: new Date(noon.getTime() - 86_400_000 + Math.floor(index / 40) * 1_000),
  }));
  const stuck: RecordProcess = {
    ...(documentProcess as unknown as RecordProcess),
    listDue: async (_db, instant, after, limit) =>
      due
        .filter(
          ({ id, at }) => at <= instant && (after === null || at > after.at || (at.getTime() === after.at.getTime() && id > after.id)),
        )
        .slice(0, limit),
  };
  const asked: number[] = [];
  const processes: Partial<Processes> = {
    ask: async (ref) => {
      asked.push(Number(ref.split('/')[1]));
      throw new Error('the record is invalid');
    },
  };
  const log = { ...platform.log, error: () => undefined } as unknown as Platform['log'];
  const { runPage } = createSweeper({ ...platform, log, definitions: [stuck], processes: processes as Processes }, pacing);
  const step = { name: 'due_stuck', task: 'due', kind: stuck.kind, pages: 1 } as const;
  const sweepOfAMinute = async () => {
    asked.length = 0;
    await new MockActivityEnvironment().run(() => runPage({ requestId: 'sweep-test', isPaced: true, step, cursor: null }));
    return [Math.min(...asked), Math.max(...asked), asked.length];
  };
  expect(await sweepOfAMinute()).toEqual([1, 50, 50]);
  expect(await sweepOfAMinute()).toEqual([51, 70, 20]);
  expect(await sweepOfAMinute()).toEqual([1, 50, 50]);
});

test('a worker that stops in the middle of a page keeps the place before it, and fails nothing', async () => {
  const environment = new MockActivityEnvironment();
  const due = Array.from({ length: 40 }, (_, index) => ({ id: index + 1, at: new Date(noon.getTime() - 86_400_000) }));
  const records: RecordProcess = { ...(documentProcess as unknown as RecordProcess), listDue: async () => due };
  const processes: Partial<Processes> = { ask: async () => environment.cancel() };
  const { sweepOn } = createMaintenanceActivities({ ...platform, definitions: [records], processes: processes as Processes });
  const reached: unknown = await environment.run(() => sweepOn({ requestId: 'sweep-test', position: null }));
  expect(reached).toMatchObject({ cursor: null, pages: 0, driven: {}, failed: [] });
  expect((reached as SweepPosition).steps[0]?.name).toBe(`due_${records.kind}`);
});

test('a sweep of the schedule has one budget below its half hour: a share for each kind and one for deletions', async () => {
  const { planSteps, sweepPage } = createSweeper(platform);
  const plan = planSteps({ requestId: 'sweep-test', isPaced: true });
  const ends = plan.map(({ until }) => ((until ?? Infinity) - Date.now()) / 60_000);
  expect(Math.max(...ends)).toBeLessThan(27);
  expect(ends).toEqual(ends.toSorted((one, other) => one - other));
  const shares = ends.map((end, index) => end - (ends[index - 1] ?? 0));
  plan.forEach(({ kind }, index) => (kind === null ? undefined : expect(shares[index]).toBeGreaterThan(0.4)));
  // The sandbox waits until all is done.
  expect(planSteps({ requestId: 'sweep-test' }).filter(({ until }) => until !== undefined)).toEqual([]);
  // A deletion has its page at any time.
  const late = Date.now() - 1_000;
  await em().execute(`insert into tally_changes (name, key, n) values ('sweep-test', 'late', 1)`);
  const step = { name: 'tallies', task: 'tallies', kind: null, pages: 40, until: late } as const;
  const driven = async (cursor: string | null) => {
    const position = { steps: [step], cursor, pages: 0, driven: {}, failed: [] };
    const reached = await new MockActivityEnvironment().run(() => sweepPage({ requestId: 'sweep-test', isPaced: true }, position));
    return (reached as SweepPosition).driven;
  };
  expect(await driven(null)).toEqual({ tallies: expect.any(Number) });
  expect(await driven('more')).toEqual({});
});

describe('a step that times out in the middle of a page', () => {
  const asked: number[] = [];
  const noted = (ref: string) => asked.push(Number(ref.split('/')[1]));
  const base = 5_000_000;
  const many: RecordProcess = {
    ...(documentProcess as unknown as RecordProcess),
    kind: 'slow',
    read: async (_db, ids) => ids.map((id) => ({ id })),
    describe: () => ({ stage: 'any', waitingFor: 'none', details: '', isOver: false, isDue: false, next: null }),
    listDue: async (_db, _now, after, limit) =>
      Array.from({ length: 400 }, (_, index) => ({ id: base + index, at: new Date(noon.getTime() - 3_600_000) }))
        .filter(({ id }) => after === null || id > after.id)
        .slice(0, limit),
  };
  delete (many as { dueAt?: unknown }).dueAt;
  const slow = async (ref: string) => {
    noted(ref);
    await new Promise((resolve) => setTimeout(resolve, 60));
  };
  const processes: Partial<Processes> = { ask: slow };
  const sweepIn = async (ms: number) => {
    asked.length = 0;
    const { runPage } = createSweeper({ ...platform, definitions: [many], processes: processes as Processes }, pacing);
    const step = { name: 'due_slow', task: 'due', kind: many.kind, pages: 6, until: Date.now() + ms } as const;
    const page = await new MockActivityEnvironment().run(() => runPage({ requestId: 'sweep-test', isPaced: true, step, cursor: null }));
    return { next: (page as SweepPage).next, asked: asked.toSorted((one, other) => one - other) };
  };

  test('leaves the rest to the next sweep, also half an hour later', async () => {
    const ms = 300;
    const first = await sweepIn(ms);
    expect(first.next).toBeNull();
    expect(first.asked.length).toBeGreaterThan(0);
    expect(first.asked.length).toBeLessThan(50);
    expect(first.asked[0]).toBe(base);
    await em().execute(`update cursors set updated_at = updated_at - interval '30 minutes'`);
    const second = await sweepIn(ms);
    expect(second.asked[0]).toBe(base + first.asked.length);
    // A step that starts late keeps its cursor.
    expect((await sweepIn(-1)).asked).toEqual([]);
    expect((await sweepIn(ms)).asked[0]).toBe(base + first.asked.length + second.asked.length);
  });
});

test('a record that cannot be described is listed for support, and the rebuild does not stop at it', async () => {
  const [faulty, ...sound] = [6_000_001, 6_000_002, 6_000_003];
  const { dueAt: _, ...document } = documentProcess as unknown as RecordProcess;
  const records: RecordProcess = {
    ...document,
    read: async (_db, ids) => ids.map((id) => ({ id })),
    describe: ({ id }) => {
      if (id === faulty) throw new TypeError('it has no dates');
      return { stage: 'any', waitingFor: 'none', details: '', isOver: false, isDue: false, next: null };
    },
    listLiving: async (_db, after, limit) => [faulty ?? 0, ...sound].filter((id) => id > after).slice(0, limit),
  };
  const started: string[] = [];
  const processes: Partial<Processes> = {
    start: async (ref) => {
      started.push(ref);
      return true;
    },
    wake: async () => undefined,
  };
  const log = { ...platform.log, error: () => undefined } as unknown as Platform['log'];
  const own = { ...platform, log, definitions: [records], processes: processes as Processes };
  const totals: RebuildProgress[] = [];
  const isDone = await rebuildProcesses(own, [records], {
    isReplacing: false,
    isStopped: () => false,
    report: (notified) => totals.push({ ...notified }),
  });
  expect([isDone, totals.at(-1)]).toMatchObject([true, { started: 2, failed: 1 }]);
  expect(started).toEqual(sound.map((id) => `document/${id}`));
  const troubles = await em().execute<object[]>('select process, step, code, is_stuck from process_troubles where record_id = ?', [faulty]);
  expect(troubles).toEqual([{ process: `document/${faulty}`, step: 'reconsider', code: 'internal_error', is_stuck: true }]);
  await em().execute('delete from process_troubles');
});

test('more persistent troubles than a page keep no past trouble listed', async () => {
  const [pages, pageOfTroubles] = [10, 100];
  const staying = pages * pageOfTroubles + 50;
  // Numbers of one length sort like texts.
  const before = 1_000_000;
  const records: RecordProcess = {
    ...(documentProcess as unknown as RecordProcess),
    read: async (_db, ids) => ids.map((id) => ({ id })),
    describe: ({ id }) => ({
      stage: 'any',
      waitingFor: 'none',
      details: '',
      isOver: id > before + staying,
      isDue: id <= before + staying,
      next: null,
    }),
  };
  await em().execute(
    `insert into process_troubles (process, step, kind, record_id, since, at, tries, code, is_stuck)
     select 'document/' || n, 'reconsider', 'document', n, now(), date_trunc('milliseconds', now()), 9, 'internal_error', true from generate_series(?::int, ?) n`,
    [before + 1, before + staying + 30],
  );
  const { runPage, planSteps } = createSweeper({ ...platform, definitions: [records] });
  const step = planSteps({ requestId: 'sweep-test', isPaced: true }).find(({ task }) => task === 'past-troubles');
  if (step === undefined) throw new Error('no step looks at past troubles');
  expect(step.pages).toBe(pages);
  const sweepOfAMinute = async (isPaced: boolean) => {
    let [cursor, driven]: [string | null, number] = [null, 0];
    for (let page = 0; page === 0 || (cursor !== null && page < pages); page += 1) {
      const input = { requestId: 'sweep-test', isPaced, step, cursor };
      const done: SweepPage = await new MockActivityEnvironment().run(() => runPage(input));
      driven += done.driven;
      cursor = done.next;
    }
    return driven;
  };
  expect(await sweepOfAMinute(false)).toBe(0);
  expect(await sweepOfAMinute(true)).toBe(0);
  expect(await sweepOfAMinute(true)).toBe(30);
  expect(await sweepOfAMinute(true)).toBe(0);
  const [left] = await em().execute<{ count: number }[]>('select count(*)::int as count from process_troubles');
  expect(left?.count).toBe(staying);
  await em().execute('delete from process_troubles');
});

describe('applications', () => {
  const applicationFields = fc.record({
    status: mostly('submitted' as const, fc.constantFrom(...applicationStatuses)),
    kind: mostly('national_certificate' as const, fc.constant('international_licence' as const)),
    year: mostly(2026, fc.constantFrom(2025, 2027)),
    isFree: mostly(false, fc.constant(true)),
    isPaid: mostly(true, fc.constant(false)),
    profile: profileFields,
    documents: fc
      .tuple(documentFields, documentFields, fc.array(documentFields, { maxLength: 1 }))
      .map(([first, second, others]): DocumentFields[] => [{ ...first, type: 'identity' }, { ...second, type: 'medical' }, ...others]),
    isSetWhole: mostly(true, fc.constant(false)),
  });

  test('the sweeper and the processes agree, and only records that another look moves are due', async () => {
    const fields = sample(applicationFields, 120);
    const owners = await insertUsers(db(), fields.length, noon);
    const ids: number[] = [];
    for (const [index, application] of fields.entries()) {
      const ownerId = owners[index] ?? 0;
      const profileId = await insertProfile(ownerId, application.profile);
      const isPaid = application.isPaid && !application.isFree;
      const { id } = await db()
        .insertInto('applications')
        .values({
          ownerId,
          profileId,
          serviceId: 1,
          kind: application.kind,
          year: application.year,
          data: json({ insurance_territory: 'KZ' as const }),
          status: application.status,
          amountMinor: application.isFree ? 0 : 5000,
          breakdown: json([]),
          submittedAt: noon,
          createdAt: noon,
          updatedAt: noon,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      ids.push(id);
      const attached = application.isSetWhole ? application.documents : application.documents.slice(1);
      for (const document of attached) {
        const documentId = await insertDocument(ownerId, profileId, document);
        await db().insertInto('application_documents').values({ applicationId: id, documentId }).execute();
      }
      if (isPaid) await pay(id, ownerId);
    }
    await keepDueDates(applicationProcess, ids);
    await expectAgreement(applicationProcess, byId(ids));

    const due = await dueAt(applicationProcess, now);
    const statusOf = async (id: number) => (await em().findOneOrFail(ApplicationEntity, { id })).status;
    expect(await movedBy(byId(ids), statusOf, (id) => executeInternal(platform, applicationProcess, id))).toEqual(due);
    expect(await dueAt(applicationProcess, now)).toEqual([]);
    const ends = await em().execute<{ status: string; count: number }[]>(
      'select status, count(*)::int as count from applications group by 1',
    );
    // The sample must reach every status, or it proves little.
    for (const status of applicationStatuses)
      expect([status, ends.find((end) => end.status === status)?.count ?? 0]).not.toEqual([status, 0]);
  });

  async function pay(applicationId: number, userId: number): Promise<void> {
    await commit(platform, caller, async (ctx) => {
      const legs = [
        { account: `wallet:${userId}` as const, amountMinor: 5000 },
        { account: 'adjustments' as const, amountMinor: -5000 },
      ];
      await postTransaction(ctx, { type: 'correction', reference: `test:${randomUUID()}`, legs });
      const wallet = await lockWallet(ctx, userId);
      const payment = { wallet, amountMinor: 5000, applicationId, serviceKind: 'national_certificate' as const };
      const paymentTransactionId = await payFromWallet(ctx, payment);
      await ctx.db
        .updateTable('applications')
        .set({ paid: true, paidAt: noon, paymentTransactionId })
        .where('id', '=', applicationId)
        .execute();
    });
  }
});

describe('events', () => {
  const instant = fc.constantFrom(-1, 0, 1, 60_000, 40 * dayMs).map((ms) => new Date(noon.getTime() + ms));
  const eventFields = fc.record({
    status: mostly('published' as const, fc.constantFrom(...eventStatuses)),
    // From all deadlines past to all deadlines ahead.
    startsInDays: fc.constantFrom(-3, 0, 1, 20, 21, 37, 52, 90),
    stages: fc.record({ regulations: fc.constantFrom(...stageStatuses), results: fc.constantFrom(...stageStatuses) }),
    isReminded: fc.boolean(),
    settings: fc.option(
      fc.record({ opensAt: fc.option(instant), closesAt: fc.option(instant), openedAt: fc.option(instant), closedAt: fc.option(instant) }),
    ),
  });

  test('the sweeper and the processes agree, and another look changes only due records', async () => {
    const rows = eventFixtures(platform);
    const [ownerId = 0] = await insertUsers(db(), 1, noon);
    const owner = { userId: ownerId };
    const profileId = await rows.organizer(owner);
    const ids: number[] = [];
    for (const { startsInDays, isReminded, status, stages, settings } of sample(eventFields, 100)) {
      const startsAt = new Date(noon.getTime() + startsInDays * dayMs);
      const { id } = await rows.event(owner, { profileId, status, startsAt, stages: status === 'published' ? stages : {}, settings });
      const publishedAt = new Date(noon.getTime() - dayMs);
      await em().execute('update events set published_at = ? where id = ? and published_at is not null', [publishedAt, id]);
      if (!isReminded) await em().execute('update event_stages set reminded_at = null where event_id = ?', [id]);
      ids.push(id);
    }
    await keepDueDates(eventProcess, ids);
    await expectAgreement(eventProcess, byId(ids));

    const due = await dueAt(eventProcess, now);
    expect(due.length).toBeGreaterThan(5);
    const stepsOf = async (id: number) => {
      const counted = `select count(*)::text as steps from audit_events where subject_kind = 'event' and subject_id = ?`;
      const [row] = await em().execute<{ steps: string }[]>(counted, [String(id)]);
      return row?.steps ?? '';
    };
    expect(await movedBy(byId(ids), stepsOf, (id) => executeInternal(platform, eventProcess, id))).toEqual(byId(due));
    expect(await dueAt(eventProcess, now)).toEqual([]);
  });
});
