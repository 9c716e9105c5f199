import { MockActivityEnvironment } from '@temporalio/testing';
import { createHash, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { executeInternal, executeOnce } from '../../../activities/execute.ts';
import { createFileActivities } from '../../../activities/files.ts';
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
import { commit, query } from '../../../src/platform/command.ts';
import type { UnrecordedCaller } from '../../../src/platform/context.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { keepPrivateInput } from '../../../src/platform/private-inputs.ts';
import type { DueRecord } from '../../../src/platform/workflows/define-process.ts';
import type { ProcessCommand } from '../../../workflows/process.contract.ts';
import { type AthleteWishes, type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

const noon = '2026-06-15T12:00:00+05:00';
/** In the wallet of every athlete, unless a test says otherwise; tiyn. */
const wealthMinor = 100_000_000;
let platform: Platform;
let close: () => Promise<void>;
let make: Fixtures<Member>;
let administrator: UnrecordedCaller;
/** The clock of the registry, moved by hand. */
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
/** Ids of what is due at the present instant. */
const due = () => query(platform, async (db) => (await applicationProcess.due(db, now, null, 10_000)).map(({ id }) => id));
/** Whether the process would do something by itself. */
async function isDue(id: number): Promise<boolean | undefined> {
  const record = await find(id);
  return record ? applicationProcess.describe(record, now).isDue : undefined;
}
const load = (id: number) => em().findOneOrFail(ApplicationEntity, { id });
const certificateOf = (id: number) => em().findOne(CertificateEntity, { applicationId: id });
const paymentsOf = (id: number) => em().find(LedgerTransactionEntity, { applicationId: id }, { orderBy: { id: 'asc' } });
const toldTo = async (userId: number) =>
  (await em().find(NotificationEntity, { userId }, { orderBy: { id: 'asc' } })).map(({ type }) => type);
const auditOf = async (id: number) =>
  (await em().find(AuditEventEntity, { subjectKind: 'application', subjectId: String(id) }, { orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

function command<Args>(caller: UnrecordedCaller, args: Args, privateInputId: string | null = null): ProcessCommand<Args> {
  return { commandId: randomUUID(), caller, args, privateInputId };
}
/** A step of the process, as its activity takes it. */
function step(name: string, id: number, sent: ProcessCommand<unknown>) {
  const handler = applicationProcess.commands.find((one) => one.name === name);
  if (!handler) throw new Error(`there is no step ${name}`);
  return executeOnce(platform, applicationProcess, handler, id, sent);
}
const submit = (athlete: Member, id: number) => step('submit', id, command(athlete.caller, {}));
const pay = (athlete: Member, id: number) => step('pay', id, command(athlete.caller, {}));

async function review(
  id: number,
  decision: 'approve' | 'changes' | 'cancel',
  given: { note?: string; revision?: number; validFrom?: string; validUntil?: string } = {},
) {
  const privateInputId = given.note === undefined ? null : await keepPrivateInput(platform, { note: given.note });
  const args = {
    decision,
    revision: given.revision ?? (await load(id)).revision,
    validFrom: given.validFrom ?? null,
    validUntil: given.validUntil ?? null,
  };
  return step('review', id, command(administrator, args, privateInputId));
}

async function cancel(athlete: Member, id: number) {
  const privateInputId = await keepPrivateInput(platform, { reason: 'I have changed my mind' });
  return step('cancel', id, command(athlete.caller, {}, privateInputId));
}

/** Somebody with all that a national certificate asks for, and with money. */
async function makeAthlete(wishes: AthleteWishes = {}, balanceMinor = wealthMinor) {
  const owner = await make.person();
  await make.money(owner, balanceMinor);
  const { profileId, documentIds } = await make.athlete(owner, wishes);
  const [identityId = 0, medicalId = 0] = documentIds;
  return { ...owner, profileId, documentIds, identityId, medicalId };
}

/** The draft of a national certificate, of a new athlete. */
async function makeDraft(wishes: AthleteWishes = {}, balanceMinor = wealthMinor) {
  const athlete = await makeAthlete(wishes, balanceMinor);
  return { athlete, id: (await make.application(athlete, { on: athlete })).id };
}

/** One that was submitted and paid: it approves itself, unless something is in its way. */
async function makePaid(wishes: AthleteWishes = {}) {
  const { athlete, id } = await makeDraft(wishes);
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

describe('the way of a national certificate', () => {
  test('submitted, paid, approved by itself: number, dates and token in the paying transaction', async () => {
    const { athlete, id } = await makeDraft();
    expect(await submit(athlete, id)).toMatchObject({ stage: 'submitted', waitingFor: 'owner', isOver: false });
    expect(await pay(athlete, id)).toMatchObject({ stage: 'approved', waitingFor: 'date', isOver: false });
    expect(await load(id)).toMatchObject({ status: 'approved', paid: true, amountMinor: 865_000, approvedAt: now });
    const certificate = await certificateOf(id);
    expect(certificate).toMatchObject({ series: 'N', year: 2026, validFrom: '2026-06-15', validUntil: '2026-12-31' });
    expect(certificate?.number).toMatch(/^KZ-N-2026-\d{6}$/);
    expect(certificate?.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await auditOf(id)).toEqual(['application.created', 'application.submitted', 'application.paid', 'application.approved']);
    expect(await toldTo(athlete.userId)).toEqual(['application.approved']);
  });

  test('run twice with one command, each step takes effect once', async () => {
    const { athlete, id } = await makeDraft();
    const submitting = command(athlete.caller, {});
    const first = await step('submit', id, submitting);
    expect(await step('submit', id, submitting)).toEqual(first);
    const paying = command(athlete.caller, {});
    const paid = await step('pay', id, paying);
    const before = await load(id);
    expect(await step('pay', id, paying)).toEqual(paid);
    expect(await load(id)).toEqual(before);
    expect(await paymentsOf(id)).toHaveLength(1);
    expect(await auditOf(id)).toHaveLength(4);
  });

  test('paid ten times at once it is charged once', async () => {
    const { athlete, id } = await makeDraft();
    await submit(athlete, id);
    await Promise.all(Array.from({ length: 10 }, () => pay(athlete, id)));
    expect(await paymentsOf(id)).toHaveLength(1);
    const record = await find(id);
    expect(record?.balanceMinor).toBe(wealthMinor - 865_000);
  });

  test('without money it is refused, and nothing is written', async () => {
    const { athlete, id } = await makeDraft({}, 864_999);
    await submit(athlete, id);
    const before = await load(id);
    await expect(pay(athlete, id)).rejects.toMatchObject({
      type: 'insufficient_funds',
      nonRetryable: true,
      details: [{ balance_minor: 864_999, amount_minor: 865_000 }],
    });
    expect(await load(id)).toEqual(before);
    expect(await paymentsOf(id)).toEqual([]);
  });

  test('a draft is not paid for', async () => {
    const { athlete, id } = await makeDraft();
    await expect(pay(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
  });

  test('what is missing is named, by the codes of the required documents', async () => {
    const athlete = await makeAthlete({ medical: { status: 'changes' } });
    const on = { profileId: athlete.profileId, documentIds: [athlete.medicalId] };
    const { id } = await make.application(athlete, { on });
    await expect(submit(athlete, id)).rejects.toMatchObject({
      type: 'incomplete_application',
      details: [{ missing: ['identity_document', 'medical'] }],
    });
  });

  test('another person neither submits nor pays it', async () => {
    const [{ athlete, id }, stranger] = [await makeDraft(), await makeAthlete()];
    await expect(submit(stranger, id)).rejects.toMatchObject({ type: 'not_found' });
    await submit(athlete, id);
    await expect(pay(stranger, id)).rejects.toMatchObject({ type: 'not_found' });
  });

  test('paid before its last review, it is approved when the last condition holds', async () => {
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

test('numbers have no gap and no double, however many are approved at once', async () => {
  const drafts = await Promise.all(Array.from({ length: 20 }, () => makeDraft()));
  await Promise.all(drafts.map(({ athlete, id }) => submit(athlete, id)));
  await Promise.all(drafts.map(({ athlete, id }) => pay(athlete, id)));
  const sequences = (await em().find(CertificateEntity, { series: 'N', year: 2026 }))
    .map(({ sequence }) => sequence)
    .sort((left, right) => left - right);
  expect(sequences.length).toBeGreaterThanOrEqual(20);
  expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, index) => index + 1));
});

describe('the expiry of a document', () => {
  test('takes an issued certificate back at midnight in UTC+5, keeps the payment, names document and application', async () => {
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
    expect(await toldTo(athlete.userId)).toEqual(['application.approved', 'application.changes', 'application.approved']);
  });

  test('a draft is left alone', async () => {
    const { id } = await makeDraft({ medical: { expiresAt: '2026-06-14' } });
    expect(await reconsider(id)).toMatchObject({ stage: 'draft' });
    expect(await isDue(id)).toBe(false);
    expect(await due()).not.toContain(id);
  });
});

describe('a document behind an issued certificate is returned', () => {
  test('it stays approved; its owner may replace the document, nothing else, and is not charged', async () => {
    const { athlete, id } = await makePaid();
    const before = await certificateOf(id);
    const change = (documentIds: number[]) => commit(platform, athlete.caller, (ctx) => updateApplication(ctx, id, { documentIds }));
    const fresh = await make.document(athlete, athlete.profileId);
    await expect(change([athlete.identityId, fresh])).rejects.toMatchObject({ code: 'invalid_state' });
    await em().nativeUpdate(DocumentEntity, { id: athlete.medicalId }, { status: 'changes' });
    expect(await reconsider(id)).toMatchObject({ stage: 'approved' });
    await expect(change([athlete.identityId])).rejects.toMatchObject({ code: 'incomplete_application', details: { missing: ['medical'] } });
    await expect(commit(platform, athlete.caller, (ctx) => updateApplication(ctx, id, { data: { team: 'Other' } }))).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await change([athlete.identityId, fresh]);
    expect(await submit(athlete, id)).toMatchObject({ stage: 'approved' });
    expect(await certificateOf(id)).toEqual(before);
    expect(await paymentsOf(id)).toHaveLength(1);
  });

  test('a submitted one goes back to its owner when he replaces the document', async () => {
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
  test("it waits for him and is issued once, to the year's end", async () => {
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

  test('twice at once: one number', async () => {
    const { id } = await paidLicence();
    const revision = (await load(id)).revision;
    const answers = await Promise.allSettled([review(id, 'approve', { revision }), review(id, 'approve', { revision })]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await em().count(CertificateEntity, { applicationId: id })).toBe(1);
  });

  test('not while a condition does not hold', async () => {
    const { athlete, id } = await paidLicence();
    await em().nativeUpdate(ProfileEntity, { id: athlete.profileId }, { status: 'pending' });
    await expect(review(id, 'approve')).rejects.toMatchObject({
      type: 'not_ready',
      details: [{ rules: [{ rule: 'profile', ok: false, waiting_for: 'administrator' }] }],
    });
  });

  test('days outside the year are refused for other documents', async () => {
    const athlete = await makeAthlete();
    const on = { profileId: athlete.profileId, documentIds: [athlete.identityId] };
    const { id } = await make.application(athlete, { serviceId: 20, on });
    await submit(athlete, id);
    await pay(athlete, id);
    await expect(review(id, 'approve', { validUntil: '2027-01-01' })).rejects.toMatchObject({ type: 'validation_failed' });
    await expect(review(id, 'approve', { validFrom: '2026-09-01', validUntil: '2026-08-01' })).rejects.toMatchObject({
      type: 'validation_failed',
    });
    await review(id, 'approve', { validFrom: '2026-06-01', validUntil: '2026-08-01' });
    expect(await certificateOf(id)).toMatchObject({ validFrom: '2026-06-01', validUntil: '2026-08-01', series: 'D' });
  });

  test('changes give it back with the note; cancelled it is annulled and nothing is refunded', async () => {
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

  test('without a note a refusal is refused, and so is one by somebody who is no administrator', async () => {
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

describe('cancelled by its owner', () => {
  test('what was paid goes back once; another may be opened', async () => {
    const { athlete, id } = await makePaid({ medical: { status: 'pending' } });
    expect(await cancel(athlete, id)).toMatchObject({ stage: 'cancelled', isOver: true });
    expect((await find(id))?.balanceMinor).toBe(wealthMinor);
    await expect(cancel(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
    await expect(pay(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
    expect((await paymentsOf(id)).map(({ type }) => type)).toEqual(['application_payment', 'application_refund']);
    expect(await toldTo(athlete.userId)).toEqual(['application.cancelled', 'application.refunded']);
    expect((await make.application(athlete, { on: athlete })).id).toBeGreaterThan(id);
  });

  test('not once it is approved', async () => {
    const { athlete, id } = await makePaid();
    await expect(cancel(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
  });
});

describe('the end of the year', () => {
  test('closes every live application; what was paid and never issued goes back', async () => {
    const one = await makePaid();
    const { athlete: other, id: paidId } = await makePaid({ medical: { status: 'pending' } });
    now = new Date('2026-12-31T23:59:59+05:00');
    // Each closes at a second of its own in the hour after the year's end.
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
    expect(await toldTo(one.athlete.userId)).toEqual(['application.approved', 'application.expiring', 'application.closed']);
    expect(await query(platform, (db) => applicationProcess.living(db, one.id - 1, 1))).not.toContain(one.id);
    expect(await due()).not.toContain(one.id);
    await expect(submit(other, paidId)).rejects.toMatchObject({ type: 'invalid_state' });
  });

  test('nobody is charged for a year that is over, nor is anything of it approved, even if no process has closed it yet', async () => {
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

  test("the next year's numbers start anew", async () => {
    now = new Date('2027-02-01T12:00:00+05:00');
    const { id } = await makePaid();
    expect((await certificateOf(id))?.number).toBe('KZ-N-2027-000001');
  });
});

describe('the certificate as a PDF', () => {
  const makePdf = (id: number) => new MockActivityEnvironment().run(() => createFileActivities(platform).makeCertificate(id));

  test('is made once, however often it is asked for, and lies in storage as its hash says', async () => {
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

  test('is refused where nothing was issued', async () => {
    const { id } = await makeDraft();
    await expect(makePdf(id)).rejects.toMatchObject({ type: 'certificate_not_issued', nonRetryable: true });
  });
});

test('what is due comes the earliest first, page by page; that it is kept changes nothing else of an application', async () => {
  const ids: number[] = [];
  for (let made = 0; made < 3; made += 1) ids.push((await makeDraft()).id);
  const [first = 0, second = 0, third = 0] = ids;
  // A new one has nothing to do before its year ends; that its process must be started is a row of the outbox.
  const yearEnd = new Date('2027-01-01T00:00:00+05:00');
  expect((await load(first)).dueAt).toEqual(yearEnd);
  const before = await load(second);
  const save = (id: number, at: string) => query(platform, async (db) => applicationProcess.dueAt?.save(db, id, new Date(at), yearEnd));
  await save(first, '2026-03-02T00:00:00.001+05:00');
  await save(second, '2026-03-01T00:00:00+05:00');
  await save(third, '2026-03-02T00:00:00.001+05:00');
  expect(await load(second)).toEqual({ ...before, dueAt: new Date('2026-03-01T00:00:00+05:00') });
  // Another has kept something else since it was read: that stands.
  await save(second, '2026-04-01T00:00:00+05:00');
  expect((await load(second)).dueAt).toEqual(new Date('2026-03-01T00:00:00+05:00'));
  const page = (after: DueRecord | null, until: string) => query(platform, (db) => applicationProcess.due(db, new Date(until), after, 2));
  const until = '2026-03-02T12:00:00+05:00';
  const [one, two] = await page(null, until);
  expect([one?.id, two?.id]).toEqual([second, first]);
  expect((await page(two ?? null, until)).map(({ id }) => id)).toEqual([third]);
  expect((await page(null, '2026-03-02T00:00:00+05:00')).map(({ id }) => id)).toEqual([second]);
  await reconsider(first);
  expect((await load(first)).dueAt).toEqual(new Date('2027-01-01T00:00:00+05:00'));
});

test('an application that is not there needs no process', async () => {
  expect(await reconsider(2_000_000_000)).toMatchObject({ stage: 'absent', isOver: true });
});
