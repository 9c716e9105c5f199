import { randomUUID } from 'node:crypto';
import { executeInternal, executeOnce } from '../../../activities/execute.ts';
import { AuditEventEntity } from '../../../src/areas/audit/index.ts';
import type { CorrectedFields } from '../../../src/areas/documents/correct-document.ts';
import { DocumentEntity, documentProcess } from '../../../src/areas/documents/index.ts';
import { updateDocument } from '../../../src/areas/documents/update-document.ts';
import { NotificationEntity, notificationKinds, wordsOf } from '../../../src/areas/notifications/index.ts';
import { ReviewDecisionEntity } from '../../../src/areas/reviews/index.ts';
import { isDomainError } from '../../../src/errors.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import type { UnrecordedCaller } from '../../../src/platform/commands/context.ts';
import { dayOf, endOfDay } from '../../../src/platform/time/date-time.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { storePrivateInput } from '../../../src/platform/commands/private-inputs.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import type { CorrectArgs, ReviewArgs } from '../../../workflows/contracts/document.contract.ts';
import type { ProcessCommand } from '../../../workflows/contracts/process.contract.ts';
import { handlerOf } from '../../support/handler-of.ts';
import { type DocumentOptions, type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

const dayMs = 86_400_000;
let platform: Platform;
let close: () => Promise<void>;
let make: Fixtures<Member>;
let administrator: UnrecordedCaller;
/** The clock of the registry, moved by hand. */
let now = new Date('2026-06-15T12:00:00+05:00');

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  // No worker runs the processes in this test.
  platform = { ...started.platform, outbox: relayOnlyOutbox, clock: { sandbox: false, now: async () => now } };
  make = fixturesIn(platform);
  administrator = (await make.administrator()).caller;
});
afterAll(() => close());
beforeEach(() => {
  now = new Date('2026-06-15T12:00:00+05:00');
});

const em = () => platform.orm.em.fork();

/** Makes a document of a new owner. */
async function makeDocument(options: DocumentOptions = {}) {
  const owner = await make.person();
  const profileId = await make.profile(owner, { status: 'approved' });
  return { id: await make.document(owner, profileId, options), owner, profileId };
}

/** The steps of the process, run as its activities run them. */
const activities = {
  reviewDocument: (id: number, sent: ProcessCommand<ReviewArgs>) =>
    executeOnce(platform, documentProcess, handlerOf(documentProcess, 'review'), id, sent),
  correctDocument: (id: number, sent: ProcessCommand<CorrectArgs>) =>
    executeOnce(platform, documentProcess, handlerOf(documentProcess, 'correct'), id, sent),
  reconsiderDocument: (id: number) => executeInternal(platform, documentProcess, id),
};

/** Whether the sweeper finds a document due. */
async function isFoundDue(id: number): Promise<boolean> {
  const due = await query(platform, (db, instant) => documentProcess.listDue(db, instant, null, 1000));
  return due.some((record) => record.id === id);
}

const load = (id: number) => em().findOneOrFail(DocumentEntity, { id });
const decisionsOn = (id: number) => em().find(ReviewDecisionEntity, { subjectKind: 'document', subjectId: id }, { orderBy: { id: 'asc' } });
const notificationsTo = (userId: number) => em().find(NotificationEntity, { userId }, { orderBy: { id: 'asc' } });
const auditOf = async (id: number) =>
  (await em().find(AuditEventEntity, { subjectKind: 'document', subjectId: String(id) }, { orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

async function command(
  decision: ReviewArgs['decision'],
  note: string | null = null,
  caller = administrator,
): Promise<ProcessCommand<ReviewArgs>> {
  const privateInputId = note === null ? null : await storePrivateInput(platform, { note });
  return { commandId: randomUUID(), caller, args: { decision }, privateInputId };
}

async function correction(id: number, changes: CorrectedFields, caller = administrator): Promise<ProcessCommand<CorrectArgs>> {
  const { updatedAt } = await load(id);
  const privateInputId = await storePrivateInput(platform, { changes });
  return { commandId: randomUUID(), caller, args: { updatedAt: updatedAt.toISOString() }, privateInputId };
}

// DOC-6
describe('a correction of a document', () => {
  test('moves the timer to the corrected day; the command holds no private data', async () => {
    const document = await makeDocument({ status: 'approved', expiresAt: '2026-07-01' });
    const sent = await correction(document.id, { number: 'K 77', expiresAt: '2026-06-20' });
    expect(JSON.stringify(sent)).not.toMatch(/K 77|2026-06-20/);
    const view = await activities.correctDocument(document.id, sent);
    expect(view).toMatchObject({ stage: 'approved', waitingFor: 'date', timer: { afterMs: 5.5 * dayMs } });
    expect(await load(document.id)).toMatchObject({ status: 'approved', number: 'K 77', expiresAt: '2026-06-20' });
    expect(await auditOf(document.id)).toEqual(['document.corrected']);
    expect((await notificationsTo(document.owner.userId)).map(({ type }) => type)).toEqual(['record.corrected']);
  });

  test('of two corrections of one version one takes effect and the other is stale', async () => {
    const document = await makeDocument();
    const sent = [await correction(document.id, { number: 'K 1' }), await correction(document.id, { number: 'K 2' })];
    const outcomes = await Promise.allSettled(sent.map((one) => activities.correctDocument(document.id, one)));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const lost = outcomes.findIndex(({ status }) => status === 'rejected');
    expect(outcomes[lost]).toMatchObject({ reason: { type: 'stale_revision' } });
    expect((await load(document.id)).number).toBe(lost === 0 ? 'K 2' : 'K 1');
  });

  test('to a past last day expires the document once, and leaves the sweeper nothing to do', async () => {
    const document = await makeDocument({ status: 'approved', expiresAt: '2030-01-01' });
    const sent = await correction(document.id, { expiresAt: '2026-06-14' });
    for (let run = 0; run < 2; run += 1)
      expect(await activities.correctDocument(document.id, sent)).toMatchObject({ stage: 'expired', isOver: true, timer: null });
    expect(await auditOf(document.id)).toEqual(['document.corrected', 'document.expired']);
    expect(await notificationsTo(document.owner.userId)).toHaveLength(2);
    expect(await isFoundDue(document.id)).toBe(false);
  });

  test('of an unrecorded expiry to a future day keeps the document approved', async () => {
    const document = await makeDocument({ status: 'approved', expiresAt: '2026-06-14' });
    const sent = await correction(document.id, { expiresAt: '2027-06-14' });
    expect(await activities.correctDocument(document.id, sent)).toMatchObject({ stage: 'approved', isDue: false });
    expect(await auditOf(document.id)).toEqual(['document.corrected']);
  });
});

// DOC-2
describe('a decision on a document', () => {
  test('changes nothing when repeated; another note is another decision', async () => {
    const document = await makeDocument();
    await activities.reviewDocument(document.id, await command('changes', 'the scan is cut off'));
    await activities.reviewDocument(document.id, await command('changes', 'the scan is cut off'));
    expect(await decisionsOn(document.id)).toHaveLength(1);
    await activities.reviewDocument(document.id, await command('changes', 'the stamp is missing'));
    expect((await decisionsOn(document.id)).map(({ note }) => note)).toEqual(['the scan is cut off', 'the stamp is missing']);
    expect(await load(document.id)).toMatchObject({ status: 'changes', reviewNote: 'the stamp is missing' });
    expect(await notificationsTo(document.owner.userId)).toHaveLength(2);
  });

  test('of two administrators at once: the history has both decisions in order, and the last one holds', async () => {
    const document = await makeDocument();
    await Promise.all([
      activities.reviewDocument(document.id, await command('approve')),
      activities.reviewDocument(document.id, await command('cancel', 'this is a forgery')),
    ]);
    const [first, second, ...more] = await decisionsOn(document.id);
    expect(more).toEqual([]);
    expect(first?.fromStatus).toBe('pending');
    expect(second?.fromStatus).toBe(first?.toStatus);
    expect((await load(document.id)).status).toBe(second?.toStatus);
  });

  test('approved twice at once: one decision, one notification', async () => {
    const document = await makeDocument();
    await Promise.all([
      activities.reviewDocument(document.id, await command('approve')),
      activities.reviewDocument(document.id, await command('approve')),
    ]);
    expect(await decisionsOn(document.id)).toHaveLength(1);
    expect(await notificationsTo(document.owner.userId)).toHaveLength(1);
  });

  test('records an unrecorded expiry before it returns the document, which then does not expire again', async () => {
    const document = await makeDocument({ status: 'approved', expiresAt: dayOf(new Date(now.getTime() - dayMs)) });
    await activities.reviewDocument(document.id, await command('changes', 'send the new certificate'));
    expect(await auditOf(document.id)).toEqual(['document.expired', 'document.changes']);
    await activities.reconsiderDocument(document.id);
    expect(await load(document.id)).toMatchObject({ status: 'changes', reviewNote: 'send the new certificate' });
    expect(await isFoundDue(document.id)).toBe(false);
  });

  test('is refused to callers who are not administrators', async () => {
    const document = await makeDocument();
    const { caller } = document.owner;
    await expect(activities.reviewDocument(document.id, await command('approve', null, caller))).rejects.toMatchObject({
      type: 'forbidden',
    });
  });
});

// DOC-1
describe('the last day of a document', () => {
  test('expires the document at midnight in UTC+5, once, and names the live applications that use it', async () => {
    const document = await makeDocument({ status: 'approved', expiresAt: '2026-06-15' });
    const on = { profileId: document.profileId, documentIds: [document.id] };
    await make.application(document.owner, { on, columns: { status: 'cancelled' } });
    const approved = await make.application(document.owner, { on, columns: { status: 'approved' } });
    const submitted = await make.application(document.owner, { on, serviceId: 20, columns: { status: 'submitted' } });
    const live = [approved.id, submitted.id];

    now = new Date('2026-06-15T23:59:00+05:00');
    expect(await activities.reconsiderDocument(document.id)).toMatchObject({
      stage: 'approved',
      waitingFor: 'date',
      timer: { afterMs: 60_000, summary: `document ${document.id} expires` },
      isOver: false,
    });
    expect(await isFoundDue(document.id)).toBe(false);

    now = new Date('2026-06-16T00:00:00+05:00');
    expect(await query(platform, (db, instant) => documentProcess.listDue(db, instant, null, 1000))).toContainEqual({
      id: document.id,
      at: endOfDay('2026-06-15'),
    });
    for (let run = 0; run < 2; run += 1) {
      expect(await activities.reconsiderDocument(document.id)).toMatchObject({ stage: 'expired', isOver: true, timer: null });
    }
    expect(await load(document.id)).toMatchObject({
      status: 'expired',
      reviewNote: `Document ${document.id} expired after 2026-06-15. Linked applications: ${live.join(', ')}.`,
    });
    expect(await auditOf(document.id)).toEqual(['document.expired']);
    const notified = await notificationsTo(document.owner.userId);
    expect(notified.map(({ type }) => type)).toEqual(['document.expired']);
    const [expiry] = notified;
    expect(expiry?.facts).toEqual({ document_type: 'medical', expires_at: '2026-06-15', applications: live });
    expect(expiry && wordsOf(platform.extensions.of(notificationKinds), expiry, 'en').text).toContain(
      `Linked applications: ${live.join(', ')}.`,
    );
    expect(await isFoundDue(document.id)).toBe(false);
  });

  test.each(['pending', 'changes'] as const)('a %s document has a timer for its expiry too', async (status) => {
    const document = await makeDocument({ status, expiresAt: '2026-06-15' });
    expect((await activities.reconsiderDocument(document.id)).timer?.afterMs).toBe(12 * 3_600_000);
    now = new Date('2026-06-16T00:00:01+05:00');
    expect((await activities.reconsiderDocument(document.id)).stage).toBe('expired');
  });

  test.each([
    ['pending', null, true],
    ['changes', null, true],
    ['approved', '2027-01-01', true],
    ['approved', null, false],
    ['cancelled', '2027-01-01', false],
    ['expired', '2026-01-01', false],
  ] as const)('the sweeper lists a %s document with last day %s as live: %s', async (status, expiresAt, isLive) => {
    const document = await makeDocument({ expiresAt, columns: { status } });
    expect(await query(platform, (db) => documentProcess.listLiving(db, document.id - 1, 1))).toEqual(isLive ? [document.id] : []);
    expect((await activities.reconsiderDocument(document.id)).isOver).toBe(!isLive);
  });

  test('a missing document needs no process', async () => {
    expect(await activities.reconsiderDocument(2_000_000_000)).toMatchObject({ isOver: true, waitingFor: 'none' });
  });
});

// DOC-3, DOC-7
describe('a change by the owner', () => {
  test.each(['draft', 'submitted', 'approved', 'cancelled', 'closed'] as const)('of a document on a %s application', async (status) => {
    const document = await makeDocument({ status: 'approved' });
    const on = { profileId: document.profileId, documentIds: [document.id] };
    const { id: applicationId } = await make.application(document.owner, { on, columns: { status } });
    const change = commit(platform, document.owner.caller, (ctx) => updateDocument(ctx, document.id, { number: 'N 1' })).then(
      () => 'changed',
      (error: unknown) => (isDomainError(error) ? { code: error.code, details: error.details } : Promise.reject(error)),
    );
    expect(await change).toEqual(status === 'draft' ? 'changed' : { code: 'document_in_use', details: { applications: [applicationId] } });
    expect((await load(document.id)).status).toBe(status === 'draft' ? 'pending' : 'approved');
  });

  test('and a concurrent decision take effect one after the other', async () => {
    const document = await makeDocument();
    await Promise.all([
      activities.reviewDocument(document.id, await command('approve')),
      commit(platform, document.owner.caller, (ctx) => updateDocument(ctx, document.id, { number: 'N 2' })),
    ]);
    const { status, number } = await load(document.id);
    expect(number).toBe('N 2');
    expect(['pending', 'approved']).toContain(status);
  });
});
