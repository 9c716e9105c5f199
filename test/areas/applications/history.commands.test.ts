import { cancelApplication } from '../../../src/areas/applications/cancel-application.ts';
import { payApplication } from '../../../src/areas/applications/payments/pay-application.ts';
import { findApplication } from '../../../src/areas/applications/queries.ts';
import { reconsiderApplication } from '../../../src/areas/applications/reconsider-application.ts';
import { reviewApplication } from '../../../src/areas/applications/review-application.ts';
import { submitApplication } from '../../../src/areas/applications/submit-application.ts';
import { buildTimeline } from '../../../src/areas/applications/timeline.ts';
import { updateApplication } from '../../../src/areas/applications/update-application.ts';
import { presentApplication } from '../../../src/areas/applications/wire.ts';
import { reconsiderDocument } from '../../../src/areas/documents/reconsider-document.ts';
import { reviewDocument } from '../../../src/areas/documents/review-document.ts';
import { reviewProfile } from '../../../src/areas/profiles/review-profile.ts';
import { updateProfile } from '../../../src/areas/profiles/update-profile.ts';
import { readCertificate } from '../../../src/areas/verification/read-certificate.ts';
import { readCertificateOn } from '../../../src/areas/verification/read-validity.ts';
import { presentVerification } from '../../../src/areas/verification/wire.ts';
import { isDomainError } from '../../../src/errors.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import type { CommandContext } from '../../../src/platform/commands/context.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { dayOf, endOfDay, startOfDay } from '../../../src/platform/time/date-time.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { type ApplicationOptions, type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { createRandom } from '../../support/random.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** The year after the real one, so that the day of the run does not matter. The clock moves only forwards between tests. */
let platform: Platform;
let close: () => Promise<void>;
let make: Fixtures<Member>;
let administrator: Member;
let year: number;

beforeAll(async () => {
  const started = await startTestPlatform();
  ({ close } = started);
  // No worker runs the processes; the tests take their steps.
  platform = { ...started.platform, outbox: relayOnlyOutbox };
  make = fixturesIn(platform);
  administrator = await make.administrator();
  year = Number(dayOf(new Date()).slice(0, 4)) + 1;
});
afterAll(() => close());

const db = () => databaseOf(platform.orm.em.fork());
const present = () => platform.clock.now(db());
async function travelTo(instant: Date): Promise<void> {
  const offsetSeconds = Math.ceil((instant.getTime() - Date.now()) / 1000);
  await db().updateTable('sandbox_clock').set({ offsetSeconds }).where('id', '=', 1).execute();
}
const at = (day: string, time = '12:00:00') => travelTo(new Date(`${year}-${day}T${time}+05:00`));
const by = <T>({ caller }: Member, command: (ctx: CommandContext) => Promise<T>) => commit(platform, caller, command);
const registry = { userId: 0, caller: { actor: { kind: 'process' as const }, requestId: 'application-process', ip: null } };
const find = async (id: number) => {
  const record = await query(platform, (reading) => findApplication(reading, id));
  if (!record) throw new Error(`there is no application ${id}`);
  return record;
};
const historyOf = (id: number) =>
  db().selectFrom('application_history').selectAll().where('applicationId', '=', id).orderBy('id').execute();

async function stateOnDay(token: string, day: string) {
  const certificate = await readCertificateOn(platform, token, day);
  return certificate && presentVerification(certificate, day).state;
}
async function stateNow(token: string) {
  const certificate = await readCertificate(platform, token);
  return certificate && presentVerification(certificate).state;
}
async function certified(options: ApplicationOptions = {}) {
  const owner = await make.person();
  const made = await make.application(owner, { ...options, status: 'approved' });
  const { certificate } = await find(made.id);
  return { owner, ...made, token: certificate?.token ?? '' };
}
async function review(id: number, decision: 'approve' | 'changes' | 'cancel') {
  const { application } = await find(id);
  const note = decision === 'approve' ? null : 'a note of the test';
  const args = { decision, revision: application.revision, validFrom: null, validUntil: null, note };
  await by(administrator, (ctx) => reviewApplication(ctx, id, args));
}
const decideOn = (id: number, decision: 'approve' | 'changes' | 'cancel') =>
  by(administrator, (ctx) => reviewDocument(ctx, id, { decision, note: decision === 'approve' ? null : 'a note of the test' }));

/** Checks that the last row of the history equals the application. */
async function expectHistoryToEndWith(id: number) {
  const { application, documents } = await find(id);
  expect((await historyOf(id)).at(-1)).toMatchObject({
    revision: application.revision,
    status: application.status,
    isSettled: application.paid || application.amountMinor === 0,
    isResubmissionDue: application.resubmissionDueSince !== null,
    documentIds: documents.map((document) => document.id),
  });
}

describe('a day that has passed', () => {
  test('APP-18, VER-4: is answered as it ended, also after a returned application was closed', async () => {
    await at('03-01');
    const { owner, id, documentIds, profileId, token } = await certified({ medical: { expiresAt: `${year}-10-31` } });
    const [identity = 0, medical = 0] = documentIds;
    await at('04-10', '23:59:50');
    await decideOn(medical, 'changes');
    await at('04-12', '00:00:10');
    await decideOn(medical, 'approve');
    await at('06-01');
    await decideOn(medical, 'changes');
    const renewed = await make.document(owner, profileId, { status: 'approved', expiresAt: null });
    await by(owner, (ctx) => updateApplication(ctx, id, { documentIds: [identity, renewed] }));
    await at('06-05');
    await by(owner, (ctx) => submitApplication(ctx, id));
    expect(await stateNow(token)).toBe('valid');
    // A decision on a replaced document changes neither the days on which it was attached nor later ones.
    await at('07-01');
    await decideOn(medical, 'cancel');
    await at('11-20');
    await review(id, 'changes');
    await travelTo(new Date(endOfDay(`${year}-12-31`).getTime() + 60_000));
    await by(registry, (ctx) => reconsiderApplication(ctx, id));
    expect((await find(id)).application.status).toBe('closed');
    await decideOn(identity, 'cancel');

    const notified = ['02-28', '03-01', '04-09', '04-10', '04-11', '04-12', '05-31', '06-01', '06-04', '06-05', '11-19', '11-20', '12-31'];
    const states = await Promise.all(notified.map(async (day) => `${day} ${await stateOnDay(token, `${year}-${day}`)}`));
    expect(states).toEqual([
      '02-28 not_started',
      '03-01 valid',
      '04-09 valid',
      '04-10 under_correction',
      '04-11 under_correction',
      '04-12 valid',
      '05-31 valid',
      '06-01 under_correction',
      '06-04 under_correction',
      '06-05 valid',
      '11-19 valid',
      '11-20 under_correction',
      '12-31 under_correction',
    ]);
    expect(await stateOnDay(token, `${year + 1}-01-01`)).toBe('expired');
    await expectHistoryToEndWith(id);
    await expect(by(owner, (ctx) => updateApplication(ctx, id, { documentIds }))).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(by(owner, (ctx) => submitApplication(ctx, id))).rejects.toMatchObject({ code: 'invalid_state' });
    year += 1;
  });

  test('is valid before an annulment and invalid from its day on; other days use present facts', async () => {
    await at('03-01');
    const { id, token } = await certified();
    await at('05-10');
    await review(id, 'cancel');
    expect(await stateOnDay(token, `${year}-05-09`)).toBe('valid');
    expect(await stateOnDay(token, `${year}-05-10`)).toBe('annulled');
    expect(await stateOnDay(token, `${year}-05-11`)).toBe('annulled');
    expect(await stateOnDay('unknown', `${year}-05-09`)).toBeNull();
  });

  test('before the day of issue, within the given days, it counts as issued', async () => {
    await at('06-01');
    const owner = await make.person();
    const athlete = await make.athlete(owner);
    const driver = await make.document(owner, athlete.profileId, { type: 'driver', status: 'approved', expiresAt: `${year}-09-30` });
    const on = { ...athlete, documentIds: [...athlete.documentIds, driver] };
    const { id } = await make.application(owner, { on, serviceId: 10, data: { discipline_id: 1 }, status: 'submitted' });
    await make.money(owner, 100_000_000);
    await by(owner, (ctx) => payApplication(ctx, id));
    await at('06-10');
    const { application } = await find(id);
    const dates = { validFrom: `${year}-02-01`, validUntil: null };
    await by(administrator, (ctx) => reviewApplication(ctx, id, { decision: 'approve', revision: application.revision, ...dates }));
    const token = (await find(id)).certificate?.token ?? '';
    await at('06-20');
    await decideOn(driver, 'changes');
    await at('06-25');
    for (const [day, state] of [
      ['01-31', 'not_started'],
      ['02-01', 'valid'],
      ['06-09', 'valid'],
      ['06-19', 'valid'],
      ['06-20', 'under_correction'],
    ] as const)
      expect([day, await stateOnDay(token, `${year}-${day}`)]).toEqual([day, state]);
  });
});

test.each([1, 2, 3, 4])('a past day keeps its answer and the history ends with the present state (walk %i)', async (seed) => {
  const random = createRandom(seed);
  await at('03-01');
  const { owner, id, profileId, documentIds, token } = await certified({ medical: { expiresAt: `${year}-05-20` } });
  const photos = await Promise.all([make.file(owner, 'photo'), make.file(owner, 'photo')]);
  const documents = [...documentIds];
  const steps: (() => Promise<unknown>)[] = [
    () => decideOn(random.pick([documents[0] ?? 0, ...documents]), random.pick(['approve', 'changes', 'cancel', 'approve'])),
    () => by(administrator, (ctx) => reviewProfile(ctx, profileId, { part: 'photo', decision: 'approve' })),
    () => by(administrator, (ctx) => reviewProfile(ctx, profileId, { part: 'profile', decision: 'changes', note: 'a note of the test' })),
    () => by(administrator, (ctx) => reviewProfile(ctx, profileId, { part: 'profile', decision: 'approve' })),
    () => by(owner, (ctx) => updateProfile(ctx, profileId, { photoId: random.pick([photos[0] ?? '', ...photos]) })),
    async () => documents.push(await make.document(owner, profileId, { status: random.pick(['approved', 'pending']), expiresAt: null })),
    () => by(owner, (ctx) => updateApplication(ctx, id, { documentIds: [documents[0] ?? 0, documents.at(-1) ?? 0] })),
    () => by(owner, (ctx) => submitApplication(ctx, id)),
    () => review(id, 'changes'),
    () => by(registry, (ctx) => reconsiderApplication(ctx, id)),
    () => by(registry, (ctx) => reconsiderDocument(ctx, documents[1] ?? 0)),
  ];
  const notified = new Map<string, string | null>();
  for (let day = `${year}-03-01`; notified.size < 45; day = dayOf(new Date(endOfDay(day).getTime() + 3 * 86_400_000))) {
    for (let count = random.between(0, 2); count > 0; count -= 1) {
      await travelTo(new Date(Math.max((await present()).getTime(), startOfDay(day).getTime()) + random.between(1, 18_000) * 1000));
      try {
        await random.pick(steps as [() => Promise<unknown>])();
      } catch (error) {
        // The state refuses this step, so nothing has changed.
        if (!isDomainError(error)) throw error;
      }
    }
    await travelTo(new Date(endOfDay(day).getTime() - 20_000));
    notified.set(day, await stateNow(token));
    await expectHistoryToEndWith(id);
  }
  await travelTo(new Date(endOfDay([...notified.keys()].at(-1) ?? '').getTime() + 86_400_000));
  const now = new Map(await Promise.all([...notified.keys()].map(async (day) => [day, await stateOnDay(token, day)] as const)));
  expect(now).toEqual(notified);
  expect(new Set(notified.values()).size).toBeGreaterThan(1);
  year += 1;
});

test('APP-18: the timeline names the actor of each step, the registry for the approval', async () => {
  await at('03-01');
  const { owner, id } = await certified();
  // A repeated payment changes nothing and adds no row.
  await by(owner, (ctx) => payApplication(ctx, id));
  await review(id, 'changes');
  const record = await find(id);
  const timeline = await query(platform, (reading, now) => buildTimeline(reading, record, now));
  expect(timeline.map(({ step, actor }) => `${step} ${actor}`)).toEqual([
    'created owner',
    'submitted owner',
    'paid owner',
    'approved system',
    'returned administrator',
  ]);
  expect(timeline[3]?.text).toMatch(/^All conditions hold: the registry approved/);
  expect(timeline.at(-1)).toMatchObject({ waiting_for: 'owner', text: expect.stringContaining('Note: a note of the test') });
  const approval = await db()
    .selectFrom('audit_events')
    .select(['actorId', 'requestId'])
    .where('action', '=', 'application.approved')
    .where('subjectId', '=', String(id))
    .executeTakeFirstOrThrow();
  expect(approval).toEqual({ actorId: null, requestId: owner.caller.requestId });
});

test('APP-12: the payment of an issued certificate is not refunded when the owner cancels the application', async () => {
  await at('03-01');
  const { owner, id, token } = await certified();
  await review(id, 'changes');
  const { balanceMinor } = await find(id);
  await by(owner, (ctx) => cancelApplication(ctx, id, { reason: 'I have changed my mind' }));
  const { payment } = presentApplication(await find(id), await present(), 'http://localhost');
  expect(payment).toMatchObject({ paid: true, refunded_minor: 0, refund_transaction_id: null });
  expect((await find(id)).balanceMinor).toBe(balanceMinor);
  expect(await stateNow(token)).toBe('annulled');
  const timeline = await query(platform, async (reading, now) => buildTimeline(reading, await find(id), now));
  expect(timeline.at(-1)?.text).toBe('The application was cancelled; nothing was refunded.');
});

test('the history includes a change that bypasses the commands', async () => {
  await at('04-01');
  const { id, token } = await certified();
  const [updatedAt, count] = [await present(), (await historyOf(id)).length];
  await db().updateTable('applications').set({ dueAt: updatedAt }).where('id', '=', id).execute();
  expect(await historyOf(id)).toHaveLength(count);
  await db().updateTable('applications').set({ status: 'changes', revision: 9, updatedAt }).where('id', '=', id).execute();
  expect((await historyOf(id)).slice(count)).toMatchObject([{ step: 'carried_over', actor: 'registry', status: 'changes', revision: 9 }]);
  await expectHistoryToEndWith(id);
  await at('04-03');
  expect(await stateOnDay(token, `${year}-04-01`)).toBe('under_correction');
});
