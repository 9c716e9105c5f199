import { randomUUID } from 'node:crypto';
import { executeInternal, executeOnce } from '../../../activities/execute.ts';
import { cancelEvent } from '../../../src/areas/competitions/events/cancel-event.ts';
import { parseRow } from '../../../src/areas/registrations/check-row.ts';
import { registrationProcess } from '../../../src/areas/registrations/process.ts';
import { findRegistration } from '../../../src/areas/registrations/queries.ts';
import { saveRegistrations } from '../../../src/areas/registrations/save-registrations.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { storePrivateInput } from '../../../src/platform/commands/private-inputs.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import type { DecideRegistrationArgs } from '../../../workflows/contracts/registration.contract.ts';
import type { ProcessCommand } from '../../../workflows/contracts/process.contract.ts';
import { handlerOf } from '../../support/handler-of.ts';
import { countStatements } from '../../support/count-statements.ts';
import { type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { insertAthletes, insertRegistrations } from '../../support/factories/registrations.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

const noon = '2026-06-15T12:00:00+05:00';
let platform: Platform;
let close: () => Promise<void>;
let make: Fixtures<Member>;
let organizer: Member;
/** The registry's clock, set by the tests. */
let now = new Date(noon);

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  // No worker runs the processes; tests read their messages from the outbox.
  platform = { ...started.platform, outbox: relayOnlyOutbox, clock: { sandbox: false, now: async () => now } };
  make = fixturesIn(platform);
  organizer = await make.person();
});
afterAll(() => close());
beforeEach(() => {
  now = new Date(noon);
});

const db = () => databaseOf(platform.orm.em.fork());
const startsAt = new Date('2026-08-01T10:00:00+05:00');
const endsAt = new Date('2026-08-02T18:00:00+05:00');
const reconsider = (id: number) => executeInternal(platform, registrationProcess, id);
const rowOf = (id: number) => db().selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const isFoundDue = async (id: number) =>
  (await query(platform, (queries, instant) => registrationProcess.listDue(queries, instant, null, 10_000))).some((due) => due.id === id);
const notificationsOf = async (id: number) =>
  (
    await db()
      .selectFrom('notifications')
      .select(['type', 'userId'])
      .where('subjectKind', '=', 'registration')
      .where('subjectId', '=', String(id))
      .orderBy('id')
      .execute()
  ).map(({ type, userId }) => `${type} to ${userId}`);

async function decision(eventId: number, args: Omit<DecideRegistrationArgs, 'eventId'>, reason: string | null = null) {
  const privateInputId = reason === null ? null : await storePrivateInput(platform, { reason });
  return { commandId: randomUUID(), caller: organizer.caller, args: { eventId, ...args }, privateInputId };
}
const decide = (id: number, sent: ProcessCommand<unknown>) =>
  executeOnce(platform, registrationProcess, handlerOf(registrationProcess, 'decide'), id, sent);

const startLicence = (applicationId: number, validFrom: string) =>
  db().updateTable('certificates').set({ validFrom }).where('applicationId', '=', applicationId).execute();

/** Registers an athlete with a licence for the organizer's competition. */
async function registered(options: { medicalExpiresAt?: string; status?: 'draft' | 'submitted'; licensedFrom?: string } = {}) {
  const owner = await make.person();
  const { medicalExpiresAt = '2034-01-10', status = 'submitted', licensedFrom } = options;
  const licence = await make.application(owner, { status: 'approved', medical: { expiresAt: medicalExpiresAt } });
  if (licensedFrom !== undefined) await startLicence(licence.id, licensedFrom);
  const event = await eventFixtures(platform).event(organizer, { startsAt, endsAt });
  const row = parseRow('body', { profile_id: licence.profileId, application_id: licence.id, class: 'Юниор' });
  const [outcome] = await commit(platform, owner.caller, (ctx) =>
    saveRegistrations(ctx, { eventId: event.id, rows: [row], isSubmitted: status === 'submitted', asksForDetails: true }),
  );
  if (outcome === undefined || !('id' in outcome)) throw new Error('the registration was refused');
  return { id: outcome.id, event, owner, licence };
}

/** The refused consent of a minor, required until a day. */
const consent = (countsUntil: string) => ({ id: 5, status: 'cancelled' as const, expiresAt: null, countsUntil });

describe('a decision', () => {
  test('stores its reason in the row and keeps it out of the process description', async () => {
    const { id, event } = await registered();
    const view = await decide(id, await decision(event.id, { decision: 'return', startNumber: null }, 'the plate is missing'));
    expect(view).toMatchObject({ stage: 'returned', waitingFor: 'owner' });
    expect(JSON.stringify(view)).not.toContain('plate');
    expect(await rowOf(id)).toMatchObject({ reason: 'the plate is missing', decidedAt: now });
  });
});

describe('the process', () => {
  test('waits for the end of the event, or for an earlier lapse of a licence or document (REG-4)', async () => {
    const { id } = await registered();
    const record = await query(platform, (queries) => findRegistration(queries, id));
    if (!record) throw new Error('it is there');
    expect(registrationProcess.describe(record, now).next).toMatchObject({ at: endsAt, why: expect.stringContaining('ends') });
    // An earlier lapse is possible when a second licence stays valid.
    const [licence] = record.licences;
    if (!licence) throw new Error('it has one');
    const ending = { ...licence, validity: { ...licence.validity, validUntil: '2026-08-01' } };
    expect(registrationProcess.describe({ ...record, licences: [ending, licence] }, now).next).toMatchObject({
      at: new Date('2026-08-02T00:00:00+05:00'),
      why: `licence of registration ${id} lapses`,
    });
    const document = { id: 5, status: 'approved' as const, expiresAt: '2026-07-01' };
    const resting = { ...licence, validity: { ...licence.validity, documents: [document] } };
    expect(registrationProcess.describe({ ...record, licences: [resting, licence] }, now).next?.why).toBe(
      `document 5 of registration ${id} expires`,
    );
    expect((await rowOf(id)).dueAt).toEqual(endsAt);
    expect(await isFoundDue(id)).toBe(false);

    now = new Date('2026-08-02T18:00:00+05:00');
    expect(await isFoundDue(id)).toBe(true);
    expect(await reconsider(id)).toMatchObject({ stage: 'submitted', isOver: true, timer: null });
    expect(await isFoundDue(id)).toBe(false);
  });

  // REG-6, REG-8
  test('notifies once of a lapse and once of its end, however often it runs; for a draft only the athlete', async () => {
    const [submitted, draft] = [await registered(), await registered({ status: 'draft' })];
    for (const { id, licence, owner } of [submitted, draft]) {
      const both = (type: string) => [
        `registration.${type} to ${owner.userId}`,
        ...(id === submitted.id ? [`registration.${type} to ${organizer.userId}`] : []),
      ];
      const setStatus = (status: 'approved' | 'cancelled') =>
        db()
          .updateTable('documents')
          .set({ status })
          .where('id', '=', licence.documentIds[1] ?? 0)
          .execute();
      await setStatus('cancelled');
      const views = await Promise.all([reconsider(id), reconsider(id), reconsider(id)]);
      for (const view of views) expect(view).toMatchObject({ isOver: false, isDue: false });
      expect(await notificationsOf(id)).toEqual(both('lapsed'));
      expect(await rowOf(id)).toMatchObject({ ineligibleSince: now, status: id === submitted.id ? 'submitted' : 'draft' });
      await setStatus('approved');
      await Promise.all([reconsider(id), reconsider(id)]);
      expect(await notificationsOf(id)).toEqual([...both('lapsed'), ...both('eligible_again')]);
      expect((await rowOf(id)).ineligibleSince).toBeNull();
    }
  });

  // REG-4, REG-6
  test('wakes when the last day without eligibility has gone by, and notifies once that it is eligible again', async () => {
    const draft = await registered({ status: 'draft', licensedFrom: '2026-08-02' });
    const submitted = await registered();
    await startLicence(submitted.licence.id, '2026-08-02');
    await reconsider(submitted.id);
    const secondDay = new Date('2026-08-02T00:00:00+05:00');
    for (const { id } of [draft, submitted]) {
      expect(await rowOf(id)).toMatchObject({ ineligibleSince: now, dueAt: secondDay });
      expect(await isFoundDue(id)).toBe(false);
    }
    now = secondDay;
    for (const { id, owner } of [draft, submitted]) {
      expect(await isFoundDue(id)).toBe(true);
      await Promise.all([reconsider(id), reconsider(id)]);
      const again = [`registration.eligible_again to ${owner.userId}`];
      if (id === submitted.id) again.push(`registration.eligible_again to ${organizer.userId}`);
      expect((await notificationsOf(id)).filter((sent) => sent.includes('eligible_again'))).toEqual(again);
      expect(await rowOf(id)).toMatchObject({ ineligibleSince: null, dueAt: endsAt });
    }
  });

  // REG-4, APP-20
  test.each([
    ['a licence that begins on the second day', { validFrom: '2026-08-02' }, '2026-08-02'],
    ['a consent that is not required from the second day on', { documents: [consent('2026-08-02')] }, '2026-08-02'],
    ['both, one after the other', { validFrom: '2026-08-02', documents: [consent('2026-08-03')] }, '2026-08-03'],
    ['a consent that is required on all days', { documents: [consent('2026-08-04')] }, null],
  ])('waits for the day from which it is eligible: %s', async (_name, changed, day) => {
    const { id } = await registered();
    const record = await query(platform, (queries) => findRegistration(queries, id));
    const [licence] = record?.licences ?? [];
    if (!record || !licence) throw new Error('it is there');
    const event = { ...record.event, endsAt: new Date('2026-08-03T18:00:00+05:00') };
    const changedLicence = { ...licence, validity: { ...licence.validity, ...changed } };
    const { next } = registrationProcess.describe({ ...record, event, licences: [changedLicence] }, now);
    expect(next?.at).toEqual(day === null ? event.endsAt : new Date(`${day}T00:00:00+05:00`));
  });

  test('of a cancelled event notifies the athlete once and ends (REG-15)', async () => {
    const { id, event, owner } = await registered();
    await db().updateTable('events').set({ status: 'cancelled' }).where('id', '=', event.id).execute();
    expect(await isFoundDue(id)).toBe(false);
    const [view, again] = [await reconsider(id), await reconsider(id)];
    expect(view).toMatchObject({ isOver: true, isDue: false, timer: null });
    expect(again).toEqual(view);
    expect(await notificationsOf(id)).toEqual([`registration.event_cancelled to ${owner.userId}`]);
    expect((await rowOf(id)).dueAt).toBeNull();
  });

  // REG-15
  test('of an event that is cancelled after its end notifies each athlete whose registration lives', async () => {
    const { id, event, owner } = await registered();
    now = endsAt;
    expect(await reconsider(id)).toMatchObject({ isOver: true });
    expect((await rowOf(id)).dueAt).toBeNull();
    const administrator = await make.administrator();
    await commit(platform, administrator.caller, (ctx) => cancelEvent(ctx, event.id, { reason: 'the track was closed' }));
    expect(await isFoundDue(id)).toBe(true);
    await Promise.all([reconsider(id), reconsider(id)]);
    expect(await notificationsOf(id)).toEqual([`registration.event_cancelled to ${owner.userId}`]);
    expect(await isFoundDue(id)).toBe(false);
  });

  test('of hundreds whose documents lapse in one night: the sweeper pages find each, and each is notified once', async () => {
    const count = 60;
    const owners = await Promise.all(Array.from({ length: 3 }, () => make.person()));
    const athletes = await insertAthletes(
      db(),
      Array.from({ length: count }, (_, index) => owners[index % 3]?.userId ?? 0),
      now,
    );
    const event = await eventFixtures(platform).event(organizer, { startsAt, endsAt });
    const night = new Date('2026-07-02T00:00:00+05:00');
    const rows = athletes.map(({ applicationId, ...athlete }) => ({
      ...athlete,
      eventId: event.id,
      applicationIds: [applicationId],
      dueAt: night,
    }));
    const ids = await insertRegistrations(db(), rows, now);
    await db()
      .updateTable('documents')
      .set({ expiresAt: '2026-07-01' })
      .where(
        'id',
        'in',
        athletes.map(({ documentId }) => documentId),
      )
      .execute();
    now = night;
    const found: number[] = [];
    for (let after: { id: number; at: Date } | null = null; ;) {
      const page = await query(platform, (queries, instant) => registrationProcess.listDue(queries, instant, after, 50));
      found.push(...page.map(({ id }) => id).filter((id) => ids.includes(id)));
      after = page.at(-1) ?? null;
      if (page.length < 50) break;
    }
    expect(found).toEqual(ids);
    const waiting = [...ids, ...ids];
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await reconsider(id);
      }),
    );
    const { sent, people } = await db()
      .selectFrom('notifications as n')
      .innerJoin('registrations as r', (join) => join.on('n.subjectKind', '=', 'registration').onRef('r.eventId', '=', 'r.eventId'))
      .where('r.eventId', '=', event.id)
      .whereRef('n.subjectId', '=', (eb) => eb.cast<string>('r.id', 'text'))
      .select((eb) => [eb.fn.countAll<number>().as('sent'), eb.fn.count<number>('n.userId').distinct().as('people')])
      .executeTakeFirstOrThrow();
    expect({ sent, people }).toEqual({ sent: 2 * count, people: 4 });
    // Timers are spread over different seconds.
    const spread = new Set(
      await Promise.all(
        ids.slice(0, 20).map(async (id) => {
          const record = await query(platform, (queries) => findRegistration(queries, id));
          return record && registrationProcess.describe(record, now).next?.spreadMs;
        }),
      ),
    );
    expect(spread.size).toBe(20);
  });
});

test('a batch of a hundred takes at least ten times fewer statements than a hundred single rows', async () => {
  const owner = await make.person();
  const athletes = await insertAthletes(
    db(),
    Array.from({ length: 102 }, () => owner.userId),
    now,
  );
  const event = await eventFixtures(platform).event(organizer, { startsAt, endsAt });
  const rows = athletes.map(({ profileId, applicationId }, index) =>
    parseRow(`body.registrations.${index}`, { profile_id: profileId, application_id: applicationId, class: 'Юниор' }),
  );
  const save = (some: typeof rows) => () =>
    commit(platform, owner.caller, (ctx) =>
      saveRegistrations(ctx, { eventId: event.id, rows: some, isSubmitted: true, asksForDetails: true }),
    );
  // Warms up: the first command of a connection runs more statements.
  await save(rows.slice(0, 1))();
  const single = await countStatements(save(rows.slice(1, 2)));
  const batch = await countStatements(save(rows.slice(2)));
  expect(batch.result.every((outcome) => 'id' in outcome)).toBe(true);
  expect(batch.statements.length).toBe(single.statements.length);
  expect(batch.statements.length * 10).toBeLessThanOrEqual(single.statements.length * 100);
  // Each registration starts its process.
  const started = await db()
    .selectFrom('outbox')
    .where(
      'process',
      'in',
      batch.result.map((outcome) => `registration/${'id' in outcome ? outcome.id : 0}` as const),
    )
    .select('start')
    .execute();
  expect(started).toHaveLength(100);
  expect(started.every(({ start }) => start?.waitingFor === 'organizer')).toBe(true);
});
