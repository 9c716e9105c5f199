import { createHash, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createApplicationActivities } from '../../activities/applications.ts';
import { ReviewDecisionEntity } from '../../src/administration/entities.ts';
import { AuditEventEntity } from '../../src/administration/entities.ts';
import { ApplicationEntity, CertificateEntity } from '../../src/applications/entities.ts';
import { findApplication } from '../../src/applications/queries.ts';
import { findDue, findLive } from '../../src/applications/sweep.ts';
import { updateApplication } from '../../src/applications/update-application.ts';
import { DocumentEntity } from '../../src/documents/entities.ts';
import { NotificationEntity } from '../../src/messages/entities.ts';
import { commit } from '../../src/platform/command.ts';
import type { Caller } from '../../src/platform/context.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { keepPrivateInput } from '../../src/platform/private-inputs.ts';
import { ProfileEntity } from '../../src/profiles/entities.ts';
import { LedgerTransactionEntity } from '../../src/wallet/entities.ts';
import type { ProcessCommand } from '../../workflows/process.contract.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { addDocument, draftOf, makeAthlete } from './applications-records.ts';
import type { Athlete } from './applications-records.ts';
import { insertUser } from './documents-records.ts';

const noon = '2026-06-15T12:00:00+05:00';
let platform: Platform;
let close: () => Promise<void>;
let administrator: Caller;
/** The clock of the registry, moved by hand. */
let now = new Date(noon);

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  platform = { ...started.platform, clock: { sandbox: false, now: async () => now } };
  const userId = await insertUser(em(), 'administrator', now);
  administrator = { actor: { kind: 'user', userId, isAdministrator: true, impersonatedUserId: null }, requestId: 'test-review', ip: null };
});
afterAll(() => close());
beforeEach(() => {
  now = new Date(noon);
});

const em = () => platform.orm.em.fork();
const activities = () => createApplicationActivities(platform);
const load = (id: number) => em().findOneOrFail(ApplicationEntity, { id });
const certificateOf = (id: number) => em().findOne(CertificateEntity, { applicationId: id });
const paymentsOf = (id: number) => em().find(LedgerTransactionEntity, { applicationId: id }, { orderBy: { id: 'asc' } });
const toldTo = async (userId: number) =>
  (await em().find(NotificationEntity, { userId }, { orderBy: { id: 'asc' } })).map(({ type }) => type);
const journalOf = async (id: number) =>
  (await em().find(AuditEventEntity, { subjectKind: 'application', subjectId: String(id) }, { orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

function command<Args>(caller: Caller, args: Args): ProcessCommand<Args> {
  return { commandId: randomUUID(), caller, args };
}
const submit = (athlete: Athlete, id: number) => activities().submitApplication(id, command(athlete.caller, {}));
const pay = (athlete: Athlete, id: number) => activities().payApplication(id, command(athlete.caller, {}));

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
    privateInputId,
  };
  return activities().reviewApplication(id, command(administrator, args));
}

async function cancel(athlete: Athlete, id: number) {
  const privateInputId = await keepPrivateInput(platform, { reason: 'I have changed my mind' });
  return activities().cancelApplication(id, command(athlete.caller, { privateInputId }));
}

/** A paid national certificate that approved itself. */
async function issued(wishes: Parameters<typeof makeAthlete>[1] = {}) {
  const athlete = await makeAthlete(platform, wishes);
  const id = await draftOf(platform, athlete);
  await submit(athlete, id);
  await pay(athlete, id);
  return { athlete, id };
}

/** A submitted and paid international licence that waits for its review. */
async function paidLicence() {
  const athlete = await makeAthlete(platform);
  const driverId = await addDocument(platform, athlete, { type: 'driver' });
  const id = await draftOf(platform, athlete, {
    serviceId: 10,
    disciplineId: 1,
    documentIds: [athlete.identityId, athlete.medicalId, driverId],
  });
  await submit(athlete, id);
  await pay(athlete, id);
  return { athlete, id };
}

describe('the way of a national certificate', () => {
  test('submitted, paid, approved by itself: number, dates and token in the paying transaction', async () => {
    const athlete = await makeAthlete(platform);
    const id = await draftOf(platform, athlete);
    expect(await submit(athlete, id)).toMatchObject({ stage: 'submitted', waitingFor: 'owner', isOver: false });
    expect(await pay(athlete, id)).toMatchObject({ stage: 'approved', waitingFor: 'date', isOver: false });
    expect(await load(id)).toMatchObject({ status: 'approved', paid: true, amountMinor: 865_000, approvedAt: now });
    const certificate = await certificateOf(id);
    expect(certificate).toMatchObject({ series: 'N', year: 2026, validFrom: '2026-06-15', validUntil: '2026-12-31' });
    expect(certificate?.number).toMatch(/^KZ-N-2026-\d{6}$/);
    expect(certificate?.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await journalOf(id)).toEqual(['application.created', 'application.submitted', 'application.paid', 'application.approved']);
    expect(await toldTo(athlete.userId)).toEqual(['application.approved']);
  });

  test('run twice with one command, each step takes effect once', async () => {
    const athlete = await makeAthlete(platform);
    const id = await draftOf(platform, athlete);
    const submitting = command(athlete.caller, {});
    const first = await activities().submitApplication(id, submitting);
    expect(await activities().submitApplication(id, submitting)).toEqual(first);
    const paying = command(athlete.caller, {});
    const paid = await activities().payApplication(id, paying);
    const before = await load(id);
    expect(await activities().payApplication(id, paying)).toEqual(paid);
    expect(await load(id)).toEqual(before);
    expect(await paymentsOf(id)).toHaveLength(1);
    expect(await journalOf(id)).toHaveLength(4);
  });

  test('paid ten times at once it is charged once', async () => {
    const athlete = await makeAthlete(platform);
    const id = await draftOf(platform, athlete);
    await submit(athlete, id);
    await Promise.all(Array.from({ length: 10 }, () => pay(athlete, id)));
    expect(await paymentsOf(id)).toHaveLength(1);
    const record = await findApplication(em(), id);
    expect(record?.balanceMinor).toBe(100_000_000 - 865_000);
  });

  test('without money it is refused, and nothing is written', async () => {
    const athlete = await makeAthlete(platform, { balanceMinor: 864_999 });
    const id = await draftOf(platform, athlete);
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
    const athlete = await makeAthlete(platform);
    await expect(pay(athlete, await draftOf(platform, athlete))).rejects.toMatchObject({ type: 'invalid_state' });
  });

  test('what is missing is named, by the codes of the required documents', async () => {
    const athlete = await makeAthlete(platform, { medical: { status: 'changes' } });
    const id = await draftOf(platform, athlete, { documentIds: [athlete.medicalId] });
    await expect(submit(athlete, id)).rejects.toMatchObject({
      type: 'incomplete_application',
      details: [{ missing: ['identity_document', 'medical'] }],
    });
  });

  test('another person neither submits nor pays it', async () => {
    const [athlete, stranger] = [await makeAthlete(platform), await makeAthlete(platform)];
    const id = await draftOf(platform, athlete);
    await expect(submit(stranger, id)).rejects.toMatchObject({ type: 'not_found' });
    await submit(athlete, id);
    await expect(pay(stranger, id)).rejects.toMatchObject({ type: 'not_found' });
  });

  test('paid before its last review, it is approved when the last condition holds', async () => {
    const athlete = await makeAthlete(platform, { medical: { status: 'pending' } });
    const id = await draftOf(platform, athlete);
    await submit(athlete, id);
    expect(await pay(athlete, id)).toMatchObject({ stage: 'submitted', waitingFor: 'administrator' });
    expect((await activities().reconsiderApplication(id)).stage).toBe('submitted');
    await em().nativeUpdate(DocumentEntity, { id: athlete.medicalId }, { status: 'approved' });
    expect(await findDue(em(), now, id - 1, 1)).toEqual([id]);
    const looks = await Promise.all([activities().reconsiderApplication(id), activities().reconsiderApplication(id)]);
    expect(looks.map(({ stage }) => stage)).toEqual(['approved', 'approved']);
    expect((await journalOf(id)).filter((action) => action === 'application.approved')).toHaveLength(1);
    expect(await findDue(em(), now, id - 1, 1)).not.toContain(id);
  });
});

test('numbers have no gap and no double, however many are approved at once', async () => {
  const athletes = await Promise.all(Array.from({ length: 20 }, () => makeAthlete(platform)));
  const ids = await Promise.all(athletes.map((athlete) => draftOf(platform, athlete)));
  await Promise.all(athletes.map((athlete, index) => submit(athlete, ids[index] ?? 0)));
  await Promise.all(athletes.map((athlete, index) => pay(athlete, ids[index] ?? 0)));
  const sequences = (await em().find(CertificateEntity, { series: 'N', year: 2026 }))
    .map(({ sequence }) => sequence)
    .sort((left, right) => left - right);
  expect(sequences.length).toBeGreaterThanOrEqual(20);
  expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, index) => index + 1));
});

describe('the lapse of a document', () => {
  test('takes an issued certificate back at midnight in UTC+5, keeps the payment, names document and application', async () => {
    const { athlete, id } = await issued({ medical: { expiresAt: '2026-06-20' } });
    const before = await certificateOf(id);
    now = new Date('2026-06-20T23:59:59+05:00');
    expect(await activities().reconsiderApplication(id)).toMatchObject({ stage: 'approved', wakeAfterMs: 1000 });
    now = new Date('2026-06-21T00:00:00+05:00');
    expect(await findDue(em(), now, id - 1, 1)).toEqual([id]);
    expect(await activities().reconsiderApplication(id)).toMatchObject({ stage: 'changes', waitingFor: 'owner' });
    const lapsed = await load(id);
    expect(lapsed).toMatchObject({ status: 'changes', paid: true });
    expect(lapsed.reviewNote).toContain(`Document ${athlete.medicalId} (medical) expired after 2026-06-20. Linked applications: ${id}.`);
    expect(await activities().reconsiderApplication(id)).toMatchObject({ stage: 'changes' });
    expect((await load(id)).revision).toBe(lapsed.revision);

    await expect(submit(athlete, id)).rejects.toMatchObject({ type: 'incomplete_application', details: [{ missing: ['medical'] }] });
    const fresh = await addDocument(platform, athlete, { type: 'medical', expiresAt: '2027-06-20' });
    await commit(platform, athlete.caller, (ctx) => updateApplication(ctx, { id, documentIds: [athlete.identityId, fresh] }));
    expect(await submit(athlete, id)).toMatchObject({ stage: 'approved' });
    expect(await certificateOf(id)).toEqual(before);
    expect(await paymentsOf(id)).toHaveLength(1);
    expect(await toldTo(athlete.userId)).toEqual(['application.approved', 'application.changes', 'application.approved']);
  });

  test('a draft is left alone', async () => {
    const athlete = await makeAthlete(platform, { medical: { expiresAt: '2026-06-14' } });
    const id = await draftOf(platform, athlete);
    expect(await activities().reconsiderApplication(id)).toMatchObject({ stage: 'draft' });
    expect(await findDue(em(), now, id - 1, 1)).not.toContain(id);
  });
});

describe('a document behind an issued certificate is returned', () => {
  test('it stays approved; its owner may replace the document, nothing else, and is not charged', async () => {
    const { athlete, id } = await issued();
    const before = await certificateOf(id);
    const change = (documentIds: number[]) => commit(platform, athlete.caller, (ctx) => updateApplication(ctx, { id, documentIds }));
    const fresh = await addDocument(platform, athlete, { type: 'medical', status: 'pending' });
    await expect(change([athlete.identityId, fresh])).rejects.toMatchObject({ code: 'invalid_state' });
    await em().nativeUpdate(DocumentEntity, { id: athlete.medicalId }, { status: 'changes' });
    expect(await activities().reconsiderApplication(id)).toMatchObject({ stage: 'approved' });
    await expect(change([athlete.identityId])).rejects.toMatchObject({ code: 'incomplete_application', details: { missing: ['medical'] } });
    await expect(commit(platform, athlete.caller, (ctx) => updateApplication(ctx, { id, data: { team: 'Other' } }))).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await change([athlete.identityId, fresh]);
    expect(await submit(athlete, id)).toMatchObject({ stage: 'approved' });
    expect(await certificateOf(id)).toEqual(before);
    expect(await paymentsOf(id)).toHaveLength(1);
  });

  test('a submitted one goes back to its owner when he replaces the document', async () => {
    const athlete = await makeAthlete(platform, { medical: { status: 'pending' } });
    const id = await draftOf(platform, athlete);
    await submit(athlete, id);
    await pay(athlete, id);
    const fresh = await addDocument(platform, athlete, { type: 'medical' });
    const change = () =>
      commit(platform, athlete.caller, (ctx) => updateApplication(ctx, { id, documentIds: [athlete.identityId, fresh] }));
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
    expect(await activities().reconsiderApplication(id)).toMatchObject({ stage: 'submitted', waitingFor: 'administrator' });
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
    const athlete = await makeAthlete(platform);
    const id = await draftOf(platform, athlete, { serviceId: 20, documentIds: [athlete.identityId] });
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
    await commit(platform, athlete.caller, (ctx) => updateApplication(ctx, { id, data: { team: 'Алатау' } }));
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
      privateInputId: null,
    };
    await expect(activities().reviewApplication(id, command(athlete.caller, args))).rejects.toMatchObject({ type: 'forbidden' });
  });
});

describe('cancelled by its owner', () => {
  test('what was paid goes back once; another may be opened', async () => {
    const athlete = await makeAthlete(platform, { medical: { status: 'pending' } });
    const id = await draftOf(platform, athlete);
    await submit(athlete, id);
    await pay(athlete, id);
    expect(await cancel(athlete, id)).toMatchObject({ stage: 'cancelled', isOver: true });
    expect((await findApplication(em(), id))?.balanceMinor).toBe(100_000_000);
    await expect(cancel(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
    await expect(pay(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
    expect((await paymentsOf(id)).map(({ type }) => type)).toEqual(['application_payment', 'application_refund']);
    expect(await toldTo(athlete.userId)).toEqual(['application.cancelled', 'application.refunded']);
    expect(await draftOf(platform, athlete)).toBeGreaterThan(id);
  });

  test('not once it is approved', async () => {
    const { athlete, id } = await issued();
    await expect(cancel(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
  });
});

describe('the end of the year', () => {
  test('closes every live application; what was paid and never issued goes back', async () => {
    const one = await issued();
    const other = await makeAthlete(platform, { medical: { status: 'pending' } });
    const paidId = await draftOf(platform, other);
    await submit(other, paidId);
    await pay(other, paidId);
    now = new Date('2026-12-31T23:59:59+05:00');
    expect(await activities().reconsiderApplication(one.id)).toMatchObject({ stage: 'approved', wakeAfterMs: 1000 });
    now = new Date('2027-01-01T00:00:00+05:00');
    expect(await findDue(em(), now, one.id - 1, 1)).toEqual([one.id]);
    await Promise.all([activities().reconsiderApplication(one.id), activities().reconsiderApplication(one.id)]);
    expect(await activities().reconsiderApplication(one.id)).toMatchObject({ stage: 'closed', isOver: true, wakeAfterMs: null });
    await activities().reconsiderApplication(paidId);
    expect(await paymentsOf(one.id)).toHaveLength(1);
    expect((await paymentsOf(paidId)).map(({ type }) => type)).toEqual(['application_payment', 'application_refund']);
    expect(await toldTo(one.athlete.userId)).toEqual(['application.approved', 'application.closed']);
    expect(await findLive(em(), one.id - 1, 1)).not.toContain(one.id);
    await expect(submit(other, paidId)).rejects.toMatchObject({ type: 'invalid_state' });
  });

  test('nobody is charged for a year that is over, nor is anything of it approved, even if no process has closed it yet', async () => {
    const athlete = await makeAthlete(platform);
    const id = await draftOf(platform, athlete);
    await submit(athlete, id);
    const licence = await paidLicence();
    now = new Date('2027-01-01T00:00:00+05:00');
    await expect(pay(athlete, id)).rejects.toMatchObject({ type: 'invalid_state' });
    await expect(review(licence.id, 'approve')).rejects.toMatchObject({ type: 'invalid_state' });
    const edit = commit(platform, athlete.caller, (ctx) => updateApplication(ctx, { id, data: { team: 'Alatau' } }));
    await expect(edit).rejects.toMatchObject({ code: 'invalid_state' });
    expect([await paymentsOf(id), await certificateOf(id), await certificateOf(licence.id)]).toEqual([[], null, null]);
    await activities().reconsiderApplication(licence.id);
    expect((await paymentsOf(licence.id)).map(({ type }) => type)).toEqual(['application_payment', 'application_refund']);
  });

  test("the next year's numbers start anew", async () => {
    now = new Date('2027-02-01T12:00:00+05:00');
    const { id } = await issued();
    expect((await certificateOf(id))?.number).toBe('KZ-N-2027-000001');
  });
});

describe('the certificate as a PDF', () => {
  const make = (id: number) => new MockActivityEnvironment().run(() => activities().makeCertificate(id));

  test('is made once, however often it is asked for, and lies in storage as its hash says', async () => {
    const { id } = await issued();
    await Promise.all([make(id), make(id)]);
    const made = await certificateOf(id);
    await make(id);
    expect(await certificateOf(id)).toEqual(made);
    const bytes = await buffer(await platform.storage.get(made?.pdfStorageKey ?? ''));
    expect(bytes.length).toBe(made?.pdfSize);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(made?.pdfSha256);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await journalOf(id)).filter((action) => action === 'application.certificate_made')).toHaveLength(1);
  });

  test('is refused where nothing was issued', async () => {
    const athlete = await makeAthlete(platform);
    await expect(make(await draftOf(platform, athlete))).rejects.toMatchObject({ type: 'certificate_not_issued', nonRetryable: true });
  });
});

test('an application that is not there needs no process', async () => {
  expect(await activities().reconsiderApplication(2_000_000_000)).toMatchObject({ stage: 'absent', isOver: true });
});
