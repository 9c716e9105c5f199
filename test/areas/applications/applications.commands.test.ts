import { MockActivityEnvironment } from '@temporalio/testing';
import { createHash, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { executeInternal, executeOnce } from '../../../activities/execute.ts';
import { createLongWork } from '../../../activities/long-work.ts';
import { ApplicationEntity, CertificateEntity } from '../../../src/areas/applications/entities.ts';
import { applicationProcess } from '../../../src/areas/applications/process.ts';
import { findApplication } from '../../../src/areas/applications/queries.ts';
import { updateApplication } from '../../../src/areas/applications/update-application.ts';
import { AuditEventEntity } from '../../../src/areas/audit/entities.ts';
import { DocumentEntity } from '../../../src/areas/documents/entities.ts';
import { NotificationEntity } from '../../../src/areas/notifications/entities.ts';
import { ProfileEntity } from '../../../src/areas/profiles/entities.ts';
import { ReviewDecisionEntity } from '../../../src/areas/reviews/entities.ts';
import { LedgerTransactionEntity } from '../../../src/areas/wallet/entities.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import type { UnrecordedCaller } from '../../../src/platform/commands/context.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { processRef } from '../../../src/platform/workflows/process-ref.ts';
import { storePrivateInput } from '../../../src/platform/commands/private-inputs.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import type { DueRecord } from '../../../src/platform/workflows/define-process.ts';
import type { ProcessCommand } from '../../../workflows/contracts/process.contract.ts';
import { handlerOf } from '../../support/handler-of.ts';
import { type AthleteOptions, type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

const noon = '2026-06-15T12:00:00+05:00';
/** Default balance of an athlete, tiyn. */
const wealthMinor = 100_000_000;
let platform: Platform;
let close: () => Promise<void>;
let make: Fixtures<Member>;
let administrator: UnrecordedCaller;
/** The clock of the registry; tests move it. */
let now = new Date(noon);

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  platform = { ...started.platform, clock: { sandbox: false, now: async () => now } };
  make = fixturesIn(platform);
  administrator = (await make.administrator()).caller;
});
afterAll(() => close());
beforeEach(() => {
  now = new Date(noon);
});

const em = () => platform.orm.em.fork();
const reconsider = (id: number) => executeInternal(platform, applicationProcess, id);
const find = (id: number) => query(platform, (db) => findApplication(db, id));
/** Ids of due applications at the present instant. */
const due = () => query(platform, async (db) => (await applicationProcess.listDue(db, now, null, 10_000)).map(({ id }) => id));
/** Whether the process has a due step. */
async function isDue(id: number): Promise<boolean | undefined> {
  const record = await find(id);
  return record ? applicationProcess.describe(record, now).isDue : undefined;
}
const load = (id: number) => em().findOneOrFail(ApplicationEntity, { id });
const certificateOf = (id: number) => em().findOne(CertificateEntity, { applicationId: id });
const paymentsOf = (id: number) => em().find(LedgerTransactionEntity, { applicationId: id }, { orderBy: { id: 'asc' } });
const notificationsTo = async (userId: number) =>
  (await em().find(NotificationEntity, { userId }, { orderBy: { id: 'asc' } })).map(({ type }) => type);
const auditOf = async (id: number) =>
  (await em().find(AuditEventEntity, { subjectKind: 'application', subjectId: String(id) }, { orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

function command<Args>(caller: UnrecordedCaller, args: Args, privateInputId: string | null = null): ProcessCommand<Args> {
  return { commandId: randomUUID(), caller, args, privateInputId };
}
/** Takes a step of the process as its activity does. */
function step(name: string, id: number, sent: ProcessCommand<unknown>) {
  const handler = handlerOf(applicationProcess, name);
  return executeOnce(platform, applicationProcess, handler, id, sent);
}
const submit = (athlete: Member, id: number) => step('submit', id, command(athlete.caller, {}));
const pay = (athlete: Member, id: number) => step('pay', id, command(athlete.caller, {}));

async function review(
  id: number,
  decision: 'approve' | 'changes' | 'cancel',
  given: { note?: string; revision?: number; validFrom?: string; validUntil?: string } = {},
) {
  const privateInputId = given.note === undefined ? null : await storePrivateInput(platform, { note: given.note });
  const args = {
    decision,
    revision: given.revision ?? (await load(id)).revision,
    validFrom: given.validFrom ?? null,
    validUntil: given.validUntil ?? null,
  };
  return step('review', id, command(administrator, args, privateInputId));
}

async function cancel(athlete: Member, id: number) {
  const privateInputId = await storePrivateInput(platform, { reason: 'I have changed my mind' });
  return step('cancel', id, command(athlete.caller, {}, privateInputId));
}

/** An athlete with everything that a national certificate requires, and with money. */
async function makeAthlete(options: AthleteOptions = {}, balanceMinor = wealthMinor) {
  const owner = await make.person();
  await make.money(owner, balanceMinor);
  const { profileId, documentIds } = await make.athlete(owner, options);
  const [identityId = 0, medicalId = 0] = documentIds;
  return { ...owner, profileId, documentIds, identityId, medicalId };
}

/** The draft of a national certificate of a new athlete. */
async function makeDraft(options: AthleteOptions = {}, balanceMinor = wealthMinor) {
  const athlete = await makeAthlete(options, balanceMinor);
  return { athlete, id: (await make.application(athlete, { on: athlete })).id };
}

/** A submitted and paid national certificate, approved if it is ready. */
async function makePaid(options: AthleteOptions = {}) {
  const { athlete, id } = await makeDraft(options);
  await submit(athlete, id);
  await pay(athlete, id);
  return { athlete, id };
}

/** A submitted and paid international licence that waits for its review. */
async function paidLicence() {
  const athlete = await makeAthlete();
  const driverId = await make.document(athlete, athlete.profileId, { type: 'driver', status: 'approved' });
  const on = { profileId: athlete.profileId, documentIds: [...athlete.documentIds, driverId] };
  const { id } = await make.application(athlete, { serviceId: 10, on, data: { discipline_id: 1 } });
  await submit(athlete, id);
  await pay(athlete, id);
  return { athlete, id };
}

describe('a national certificate', () => {
  test('APP-5, APP-7, APP-8: is approved by the payment, with number, dates and token', async () => {
    const { athlete, id } = await makeDraft();
    expect(await submit(athlete, id)).toMatchObject({ stage: 'submitted', waitingFor: 'owner', isOver: false });
    expect(await pay(athlete, id)).toMatchObject({ stage: 'approved', waitingFor: 'date', isOver: false });
    expect(await load(id)).toMatchObject({ status: 'approved', paid: true, amountMinor: 865_000, approvedAt: now });
    const certificate = await certificateOf(id);
    expect(certificate).toMatchObject({ series: 'N', year: 2026, validFrom: '2026-06-15', validUntil: '2026-12-31' });
    expect(certificate?.number).toMatch(/^KZ-N-2026-\d{6}$/);
    expect(certificate?.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await auditOf(id)).toEqual(['application.created', 'application.submitted', 'application.paid', 'application.approved']);
    expect(await notificationsTo(athlete.userId)).toEqual(['application.approved']);
  });

  test('ten concurrent payments charge once (WAL-12)', async () => {
    const { athlete, id } = await makeDraft();
    await submit(athlete, id);
    await Promise.all(Array.from({ length: 10 }, () => pay(athlete, id)));
    expect(await paymentsOf(id)).toHaveLength(1);
    const record = await find(id);
    expect(record?.balanceMinor).toBe(wealthMinor - 865_000);
  });

  test('paid before its last review, it is approved with that review (APP-5)', async () => {
    const { athlete, id } = await makeDraft({ medical: { status: 'pending' } });
    await submit(athlete, id);
    expect(await pay(athlete, id)).toMatchObject({ stage: 'submitted', waitingFor: 'administrator' });
    expect((await reconsider(id)).stage).toBe('submitted');
    expect(await isDue(id)).toBe(false);
    await em().nativeUpdate(DocumentEntity, { id: athlete.medicalId }, { status: 'approved' });
    expect(await isDue(id)).toBe(true);
    const looks = await Promise.all([reconsider(id), reconsider(id)]);
    expect(looks.map(({ stage }) => stage)).toEqual(['approved', 'approved']);
    expect((await auditOf(id)).filter((action) => action === 'application.approved')).toHaveLength(1);
    expect(await isDue(id)).toBe(false);
    expect(await due()).not.toContain(id);
  });
});

test('APP-7: concurrent approvals get numbers without gaps and duplicates', async () => {
  const drafts = await Promise.all(Array.from({ length: 20 }, () => makeDraft()));
  await Promise.all(drafts.map(({ athlete, id }) => submit(athlete, id)));
  await Promise.all(drafts.map(({ athlete, id }) => pay(athlete, id)));
  const sequences = (await em().find(CertificateEntity, { series: 'N', year: 2026 }))
    .map(({ sequence }) => sequence)
    .sort((left, right) => left - right);
  expect(sequences.length).toBeGreaterThanOrEqual(20);
  expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, index) => index + 1));
});

test.each(['draft', 'changes'])(
  'a change in status %s wakes nothing, so that thousands of them do not occupy the process',
  async (status) => {
    const { athlete, id } = await makeDraft();
    if (status === 'changes') {
      await submit(athlete, id);
      await review(id, 'changes', { note: 'name another team' });
    }
    const before = await wakeUps(id);
    const { dueAt } = await load(id);
    const ofDraft = { ...platform, outbox: relayOnlyOutbox };
    await commit(ofDraft, athlete.caller, (ctx) => updateApplication(ctx, id, { data: { team: 'Алатау' } }));
    expect([await wakeUps(id), (await load(id)).dueAt]).toEqual([before, dueAt]);
  },
);

/** Wake-ups of an application's process that were not sent yet. */
function wakeUps(id: number) {
  const waiting = databaseOf(em()).selectFrom('outbox').select('id').where('process', '=', processRef('application', id));
  return waiting.where('start', 'is', null).execute();
}

describe('the expiry of a document', () => {
  test('APP-11: returns the application at midnight UTC+5 and keeps the payment', async () => {
    const { athlete, id } = await makePaid({ medical: { expiresAt: '2026-06-20' } });
    const before = await certificateOf(id);
    now = new Date('2026-06-20T23:59:59+05:00');
    const timer = { afterMs: 1000, summary: `document ${athlete.medicalId} expires` };
    expect(await reconsider(id)).toMatchObject({ stage: 'approved', isDue: false, timer });
    expect(await due()).not.toContain(id);
    now = new Date('2026-06-21T00:00:00+05:00');
    expect(await due()).toContain(id);
    expect(await reconsider(id)).toMatchObject({ stage: 'changes', waitingFor: 'owner' });
    const expired = await load(id);
    expect(expired).toMatchObject({ status: 'changes', paid: true });
    expect(expired.reviewNote).toContain(`Document ${athlete.medicalId} (medical) expired after 2026-06-20. Linked applications: ${id}.`);
    expect(await reconsider(id)).toMatchObject({ stage: 'changes' });
    expect((await load(id)).revision).toBe(expired.revision);

    await expect(submit(athlete, id)).rejects.toMatchObject({ type: 'incomplete_application', details: [{ missing: ['medical'] }] });
    const fresh = await make.document(athlete, athlete.profileId, { status: 'approved', expiresAt: '2027-06-20' });
    await commit(platform, athlete.caller, (ctx) => updateApplication(ctx, id, { documentIds: [athlete.identityId, fresh] }));
    expect(await submit(athlete, id)).toMatchObject({ stage: 'approved' });
    expect(await certificateOf(id)).toEqual(before);
    expect(await paymentsOf(id)).toHaveLength(1);
    expect(await notificationsTo(athlete.userId)).toEqual(['application.approved', 'application.changes', 'application.approved']);
  });

  test('DOC-1: a refused document does not expire, so its application stays', async () => {
    const { athlete, id } = await makePaid({ medical: { expiresAt: '2026-06-20' } });
    await em().nativeUpdate(DocumentEntity, { id: athlete.medicalId }, { status: 'cancelled' });
    now = new Date('2026-06-20T23:59:59+05:00');
    expect(await reconsider(id)).not.toMatchObject({ timer: { summary: `document ${athlete.medicalId} expires` } });
    now = new Date('2026-06-21T00:00:00+05:00');
    expect(await isDue(id)).toBe(false);
    expect(await reconsider(id)).toMatchObject({ stage: 'approved' });
  });

  test('does not change a draft', async () => {
    const { id } = await makeDraft({ medical: { expiresAt: '2026-06-14' } });
    expect(await reconsider(id)).toMatchObject({ stage: 'draft' });
    expect(await isDue(id)).toBe(false);
    expect(await due()).not.toContain(id);
  });
});

describe('a document behind an application is returned', () => {
  test('a submitted application moves to `changes` when its owner replaces the document', async () => {
    const { athlete, id } = await makePaid({ medical: { status: 'pending' } });
    const fresh = await make.document(athlete, athlete.profileId, { status: 'approved' });
    const change = () =>
      commit(platform, athlete.caller, (ctx) => updateApplication(ctx, id, { documentIds: [athlete.identityId, fresh] }));
    await expect(change()).rejects.toMatchObject({ code: 'invalid_state' });
    await em().nativeUpdate(DocumentEntity, { id: athlete.medicalId }, { status: 'cancelled' });
    await change();
    expect((await load(id)).status).toBe('changes');
    expect(await submit(athlete, id)).toMatchObject({ stage: 'approved' });
    expect(await paymentsOf(id)).toHaveLength(1);
  });
});

describe('an administrator decides on a licence', () => {
  test('APP-6, APP-8: it is issued once, until the end of the year', async () => {
    const { id } = await paidLicence();
    expect(await reconsider(id)).toMatchObject({ stage: 'submitted', waitingFor: 'administrator' });
    const revision = (await load(id)).revision;
    expect(await review(id, 'approve', { validFrom: '2026-07-01', validUntil: '2027-07-01' })).toMatchObject({ stage: 'approved' });
    const certificate = await certificateOf(id);
    expect(certificate?.number).toMatch(/^KZ-I-2026-\d{5}$/);
    expect(certificate).toMatchObject({ validFrom: '2026-07-01', validUntil: '2026-12-31' });
    await expect(review(id, 'approve', { revision })).rejects.toMatchObject({ type: 'stale_revision' });
    await review(id, 'approve', { validFrom: '2026-08-01' });
    expect(await certificateOf(id)).toEqual(certificate);
    expect(await em().count(ReviewDecisionEntity, { subjectKind: 'application', subjectId: id })).toBe(1);
  });

  test('concurrent approvals give one number', async () => {
    const { id } = await paidLicence();
    const revision = (await load(id)).revision;
    const answers = await Promise.allSettled([review(id, 'approve', { revision }), review(id, 'approve', { revision })]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await em().count(CertificateEntity, { applicationId: id })).toBe(1);
  });

  test('refuses approval while a readiness rule fails (APP-4)', async () => {
    const { athlete, id } = await paidLicence();
    await em().nativeUpdate(ProfileEntity, { id: athlete.profileId }, { status: 'pending' });
    await expect(review(id, 'approve')).rejects.toMatchObject({
      type: 'not_ready',
      details: [{ rules: [{ rule: 'profile', ok: false, waiting_for: 'administrator' }] }],
    });
  });

  test('APP-12: `changes` returns it with the note, `cancel` annuls it without a refund', async () => {
    const { athlete, id } = await paidLicence();
    await review(id, 'changes', { note: 'The team is missing' });
    expect(await load(id)).toMatchObject({ status: 'changes', reviewNote: 'The team is missing' });
    await commit(platform, athlete.caller, (ctx) => updateApplication(ctx, id, { data: { team: 'Алатау' } }));
    await submit(athlete, id);
    await review(id, 'approve');
    const certificate = await certificateOf(id);
    await review(id, 'cancel', { note: 'Issued by mistake' });
    expect(await load(id)).toMatchObject({ status: 'cancelled', refundTransactionId: null });
    expect(await certificateOf(id)).toEqual(certificate);
    expect(await paymentsOf(id)).toHaveLength(1);
  });

  test('`changes` and `cancel` need a note and an administrator', async () => {
    const { athlete, id } = await paidLicence();
    await expect(review(id, 'changes')).rejects.toMatchObject({ type: 'validation_failed' });
    const args = {
      decision: 'approve' as const,
      revision: (await load(id)).revision,
      validFrom: null,
      validUntil: null,
    };
    await expect(step('review', id, command(athlete.caller, args))).rejects.toMatchObject({ type: 'forbidden' });
  });
});

describe('cancelling by the owner', () => {
  test('APP-12: refunds once; a new application may be opened (APP-1)', async () => {
    const { athlete, id } = await makePaid({ medical: { status: 'pending' } });
    expect(await cancel(athlete, id)).toMatchObject({ stage: 'cancelled', isOver: true });
    expect((await find(id))?.balanceMinor).toBe(wealthMinor);
    await expect(cancel(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
    await expect(pay(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
    expect((await paymentsOf(id)).map(({ type }) => type)).toEqual(['application_payment', 'application_refund']);
    expect(await notificationsTo(athlete.userId)).toEqual(['application.cancelled', 'application.refunded']);
    expect((await make.application(athlete, { on: athlete })).id).toBeGreaterThan(id);
  });
});

describe('the end of the year', () => {
  test('APP-13: closes living applications and refunds those never issued', async () => {
    const one = await makePaid();
    const { athlete: other, id: paidId } = await makePaid({ medical: { status: 'pending' } });
    now = new Date('2026-12-31T23:59:59+05:00');
    // The closing of applications is spread over the hour after the year's end.
    const afterMs = 1000 + ((one.id * 7919) % 3600) * 1000;
    expect(await reconsider(one.id)).toMatchObject({ stage: 'approved', timer: { afterMs, summary: 'year ends' } });
    expect(await due()).not.toContain(one.id);
    now = new Date('2027-01-01T00:00:00+05:00');
    expect(await due()).toContain(one.id);
    await Promise.all([reconsider(one.id), reconsider(one.id)]);
    expect(await reconsider(one.id)).toMatchObject({ stage: 'closed', isOver: true, timer: null });
    await reconsider(paidId);
    expect(await paymentsOf(one.id)).toHaveLength(1);
    expect((await paymentsOf(paidId)).map(({ type }) => type)).toEqual(['application_payment', 'application_refund']);
    expect(await notificationsTo(one.athlete.userId)).toEqual(['application.approved', 'application.expiring', 'application.closed']);
    expect(await query(platform, (db) => applicationProcess.listLiving(db, one.id - 1, 1))).not.toContain(one.id);
    expect(await due()).not.toContain(one.id);
    await expect(submit(other, paidId)).rejects.toMatchObject({ type: 'invalid_state' });
  });

  test('APP-13: refuses payment and approval after the year, even before it is closed', async () => {
    const { athlete, id } = await makeDraft();
    await submit(athlete, id);
    const licence = await paidLicence();
    now = new Date('2027-01-01T00:00:00+05:00');
    await expect(pay(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
    await expect(review(licence.id, 'approve')).rejects.toMatchObject({ type: 'invalid_state' });
    const edit = commit(platform, athlete.caller, (ctx) => updateApplication(ctx, id, { data: { team: 'Alatau' } }));
    await expect(edit).rejects.toMatchObject({ code: 'invalid_state' });
    expect([await paymentsOf(id), await certificateOf(id), await certificateOf(licence.id)]).toEqual([[], null, null]);
    await reconsider(licence.id);
    expect((await paymentsOf(licence.id)).map(({ type }) => type)).toEqual(['application_payment', 'application_refund']);
  });
});

describe('the certificate as a PDF', () => {
  const makePdf = (id: number) => new MockActivityEnvironment().run(() => createLongWork(platform).makeCertificate(id));

  test('APP-14: is made once and stored with its hash', async () => {
    const { id } = await makePaid();
    await Promise.all([makePdf(id), makePdf(id)]);
    const made = await certificateOf(id);
    await makePdf(id);
    expect(await certificateOf(id)).toEqual(made);
    const bytes = await buffer(await platform.storage.get(made?.pdfStorageKey ?? ''));
    expect(bytes.length).toBe(made?.pdfSize);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(made?.pdfSha256);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await auditOf(id)).filter((action) => action === 'application.certificate_made')).toHaveLength(1);
  });
});

test('due applications are listed earliest first, in pages; saving `dueAt` changes no other column', async () => {
  const ids: number[] = [];
  for (let made = 0; made < 3; made += 1) ids.push((await makeDraft()).id);
  const [first = 0, second = 0, third = 0] = ids;
  // A new application is due only at the end of its year; the outbox starts its process.
  const yearEnd = new Date('2027-01-01T00:00:00+05:00');
  expect((await load(first)).dueAt).toEqual(yearEnd);
  const before = await load(second);
  const save = (id: number, at: string) => query(platform, async (db) => applicationProcess.dueAt?.save(db, id, new Date(at), yearEnd));
  await save(first, '2026-03-02T00:00:00.001+05:00');
  await save(second, '2026-03-01T00:00:00+05:00');
  await save(third, '2026-03-02T00:00:00.001+05:00');
  expect(await load(second)).toEqual({ ...before, dueAt: new Date('2026-03-01T00:00:00+05:00') });
  // A value that was saved after the read is not overwritten.
  await save(second, '2026-04-01T00:00:00+05:00');
  expect((await load(second)).dueAt).toEqual(new Date('2026-03-01T00:00:00+05:00'));
  const page = (after: DueRecord | null, until: string) =>
    query(platform, (db) => applicationProcess.listDue(db, new Date(until), after, 2));
  const until = '2026-03-02T12:00:00+05:00';
  const [one, two] = await page(null, until);
  expect([one?.id, two?.id]).toEqual([second, first]);
  expect((await page(two ?? null, until)).map(({ id }) => id)).toEqual([third]);
  expect((await page(null, '2026-03-02T00:00:00+05:00')).map(({ id }) => id)).toEqual([second]);
  await reconsider(first);
  expect((await load(first)).dueAt).toEqual(new Date('2027-01-01T00:00:00+05:00'));
});

test('an absent application needs no process', async () => {
  expect(await reconsider(2_000_000_000)).toMatchObject({ stage: 'absent', isOver: true });
});
