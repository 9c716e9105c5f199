import { randomUUID } from 'node:crypto';
import { createDocumentActivities } from '../../activities/documents.ts';
import { AuditEventEntity } from '../../src/administration/entities.ts';
import { DocumentEntity } from '../../src/documents/entities.ts';
import { findDue, findLive } from '../../src/documents/sweep.ts';
import { updateDocument } from '../../src/documents/update-document.ts';
import { isDomainError } from '../../src/errors.ts';
import { NotificationEntity } from '../../src/messages/entities.ts';
import { commit } from '../../src/platform/command.ts';
import type { Caller } from '../../src/platform/context.ts';
import { dayOf } from '../../src/platform/date-time.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { keepPrivateInput } from '../../src/platform/private-inputs.ts';
import { ReviewDecisionEntity } from '../../src/administration/entities.ts';
import type { ReviewArgs } from '../../workflows/document-review.contract.ts';
import type { ProcessCommand } from '../../workflows/process.contract.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { insertApplicationOn, insertDocument, insertUser } from './documents-records.ts';

const dayMs = 86_400_000;
let platform: Platform;
let close: () => Promise<void>;
let administrator: Caller;
/** The clock of the registry, moved by hand. */
let now = new Date('2026-06-15T12:00:00+05:00');

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  platform = { ...started.platform, clock: { sandbox: false, now: async () => now } };
  administrator = {
    actor: { kind: 'user', userId: await insertUser(em(), 'administrator', now), isAdministrator: true, impersonatedUserId: null },
    requestId: 'test-review',
    ip: null,
  };
});
afterAll(() => close());
beforeEach(() => {
  now = new Date('2026-06-15T12:00:00+05:00');
});

const em = () => platform.orm.em.fork();
const activities = () => createDocumentActivities(platform);
const load = (id: number) => em().findOneOrFail(DocumentEntity, { id });
const decisionsOn = (id: number) => em().find(ReviewDecisionEntity, { subjectKind: 'document', subjectId: id }, { orderBy: { id: 'asc' } });
const toldTo = (userId: number) => em().find(NotificationEntity, { userId }, { orderBy: { id: 'asc' } });
const journalOf = async (id: number) =>
  (await em().find(AuditEventEntity, { subjectKind: 'document', subjectId: String(id) }, { orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

async function command(
  decision: ReviewArgs['decision'],
  note: string | null = null,
  caller = administrator,
): Promise<ProcessCommand<ReviewArgs>> {
  const privateInputId = note === null ? null : await keepPrivateInput(platform, { note });
  return { commandId: randomUUID(), caller, args: { decision, privateInputId } };
}

describe('a decision on a document', () => {
  test('approval clears the note, is kept in the history and the journal, and tells the owner', async () => {
    const document = await insertDocument(em(), now, { status: 'changes', reviewNote: 'the scan is cut off', decidedAt: now });
    const view = await activities().reviewDocument(document.id, await command('approve'));
    expect(view).toMatchObject({ stage: 'approved', waitingFor: 'nobody', isOver: true, wakeAfterMs: null });
    expect(await load(document.id)).toMatchObject({ status: 'approved', reviewNote: null, decidedAt: now });
    expect(await decisionsOn(document.id)).toMatchObject([
      { decision: 'approve', note: null, fromStatus: 'changes', toStatus: 'approved' },
    ]);
    expect(await journalOf(document.id)).toEqual(['document.approved']);
    expect(await toldTo(document.ownerId)).toMatchObject([
      { type: 'document.approved', subjectKind: 'document', subjectId: String(document.id) },
    ]);
  });

  test('run twice with one command it takes effect once', async () => {
    const document = await insertDocument(em(), now);
    const sent = await command('changes', 'the scan is cut off');
    const first = await activities().reviewDocument(document.id, sent);
    expect(await activities().reviewDocument(document.id, sent)).toEqual(first);
    expect(await decisionsOn(document.id)).toHaveLength(1);
    expect(await toldTo(document.ownerId)).toHaveLength(1);
  });

  test('sent anew it changes nothing where the document stands so already, but another note is another decision', async () => {
    const document = await insertDocument(em(), now);
    await activities().reviewDocument(document.id, await command('changes', 'the scan is cut off'));
    await activities().reviewDocument(document.id, await command('changes', 'the scan is cut off'));
    expect(await decisionsOn(document.id)).toHaveLength(1);
    await activities().reviewDocument(document.id, await command('changes', 'the stamp is missing'));
    expect((await decisionsOn(document.id)).map(({ note }) => note)).toEqual(['the scan is cut off', 'the stamp is missing']);
    expect(await load(document.id)).toMatchObject({ status: 'changes', reviewNote: 'the stamp is missing' });
    expect(await toldTo(document.ownerId)).toHaveLength(2);
  });

  test('two administrators at once: both decisions are in the history, one after the other, and the last one stands', async () => {
    const document = await insertDocument(em(), now);
    await Promise.all([
      activities().reviewDocument(document.id, await command('approve')),
      activities().reviewDocument(document.id, await command('cancel', 'this is a forgery')),
    ]);
    const [first, second, ...more] = await decisionsOn(document.id);
    expect(more).toEqual([]);
    expect(first?.fromStatus).toBe('pending');
    expect(second?.fromStatus).toBe(first?.toStatus);
    expect((await load(document.id)).status).toBe(second?.toStatus);
  });

  test('approved twice at once: one decision, one notification', async () => {
    const document = await insertDocument(em(), now);
    await Promise.all([
      activities().reviewDocument(document.id, await command('approve')),
      activities().reviewDocument(document.id, await command('approve')),
    ]);
    expect(await decisionsOn(document.id)).toHaveLength(1);
    expect(await toldTo(document.ownerId)).toHaveLength(1);
  });

  test('a lapsed document is not approved, and nothing is written', async () => {
    const document = await insertDocument(em(), now, { expiresAt: dayOf(new Date(now.getTime() - dayMs)) });
    await expect(activities().reviewDocument(document.id, await command('approve'))).rejects.toMatchObject({
      type: 'invalid_state',
      nonRetryable: true,
    });
    expect(await load(document.id)).toMatchObject({ status: 'pending', decidedAt: null });
    expect(await journalOf(document.id)).toEqual([]);
  });

  test('a document that lapsed unnoticed is marked so before it is returned, and does not expire again afterwards', async () => {
    const document = await insertDocument(em(), now, { status: 'approved', expiresAt: dayOf(new Date(now.getTime() - dayMs)) });
    await activities().reviewDocument(document.id, await command('changes', 'send the new certificate'));
    expect(await journalOf(document.id)).toEqual(['document.expired', 'document.changes']);
    await activities().reconsiderDocument(document.id);
    expect(await load(document.id)).toMatchObject({ status: 'changes', reviewNote: 'send the new certificate' });
    expect(await findDue(em(), now, document.id - 1, 1)).not.toContain(document.id);
  });

  test.each([
    ['without a note', 'changes', 'validation_failed'],
    ['of a document that is not there', 'approve', 'not_found'],
  ] as const)('%s is refused', async (_, decision, code) => {
    const { id } = await insertDocument(em(), now);
    const target = code === 'not_found' ? 2_000_000_000 : id;
    await expect(activities().reviewDocument(target, await command(decision))).rejects.toMatchObject({ type: code });
  });

  test('of somebody who is no administrator is refused', async () => {
    const document = await insertDocument(em(), now);
    const owner: Caller = {
      ...administrator,
      actor: { kind: 'user', userId: document.ownerId, isAdministrator: false, impersonatedUserId: null },
    };
    await expect(activities().reviewDocument(document.id, await command('approve', null, owner))).rejects.toMatchObject({
      type: 'forbidden',
    });
  });
});

describe('the last day of a document', () => {
  test('it expires at midnight in UTC+5, once, and names the live applications that stand on it', async () => {
    const document = await insertDocument(em(), now, { status: 'approved', expiresAt: '2026-06-15' });
    const live = [await insertApplicationOn(em(), document, now, 'approved'), await insertApplicationOn(em(), document, now, 'submitted')];
    await insertApplicationOn(em(), document, now, 'cancelled');

    now = new Date('2026-06-15T23:59:00+05:00');
    expect(await activities().reconsiderDocument(document.id)).toMatchObject({
      stage: 'approved',
      waitingFor: 'date',
      wakeAfterMs: 60_000,
      isOver: false,
    });
    expect(await findDue(em(), now, document.id - 1, 1)).toEqual([]);

    now = new Date('2026-06-16T00:00:00+05:00');
    expect(await findDue(em(), now, document.id - 1, 1)).toEqual([document.id]);
    for (let run = 0; run < 2; run += 1) {
      expect(await activities().reconsiderDocument(document.id)).toMatchObject({ stage: 'expired', isOver: true, wakeAfterMs: null });
    }
    expect(await load(document.id)).toMatchObject({
      status: 'expired',
      reviewNote: `Document ${document.id} expired after 2026-06-15. Linked applications: ${live.join(', ')}.`,
    });
    expect(await journalOf(document.id)).toEqual(['document.expired']);
    const told = await toldTo(document.ownerId);
    expect(told.map(({ type }) => type)).toEqual(['document.expired']);
    expect(told[0]?.text).toContain(live.join(', '));
    expect(await findDue(em(), now, document.id - 1, 1)).toEqual([]);
  });

  test.each(['pending', 'changes'] as const)('a %s document wakes at its expiry too', async (status) => {
    const document = await insertDocument(em(), now, { status, expiresAt: '2026-06-15' });
    expect((await activities().reconsiderDocument(document.id)).wakeAfterMs).toBe(12 * 3_600_000);
    now = new Date('2026-06-16T00:00:01+05:00');
    expect((await activities().reconsiderDocument(document.id)).stage).toBe('expired');
  });

  test.each([
    ['pending', null, true],
    ['changes', null, true],
    ['approved', '2027-01-01', true],
    ['approved', null, false],
    ['cancelled', '2027-01-01', false],
    ['expired', '2026-01-01', false],
  ] as const)('the sweeper knows a %s document with last day %s as live: %s', async (status, expiresAt, isLive) => {
    const document = await insertDocument(em(), now, { status, expiresAt });
    expect(await findLive(em(), document.id - 1, 1)).toEqual(isLive ? [document.id] : []);
    expect((await activities().reconsiderDocument(document.id)).isOver).toBe(!isLive);
  });

  test('a document that is not there needs no process', async () => {
    expect(await activities().reconsiderDocument(2_000_000_000)).toMatchObject({ isOver: true, waitingFor: 'nobody' });
  });
});

describe('a change by the owner', () => {
  const owner = (userId: number): Caller => ({
    actor: { kind: 'user', userId, isAdministrator: false, impersonatedUserId: null },
    requestId: 'test-change',
    ip: null,
  });

  test.each(['draft', 'submitted', 'approved', 'cancelled', 'closed'] as const)('of a document on a %s application', async (status) => {
    const document = await insertDocument(em(), now, { status: 'approved' });
    const applicationId = await insertApplicationOn(em(), document, now, status);
    const change = commit(platform, owner(document.ownerId), (ctx) => updateDocument(ctx, document.id, { number: 'N 1' })).then(
      () => 'changed',
      (error: unknown) => (isDomainError(error) ? { code: error.code, details: error.details } : Promise.reject(error)),
    );
    expect(await change).toEqual(status === 'draft' ? 'changed' : { code: 'document_in_use', details: { applications: [applicationId] } });
    expect((await load(document.id)).status).toBe(status === 'draft' ? 'pending' : 'approved');
  });

  test('and a decision at the same moment take effect one after the other', async () => {
    const document = await insertDocument(em(), now);
    await Promise.all([
      activities().reviewDocument(document.id, await command('approve')),
      commit(platform, owner(document.ownerId), (ctx) => updateDocument(ctx, document.id, { number: 'N 2' })),
    ]);
    const { status, number } = await load(document.id);
    expect(number).toBe('N 2');
    expect(['pending', 'approved']).toContain(status);
  });
});
