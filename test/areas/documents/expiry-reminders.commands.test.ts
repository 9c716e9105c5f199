import { randomUUID } from 'node:crypto';
import { executeInternal, executeOnce } from '../../../activities/execute.ts';
import { applicationProcess } from '../../../src/areas/applications/process.ts';
import { documentProcess } from '../../../src/areas/documents/index.ts';
import { updateDocument } from '../../../src/areas/documents/update-document.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { dayMs, startOfDay } from '../../../src/platform/time/date-time.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { storePrivateInput } from '../../../src/platform/commands/private-inputs.ts';
import type { RecordProcess } from '../../../src/platform/workflows/define-process.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { handlerOf } from '../../support/handler-of.ts';
import { type DocumentOptions, type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** The clock of the registry, moved by hand. */
let now = new Date();
let platform: Platform;
let close: () => Promise<void>;
let ownerUrl: string;
let make: Fixtures<Member>;
let administrator: Member;

beforeAll(async () => {
  const started = await startTestPlatform();
  ({ close } = started);
  ownerUrl = started.surroundings.database.ownerUrl;
  // No worker runs the processes in this test.
  platform = { ...started.platform, outbox: relayOnlyOutbox, clock: { sandbox: false, now: async () => now } };
  make = fixturesIn(platform);
  administrator = await make.administrator();
});
afterAll(() => close());

const db = () => databaseOf(platform.orm.em.fork());
const noon = (day: string) => new Date(`${day}T12:00:00+05:00`);
/** The first instant of the day that is so many days before another. */
const before = (day: string, days: number) => new Date(startOfDay(day).getTime() - days * dayMs);
const reconsider = (process: RecordProcess, id: number) => executeInternal(platform, process, id);

/** A step that an administrator asks for. */
async function decide(
  process: RecordProcess,
  name: string,
  id: number,
  args: Record<string, unknown>,
  privateInput?: Record<string, unknown>,
) {
  const handler = handlerOf(process, name);
  const privateInputId = privateInput === undefined ? null : await storePrivateInput(platform, privateInput);
  return executeOnce(platform, process, handler, id, { commandId: randomUUID(), caller: administrator.caller, args, privateInputId });
}

/** The reminders that an account has received, as days left. */
async function notified(userId: number, type: 'document.expiring' | 'application.expiring'): Promise<unknown[]> {
  const rows = await db()
    .selectFrom('notifications')
    .select(['facts', 'subjectId'])
    .where('userId', '=', userId)
    .where('type', '=', type)
    .orderBy('id')
    .execute();
  return rows.map(({ facts }) => facts['days']);
}

async function isFoundDue(process: RecordProcess, id: number): Promise<boolean> {
  return (await query(platform, (some) => process.listDue(some, now, null, 1000))).some((record) => record.id === id);
}

async function auditOf(kind: string, id: number): Promise<string[]> {
  const rows = await db()
    .selectFrom('audit_events')
    .select('action')
    .where('subjectKind', '=', kind)
    .where('subjectId', '=', String(id))
    .orderBy('id')
    .execute();
  return rows.map(({ action }) => action);
}

/** Goes through 60, 30 and 7 days ahead: the owner is reminded at each, once. @returns the timers that run until then */
async function expectReminders(process: RecordProcess, id: number, lastDay: string, reminders: () => Promise<unknown[]>) {
  const timers: unknown[] = [];
  for (const [nth, days] of [60, 30, 7].entries()) {
    now = new Date(before(lastDay, days).getTime() - 1);
    expect(await isFoundDue(process, id)).toBe(false);
    timers.push((await reconsider(process, id)).timer?.summary);
    expect(await reminders()).toHaveLength(nth);
    now = before(lastDay, days);
    expect(await isFoundDue(process, id)).toBe(true);
    await Promise.all([1, 2, 3].map(() => reconsider(process, id)));
    expect(await isFoundDue(process, id)).toBe(false);
    expect(await reminders()).toEqual([60, 30, 7].slice(0, nth + 1));
  }
  return timers;
}

// DOC-5
describe('a document', () => {
  const lastDay = '2027-06-30';

  /** Makes a document of a new owner and approves it now. */
  async function approved(options: DocumentOptions = { expiresAt: lastDay }) {
    const owner = await make.person();
    const profileId = await make.profile(owner, { status: 'approved' });
    const id = await make.document(owner, profileId, options);
    const view = await decide(documentProcess, 'review', id, { decision: 'approve' });
    return { id, owner, view };
  }
  const load = (id: number) => db().selectFrom('documents').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  async function correct(id: number, changes: Record<string, unknown>) {
    const { updatedAt } = await load(id);
    return decide(documentProcess, 'correct', id, { updatedAt: updatedAt.toISOString() }, { changes });
  }
  const notificationsOf = ({ userId }: Member) => notified(userId, 'document.expiring');

  test('reminds 60, 30 and 7 days ahead, each once, then expires', async () => {
    now = noon('2027-01-01');
    const { id, owner, view } = await approved();
    expect(view).toMatchObject({ waitingFor: 'date', isDue: false });
    expect(view.timer?.summary).toBe(`reminder: document ${id} expires in 60 days`);
    expect(view.details).toContain(`Waits for its last day to pass: ${lastDay}. Its owner is reminded on 2027-05-01.`);
    const { updatedAt } = await load(id);

    await expectReminders(documentProcess, id, lastDay, () => notificationsOf(owner));
    expect((await reconsider(documentProcess, id)).timer?.summary).toBe(`document ${id} expires`);
    // A reminder does not make the version that an administrator has read stale.
    expect((await load(id)).updatedAt).toEqual(updatedAt);

    now = before(lastDay, -1);
    expect(await isFoundDue(documentProcess, id)).toBe(true);
    expect(await reconsider(documentProcess, id)).toMatchObject({ stage: 'expired', isOver: true });
    expect(await notificationsOf(owner)).toEqual([60, 30, 7]);
    const reminded = Array.from({ length: 3 }, () => 'document.reminded');
    expect(await auditOf('document', id)).toEqual(['document.approved', ...reminded, 'document.expired']);
  });

  test('reminds again of a corrected last day', async () => {
    now = noon('2027-05-02');
    const { id, owner } = await approved();
    now = noon('2027-06-01');
    await reconsider(documentProcess, id);
    expect(await notificationsOf(owner)).toEqual([30 - 1]);

    expect((await correct(id, { expiresAt: '2027-09-30' })).timer?.summary).toBe(`reminder: document ${id} expires in 60 days`);
    expect((await load(id)).remindAt).toEqual(before('2027-09-30', 60));
    // A correction of another field leaves the reminder as it is.
    now = noon('2027-08-15');
    await correct(id, { number: 'K 9' });
    expect(await isFoundDue(documentProcess, id)).toBe(true);
    await reconsider(documentProcess, id);
    expect(await notificationsOf(owner)).toEqual([29, 46]);

    // To a nearer day: thresholds already past are skipped.
    await correct(id, { expiresAt: '2027-09-01' });
    expect((await load(id)).remindAt).toEqual(before('2027-09-01', 7));
    await correct(id, { expiresAt: null });
    expect((await load(id)).remindAt).toBeNull();
    expect(await reconsider(documentProcess, id)).toMatchObject({ isOver: true, timer: null });
  });

  test('has no reminders while not approved; a new approval starts them again', async () => {
    now = noon('2027-01-01');
    const { id, owner } = await approved();
    await decide(documentProcess, 'review', id, { decision: 'changes' }, { note: 'the scan is cut off' });
    expect((await load(id)).remindAt).toBeNull();
    now = noon('2027-05-10');
    await reconsider(documentProcess, id);
    await commit(platform, owner.caller, (ctx) => updateDocument(ctx, id, { number: 'N 3' }));
    await reconsider(documentProcess, id);
    expect(await notificationsOf(owner)).toEqual([]);
    await decide(documentProcess, 'review', id, { decision: 'approve' });
    expect((await load(id)).remindAt).toEqual(before(lastDay, 30));

    const lasting = await approved({ expiresAt: null });
    expect(lasting.view).toMatchObject({ isOver: true, timer: null });
    expect((await load(lasting.id)).remindAt).toBeNull();
  });

  test('lists expiries and reminders of one night in one order, page by page, each once', async () => {
    now = noon('2028-01-01');
    const expiring = await Promise.all([1, 2, 3].map(() => approved({ expiresAt: '2028-03-31' })));
    const reminding = await Promise.all([1, 2, 3, 4].map(() => approved({ expiresAt: '2028-04-30' })));
    now = noon('2028-04-01');
    const all = (await query(platform, (some) => documentProcess.listDue(some, now, null, 1000))).filter(
      ({ at }) => at > noon('2028-01-01'),
    );
    expect(all.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
      [...expiring, ...reminding].map(({ id }) => id).toSorted((a, b) => a - b),
    );
    const seen: number[] = [];
    for (let after = null as { id: number; at: Date } | null; ;) {
      const page = await query(platform, (some) => documentProcess.listDue(some, now, after, 2));
      seen.push(...page.map(({ id }) => id));
      if (page.length < 2) break;
      after = page.at(-1) ?? null;
    }
    expect(seen.filter((id) => all.some((one) => one.id === id))).toEqual(all.map(({ id }) => id));
    for (const { id } of all) await reconsider(documentProcess, id);
  });

  test('spreads the reminders of one day over seconds', async () => {
    now = noon('2028-06-01');
    const views = await Promise.all(Array.from({ length: 6 }, () => approved({ expiresAt: '2028-12-31' })));
    const waits = views.map(({ view }) => view.timer?.afterMs ?? 0);
    const whole = before('2028-12-31', 60).getTime() - now.getTime();
    expect(new Set(waits).size).toBe(6);
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(whole);
      expect(wait).toBeLessThan(whole + 6 * 3_600_000);
    }
  });
});

// DOC-5
describe('a certificate', () => {
  const load = (id: number) => db().selectFrom('applications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const notificationsOf = ({ userId }: Member) => notified(userId, 'application.expiring');
  async function issued(year: number) {
    now = noon(`${year}-03-01`);
    const owner = await make.person();
    const { id, documentIds } = await make.application(owner, { status: 'approved' });
    return { id, owner, documentIds, lastDay: `${year}-12-31` };
  }
  const review = async (id: number, decision: string) =>
    decide(
      applicationProcess,
      'review',
      id,
      { decision, revision: (await load(id)).revision, validFrom: null, validUntil: null },
      decision === 'approve' ? undefined : { note: 'a note of the test' },
    );

  test('reminds 60, 30 and 7 days ahead of 31 December, each once, then closes with its year', async () => {
    const { id, owner, lastDay } = await issued(2027);
    const { revision } = await load(id);
    const timers = await expectReminders(applicationProcess, id, lastDay, () => notificationsOf(owner));
    for (const [nth, days] of [60, 30, 7].entries())
      expect(timers[nth]).toMatch(new RegExp(`^reminder: certificate KZ-N-2027-\\d{6} expires in ${days} days$`));
    expect((await reconsider(applicationProcess, id)).timer?.summary).toBe('year ends');
    expect((await load(id)).revision).toBe(revision);
    now = before(lastDay, -1);
    expect(await reconsider(applicationProcess, id)).toMatchObject({ stage: 'closed', isOver: true });
    expect(await notificationsOf(owner)).toEqual([60, 30, 7]);
    expect((await auditOf('application', id)).filter((action) => action === 'application.reminded')).toHaveLength(3);
  });

  test('after an outage sends one reminder, with the days left, to the present owner', async () => {
    const { id, owner } = await issued(2029);
    now = noon('2029-12-10');
    await reconsider(applicationProcess, id);
    await reconsider(applicationProcess, id);
    expect(await notificationsOf(owner)).toEqual([21]);
    expect((await load(id)).remindAt).toEqual(before('2029-12-31', 7));
    const [{ facts, subjectKind, subjectId } = { facts: {}, subjectKind: '', subjectId: '' }] = await db()
      .selectFrom('notifications')
      .select(['facts', 'subjectKind', 'subjectId'])
      .where('userId', '=', owner.userId)
      .where('type', '=', 'application.expiring')
      .execute();
    expect({ subjectKind, subjectId }).toEqual({ subjectKind: 'application', subjectId: String(id) });
    expect(facts).toMatchObject({ number: expect.stringMatching(/^KZ-N-2029-/), valid_until: '2029-12-31', days: 21 });
    expect(facts).toHaveProperty('service');
  });

  test('reminds of a returned certificate too, since it ends as well', async () => {
    const { id, owner } = await issued(2030);
    await review(id, 'changes');
    now = noon('2030-11-05');
    expect(await isFoundDue(applicationProcess, id)).toBe(true);
    await reconsider(applicationProcess, id);
    expect(await notificationsOf(owner)).toEqual([56]);
  });

  test('sends a due reminder after a new approval', async () => {
    const { id, owner } = await issued(2031);
    await review(id, 'changes');
    await db().updateTable('applications').set({ status: 'submitted' }).where('id', '=', id).execute();
    now = noon('2031-11-05');
    await review(id, 'approve');
    await reconsider(applicationProcess, id);
    expect(await notificationsOf(owner)).toEqual([56]);
    expect((await load(id)).remindAt).toEqual(before('2031-12-31', 30));
  });

  test('sends no reminder of an annulled certificate', async () => {
    const { id, owner } = await issued(2031);
    await review(id, 'cancel');
    expect((await load(id)).remindAt).toBeNull();
    now = noon('2031-12-01');
    await reconsider(applicationProcess, id);
    expect(await notificationsOf(owner)).toEqual([]);
  });

  test('announces an expired document and its own reminder in one run', async () => {
    const { id, owner, documentIds } = await issued(2032);
    await db()
      .updateTable('documents')
      .set({ expiresAt: '2032-11-01', remindAt: null })
      .where('id', '=', documentIds[1] ?? 0)
      .execute();
    now = noon('2032-11-02');
    expect(await reconsider(applicationProcess, id)).toMatchObject({ stage: 'changes', isDue: false });
    expect(await notificationsOf(owner)).toEqual([59]);
  });
});

test('no invariant of the database is broken afterwards', async () => {
  expect(await findBrokenInvariants(ownerUrl)).toEqual([]);
});
