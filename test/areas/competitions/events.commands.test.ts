import { randomUUID } from 'node:crypto';
import { executeInternal, executeOnce } from '../../../activities/execute.ts';
import { payApplication } from '../../../src/areas/applications/payments/pay-application.ts';
import { createEvent } from '../../../src/areas/competitions/events/create-event.ts';
import { eventProcess } from '../../../src/areas/competitions/events/process.ts';
import { setRegistrationSettings } from '../../../src/areas/competitions/events/set-registration-settings.ts';
import { defaultSettings } from '../../../src/areas/competitions/events/settings.ts';
import { updateEvent } from '../../../src/areas/competitions/events/update-event.ts';
import { judgeParticipants } from '../../../src/areas/competitions/participants/judge-participants.ts';
import { findEvent, settleAgreement } from '../../../src/areas/competitions/index.ts';
import { notificationKinds, wordsOf } from '../../../src/areas/notifications/index.ts';
import { isDomainError } from '../../../src/errors.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import type { CommandContext } from '../../../src/platform/commands/context.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { openRegistry } from '../../../src/registry/open-registry.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { storePrivateInput } from '../../../src/platform/commands/private-inputs.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { countStatements } from '../../support/count-statements.ts';
import { handlerOf } from '../../support/handler-of.ts';
import { type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { eventFeeServiceId, eventFixtures, type EventOptions } from '../../support/factories/events.ts';
import { insertAthletes } from '../../support/factories/registrations.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

const dayMs = 86_400_000;
const noon = new Date('2026-06-15T12:00:00+05:00');
let platform: Platform;
let close: () => Promise<void>;
let ownerUrl: string;
let make: Fixtures<Member>;
let rows: ReturnType<typeof eventFixtures>;
let administrator: Member;
/** The registry's clock, set by the tests. */
let now = noon;

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  ownerUrl = started.surroundings.database.ownerUrl;
  // No worker runs the processes; messages to them stay in the outbox.
  platform = { ...started.platform, outbox: relayOnlyOutbox, clock: { sandbox: false, now: async () => now } };
  make = fixturesIn(platform);
  rows = eventFixtures(platform);
  administrator = await make.administrator();
});
afterAll(() => close());
beforeEach(() => {
  now = noon;
});

const db = () => databaseOf(platform.orm.em.fork());
const inDays = (days: number) => new Date(noon.getTime() + days * dayMs);
const as = <T>({ caller }: Member, command: (ctx: CommandContext) => Promise<T>) => commit(platform, caller, command);
const reconsider = (id: number) => executeInternal(platform, eventProcess, id);

async function read(id: number) {
  const record = await findEvent(db(), id);
  if (!record) throw new Error(`there is no event ${id}`);
  return record;
}

const notificationsTo = async ({ userId }: Member) =>
  (await db().selectFrom('notifications').where('userId', '=', userId).selectAll().orderBy('id').execute())
    .filter(({ type }) => type.startsWith('event_stage.'))
    .map((row) => ({ type: row.type, ...wordsOf(platform.extensions.of(notificationKinds), row, 'en') }));
const auditOf = async (id: number) => {
  const about = db().selectFrom('audit_events').where('subjectKind', '=', 'event').where('subjectId', '=', String(id));
  return (await about.select('action').orderBy('id').execute()).map(({ action }) => action);
};
/** Counts the wake-ups of the event's process; they stay in the outbox. */
const wokenSoFar = async (id: number) =>
  (await db().selectFrom('outbox').where('process', '=', `event/${id}`).select('id').execute()).length;
const isFoundDue = (id: number) =>
  query(platform, async (reading, instant) => (await eventProcess.listDue(reading, instant, null, 1000)).some((due) => due.id === id));

/** Returns a function that delivers one command as the activity does; a second call delivers the same command again. */
async function step(name: string, id: number, by: Member, args: unknown, privateInput: Record<string, unknown> | null = null) {
  const handler = handlerOf(eventProcess, name);
  const privateInputId = privateInput === null ? null : await storePrivateInput(platform, privateInput);
  const sent = { commandId: randomUUID(), caller: by.caller, args, privateInputId };
  return () => executeOnce(platform, eventProcess, handler, id, sent);
}

async function event(options: EventOptions = {}) {
  const owner = await make.person();
  return { owner, ...(await rows.event(owner, options)) };
}

/** Creates an event with the organizer's command. */
async function opened(startsAt: Date) {
  const owner = await make.person();
  const profileId = await rows.organizer(owner);
  const content = { title: 'Алатау ралли', location: 'Алматы', startsAt, endsAt: new Date(startsAt.getTime() + dayMs), reserveAt: null };
  const made = await as(owner, (ctx) => createEvent(ctx, { profileId, serviceId: eventFeeServiceId, disciplineId: 1, ...content }));
  return { id: made.id, owner };
}

describe('a decision', () => {
  test('in parallel with another one: one takes effect, the other is refused', async () => {
    const { id } = await event({ stages: { regulations: 'submitted' } });
    const decisions = [
      await step('review', id, administrator, { stage: 'regulations', decision: 'approve' }),
      await step('review', id, administrator, { stage: 'regulations', decision: 'changes' }, { note: 'The stamp is missing.' }),
    ];
    const outcomes = await Promise.allSettled(decisions.map((decide) => decide()));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await auditOf(id)).toHaveLength(1);
  });

  test('on the contract: a repeated confirmation changes nothing (EVT-3)', async () => {
    const { id, owner } = await event({ status: 'draft' });
    for (let time = 0; time < 2; time += 1) await as(administrator, (ctx) => settleAgreement(ctx, id, true));
    expect(await read(id)).toMatchObject({ event: { status: 'in_progress' }, stages: { details: { status: 'open' } } });
    expect(await auditOf(id)).toEqual(['event.agreement_confirmed']);
    expect(await notificationsTo(owner)).toHaveLength(1);
  });
});

describe('the fee', () => {
  test('is approved when paid, outlives the year and closes with its event (EVT-4)', async () => {
    now = new Date('2026-12-30T12:00:00+05:00');
    const { id, owner } = await event({ status: 'in_progress', startsAt: new Date('2027-02-01T12:00:00+05:00') });
    await (
      await step('submit', id, owner, { stage: 'details' })
    )();
    const feeId = (await read(id)).fee?.id ?? 0;
    await make.money(owner, 100_000_000);
    const woken = await wokenSoFar(id);
    now = new Date('2027-01-03T12:00:00+05:00');
    await as(owner, (ctx) => payApplication(ctx, feeId));
    expect((await read(id)).fee).toMatchObject({ status: 'approved', paid: true });
    expect(await wokenSoFar(id)).toBeGreaterThan(woken);
    const certificates = await db().selectFrom('certificates').where('applicationId', '=', feeId).selectAll().execute();
    expect(certificates).toEqual([]);
    await (
      await step('cancel', id, owner, {}, { reason: 'There is no snow.' })
    )();
    expect((await read(id)).fee).toMatchObject({ status: 'closed', paid: true });
    const steps = db().selectFrom('application_history').where('applicationId', '=', feeId).select('step').orderBy('id').execute();
    expect((await steps).map((one) => one.step)).toEqual(['created', 'paid', 'approved', 'closed']);
  });

  test('of zero is approved at once', async () => {
    const { id, owner } = await event({ status: 'in_progress' });
    const before = await db().selectFrom('services').where('id', '=', eventFeeServiceId).select('mrp').executeTakeFirstOrThrow();
    // The service's database role cannot change the catalog.
    const catalog = await openRegistry(ownerUrl, 1);
    const priced = (mrp: string) =>
      databaseOf(catalog.em.fork()).updateTable('services').set({ mrp }).where('id', '=', eventFeeServiceId).execute();
    await priced('0');
    await (
      await step('submit', id, owner, { stage: 'details' })
    )();
    await priced(before.mrp);
    await catalog.close(true);
    expect((await read(id)).fee).toMatchObject({ status: 'approved', paid: true });
    const approve = await step('review', id, administrator, { stage: 'details', decision: 'approve' });
    await approve();
    expect((await read(id)).event.status).toBe('published');
  });
});

// EVT-8, EVT-14
describe('scheduled steps of an event', () => {
  test('reminds once, a week before the deadline of a stage', async () => {
    const { id, owner } = await opened(inDays(100));
    expect(await isFoundDue(id)).toBe(false);
    await reconsider(id);
    expect(await notificationsTo(owner)).toEqual([]);
    now = inDays(100 - 45 - 7);
    expect(await isFoundDue(id)).toBe(true);
    const view = await reconsider(id);
    await reconsider(id);
    expect(view).toMatchObject({ isDue: false, timer: null, waitingFor: 'owner' });
    expect(await isFoundDue(id)).toBe(false);
    expect(await auditOf(id)).toEqual(['event.created', 'event.reminded']);
    const [notification, ...more] = await notificationsTo(owner);
    expect([notification?.type, more]).toEqual(['event_stage.reminder', []]);
    expect([notification?.title, notification?.text]).toEqual([
      'Deadline approaching: agreement papers',
      expect.stringContaining('The last day is 9 August 2026.'),
    ]);
    expect((await read(id)).stages.agreement.remindedAt).toEqual(now);
  });

  test('does not remind of a deadline that passed before the stage opened', async () => {
    const { id, owner } = await opened(inDays(20));
    expect(await isFoundDue(id)).toBe(false);
    await reconsider(id);
    await as(administrator, (ctx) => settleAgreement(ctx, id, true));
    await reconsider(id);
    expect((await notificationsTo(owner)).map(({ type }) => type)).toEqual(['event_stage.approved']);
    expect(await auditOf(id)).not.toContain('event.reminded');
  });

  test('reminds at once of a stage that opens a few days before its deadline, and not of a submitted one', async () => {
    const { id, owner } = await opened(inDays(33));
    await as(administrator, (ctx) => settleAgreement(ctx, id, true));
    await reconsider(id);
    expect((await notificationsTo(owner)).map(({ type, text }) => [type, text.includes('details')])).toEqual([
      ['event_stage.approved', true],
      ['event_stage.reminder', true],
    ]);
    expect((await notificationsTo(owner))[1]).toMatchObject({
      title: 'Deadline approaching: details',
      text: expect.stringMatching(/The last day is .* Send it by then\.$/),
    });
    await (
      await step('submit', id, owner, { stage: 'details' })
    )();
    await reconsider(id);
    expect(await notificationsTo(owner)).toHaveLength(2);
  });

  test('announces the opening and the closing of the intake once for the set dates', async () => {
    const settings = { ...defaultSettings, classes: ['Абсолют'], opensAt: inDays(5), closesAt: inDays(10) };
    const { id, owner } = await event({ startsAt: inDays(40), settings: null });
    await as(owner, (ctx) => setRegistrationSettings(ctx, id, settings));
    expect(await reconsider(id)).toMatchObject({ timer: { summary: 'intake opens' } });
    now = inDays(5);
    expect(await isFoundDue(id)).toBe(true);
    for (let time = 0; time < 2; time += 1) expect(await reconsider(id)).toMatchObject({ timer: { summary: 'intake closes' } });
    now = inDays(10);
    await reconsider(id);
    await reconsider(id);
    const types = async () => (await notificationsTo(owner)).map(({ type }) => type);
    expect(await types()).toEqual(['event_stage.intake_opened', 'event_stage.intake_closed']);
    expect(await auditOf(id)).toEqual(['event.registration_settings_updated', 'event.intake_opened', 'event.intake_closed']);

    // A later closing is announced again, the opening is not.
    await as(owner, (ctx) => setRegistrationSettings(ctx, id, { ...settings, closesAt: inDays(20) }));
    await reconsider(id);
    expect(await types()).toHaveLength(2);
    now = inDays(20);
    await reconsider(id);
    expect(await types()).toEqual(['event_stage.intake_opened', 'event_stage.intake_closed', 'event_stage.intake_closed']);
  });

  test('announces only the closing when the intake opened and closed between two runs', async () => {
    const { id, owner } = await event({ startsAt: inDays(40), settings: { opensAt: inDays(5), closesAt: inDays(10) } });
    now = inDays(30);
    await reconsider(id);
    expect((await notificationsTo(owner)).map(({ type }) => type)).toEqual(['event_stage.intake_closed']);
    expect(await auditOf(id)).toEqual(['event.intake_opened', 'event.intake_closed']);
  });

  test('writes nothing when nothing is due', async () => {
    const { id } = await event({ startsAt: inDays(40), settings: null });
    await reconsider(id);
    const before = await read(id);
    await reconsider(id);
    expect(await read(id)).toEqual(before);
  });
});

test('parallel changes of one event run one after the other', async () => {
  const { id, owner } = await event();
  const change = (title: string) => as(owner, (ctx) => updateEvent(ctx, id, { content: { title } }));
  await Promise.all(['Первое', 'Второе', 'Третье'].map(change));
  expect(await auditOf(id)).toEqual(['event.updated', 'event.updated', 'event.updated']);
});

test('a parallel cancellation and payment leave the event cancelled and the fee closed (EVT-4)', async () => {
  for (let time = 0; time < 5; time += 1) {
    const { id, owner } = await event({ status: 'in_progress' });
    await (
      await step('submit', id, owner, { stage: 'details' })
    )();
    const feeId = (await read(id)).fee?.id ?? 0;
    await make.money(owner, 100_000_000);
    const cancel = await step('cancel', id, owner, {}, { reason: 'There is no snow.' });
    const [paid] = await Promise.allSettled([as(owner, (ctx) => payApplication(ctx, feeId)), cancel()]);
    expect(paid.status === 'fulfilled' || isDomainError(paid.reason)).toBe(true);
    expect(await read(id)).toMatchObject({ event: { status: 'cancelled' }, fee: { status: 'closed', paid: paid.status === 'fulfilled' } });
  }
});

test('participants are judged by as many statements for a hundred as for one', async () => {
  const { userId } = await make.person();
  const athletes = await insertAthletes(
    db(),
    Array.from({ length: 100 }, () => userId),
    noon,
  );
  const event = { startsAt: inDays(4), endsAt: inDays(5), disciplineId: 1 };
  const judge = (some: typeof athletes) => () =>
    judgeParticipants(
      db(),
      noon,
      some.map(({ applicationId, profileId }) => ({ applicationId, profileId, event })),
    );
  const [one, hundred] = [await countStatements(judge(athletes.slice(0, 1))), await countStatements(judge(athletes))];
  expect(hundred.statements.length).toBe(one.statements.length);
  expect(hundred.result.map(({ ok, past }) => [ok, past])).toEqual(athletes.map(() => [true, []]));
});
