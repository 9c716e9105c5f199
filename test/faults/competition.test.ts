import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dayOf, endOfYear, yearOf } from '../../src/platform/time/date-time.ts';
import { searchAttributes } from '../../workflows/contracts/process.contract.ts';
import { withPlatform, withTemporal } from '../bench/stack.ts';
import { TestClient } from '../support/client.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { requests } from '../support/factories/event-steps.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { signingFixtures } from '../support/factories/signings.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { findStaleDueDates } from '../support/stale-due-dates.ts';
import { compareProcesses } from '../support/live-processes.ts';
import { makeScan } from '../support/papers/scans.ts';
import { waitFor } from '../support/wait-for.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { partOf } from './killer.ts';
import { arm, type Moment, whenReached } from './moments.ts';
import { putIn, readyToPay } from './applicant.ts';

/**
 * One competition from its agreement to its results, with the worker killed between any two of its steps. Each test is a step and continues
 * after the previous one.
 */

const dayMs = 86_400_000;
/** The outbox relay replaces a dead committing process after five seconds; a file is retried after its heartbeat of fifteen. */
const recoveredMs = 40_000;

let faultStack: FaultStack;
const watch = new Watch();
let organizer: CarefulClient;
let administrator: CarefulClient;
let organizerKey: string;
let organizerId: number;
let athletes: { person: InsertedPerson; client: CarefulClient; applicationId: number }[];
let startsAt: Date;
/** The competition that runs to its end, and two that wait with their agreements. */
let [eventId, lateEventId, replacedEventId] = [0, 0, 0];
let contractId = 0;
let feeId = 0;
let registrationIds: number[] = [];

beforeAll(async () => {
  faultStack = await startFaultStack({ worker: 'test/faults/crashing-worker.ts' });
  const { stack, administratorId, administratorKey, baseUrl } = faultStack;
  const [owner, ...people] = await faultStack.people(3);
  if (!owner) throw new Error('no person was made');
  administrator = new CarefulClient(baseUrl, administratorKey, watch);
  organizer = new CarefulClient(baseUrl, owner.key, watch);
  organizerKey = owner.key;
  organizerId = owner.userId;
  // Certificates end with the year, so the competition is in the year of its registrations.
  const soon = new Date(Date.now() + 20 * dayMs);
  if (yearOf(soon) !== yearOf(new Date())) await travelTo(new Date(endOfYear(yearOf(new Date())).getTime() + dayMs));
  startsAt = new Date((await now()) + 3 * dayMs);
  const profileId = await withPlatform(stack, async (platform) => {
    await signingFixtures(platform).signing(administratorId);
    return eventFixtures(platform).organizer(owner);
  });
  const open = async (start: Date) => {
    const dates = { starts_at: start.toISOString(), ends_at: new Date(start.getTime() + dayMs).toISOString() };
    return (await organizer.send('POST', '/events', { body: requests.event(profileId, dates) })).body.data.id;
  };
  // In a week the organizer gets reminders of the missing scan and of the agreement.
  lateEventId = await open(new Date((await now()) + 59 * dayMs));
  replacedEventId = await open(new Date((await now()) + 200 * dayMs));
  eventId = await open(startsAt);
  athletes = await Promise.all(
    people.map(async (person) => {
      const client = new CarefulClient(baseUrl, person.key, watch);
      const applicationId = await readyToPay(faultStack, client, person);
      await client.send('POST', `/applications/${applicationId}/pay`, { key: randomUUID() });
      return { person, client, applicationId };
    }),
  );
});
afterAll(() => faultStack.stop());

async function now(): Promise<number> {
  return Date.parse((await new TestClient(faultStack.baseUrl).get('/sandbox/clock')).body.data.now);
}

async function travelTo(instant: Date): Promise<void> {
  const anyone = new TestClient(faultStack.baseUrl);
  anyone.expect(200, await anyone.put('/sandbox/clock', { now: instant.toISOString() }));
}

/**
 * Waits until the worker has reached its moment and died, and restarts it immediately. The supervisor would wait longer after each crash.
 */
async function whenDead(): Promise<void> {
  const { dataDir, processes } = faultStack.stack;
  await whenReached(dataDir);
  await processes.worker.stop({ force: true });
  await processes.worker.start();
}

/** Runs a request while the worker is to die at a moment of it. Waits for the crash and for the answer. */
async function dyingAt<T>(activity: string, moment: Moment, work: () => Promise<T>): Promise<T> {
  const { dataDir } = faultStack.stack;
  arm(dataDir, { activity, moment, act: 'die' });
  const answer = work();
  answer.catch(() => undefined);
  // A refused request never reaches the moment.
  await Promise.race([whenDead(), answer.then(() => new Promise(() => undefined))]);
  return answer;
}

async function count(sql: string, params: unknown[]): Promise<number> {
  const [row] = await faultStack.sql<{ count: number }>(`select count(*)::int as count from ${sql}`, params);
  return row?.count ?? Number.NaN;
}

/** The audit actions and notifications of a record, in order. */
async function effectsOn(kind: string, id: number, except: readonly string[] = []): Promise<{ audit: string[]; notified: string[] }> {
  const about = [kind, String(id)];
  const audit = await faultStack.sql<{ what: string }>(
    `select action || coalesce(' ' || (data->>'stage'), '') as what from audit_events where subject_kind = $1 and subject_id = $2 order by id`,
    about,
  );
  const notified = await faultStack.sql<{ what: string }>(
    'select type as what from notifications where subject_kind = $1 and subject_id = $2 order by id',
    about,
  );
  const wanted = (rows: { what: string }[]) => rows.map(({ what }) => what).filter((what) => !except.includes(what));
  return { audit: wanted(audit), notified: wanted(notified) };
}

/** Every stage of this event is late from its start, so its organizer gets a reminder when it opens. */
const reminders = ['agreement', 'details', 'regulations', 'results'].map((stage) => `event.reminded ${stage}`);
const eventEffects = () => effectsOn('event', eventId, [...reminders, 'event_stage.reminder']);

/** Waits until the process of a record shows the record's state, that is, until it was woken. */
async function untilShown(process: string, stage: string, waitingFor: string): Promise<void> {
  const { stack } = faultStack;
  await withTemporal(stack, stack.config.TEMPORAL_NAMESPACE, (client) =>
    waitFor(
      async () => {
        const described = await client.workflow
          .getHandle(process)
          .describe()
          .catch(() => null);
        const shown = described?.typedSearchAttributes;
        return [shown?.get(searchAttributes.stage), shown?.get(searchAttributes.waitingFor)];
      },
      (shown) => shown[0] === stage && shown[1] === waitingFor,
      `${process} to show ${stage}, waiting for ${waitingFor}`,
      recoveredMs,
    ),
  );
}

/** Its PDF is in storage once, with the bytes that the record describes. */
async function expectOnePdf(id: number): Promise<void> {
  const ready = await organizer.send('POST', `/contracts/${id}/request-confirmation`);
  const stored = await readdir(join(faultStack.stack.dataDir, 'files', 'agreements', String(id)));
  const [row] = await faultStack.sql<{ key: string; sha256: string; size: number }>(
    'select original_storage_key as key, original_sha256 as sha256, original_size as size from contracts where id = $1',
    [id],
  );
  expect(stored.map((name) => `agreements/${id}/${name}`)).toEqual([row?.key]);
  const bytes = await readFile(join(faultStack.stack.dataDir, 'files', row?.key ?? ''));
  expect([createHash('sha256').update(bytes).digest('hex'), bytes.length]).toEqual([row?.sha256, row?.size]);
  expect((await organizer.send('GET', `/contracts/${id}/original`)).bytes).toEqual(bytes);
  expect(ready.body.data.status).toBe('generated');
}

const contractOf = async (event: number) => {
  const made = await organizer.send('POST', '/contracts', { body: { event_id: event }, key: `contract-of-${event}` });
  return made.body.data.id;
};
const send = (stage: string) => organizer.send('POST', `/events/${eventId}/submit`, { body: { stage }, key: `submit-${stage}` });
const approve = (stage: string) =>
  administrator.send('POST', '/admin/review', { body: requests.review(eventId, stage), key: `approve-${stage}` });

test('agreements: killed before the PDF is drawn, after it is stored, and after it is recorded without a signal', async () => {
  const { dataDir } = faultStack.stack;
  const making: Promise<number>[] = [];
  // Each worker dies before the heartbeat timeout of the previous ones, so all are retried at about the same time.
  for (const [event, activity, moment] of [
    [lateEventId, 'makeAgreement.draw', 'before'],
    [replacedEventId, 'makeAgreement', 'before'],
    [eventId, 'makeAgreement', 'after'],
  ] as const) {
    arm(dataDir, { activity, moment, act: 'die' });
    const one = contractOf(event);
    one.catch(() => undefined);
    making.push(one);
    await whenDead();
  }
  const ids = await Promise.all(making);
  contractId = ids[2] ?? 0;
  for (const id of ids) {
    await expectOnePdf(id);
    expect(await effectsOn('contract', id, ['contract.downloaded'])).toEqual({
      audit: ['contract.created', 'contract.signature_applied', 'contract.generated'],
      notified: [],
    });
  }
  const numbers = await faultStack.sql<{ sequence: number }>('select sequence from contracts order by sequence');
  expect(numbers.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
});

test('a replacement, committed and not answered, makes one version with the next number', async () => {
  const [old] = await faultStack.sql<{ id: number }>('select id from contracts where event_id = $1', [replacedEventId]);
  const body = { reason: 'The director has changed.' };
  const next = await dyingAt('agreement.replace', 'after', () =>
    organizer.send('POST', `/contracts/${old?.id}/replace`, { body, key: 'replace' }),
  );
  expect(next.body.data).toMatchObject({ version: 2, status: 'generated' });
  await expectOnePdf(next.body.data.id);
  expect(await count('contracts where event_id = $1', [replacedEventId])).toBe(2);
  expect(await effectsOn('contract', old?.id ?? 0, ['contract.downloaded'])).toMatchObject({
    audit: [expect.anything(), expect.anything(), expect.anything(), 'contract.replaced'],
    // Administrators: the organizer knows of their own act.
    notified: ['agreement.ended'],
  });
});

test('the scan: stored and not recorded; the rejection: written and not committed', async () => {
  const { pages } = (await organizer.send('GET', `/contracts/${contractId}`)).body.data;
  const [first, second] = [await makeScan('a first scan', pages), await makeScan('another scan', pages)];
  const scan = (file: Buffer, key: string) => organizer.send('POST', `/contracts/${contractId}/scan`, { file, key });
  await dyingAt('agreement.scan', 'before', () => scan(first, 'scan-1'));
  const rejection = { decision: 'reject', reason: 'The stamp cannot be read.' };
  await dyingAt('agreement.review', 'inside', () =>
    administrator.send('POST', `/admin/contracts/${contractId}/review`, { body: rejection, key: 'reject' }),
  );
  await scan(second, 'scan-2');
  const { audit, notified } = await effectsOn('contract', contractId, ['contract.downloaded']);
  expect(audit.slice(3)).toEqual(['contract.scan_uploaded', 'contract.rejected', 'contract.scan_uploaded']);
  expect(notified).toEqual(['agreement.rejected']);
  const kept = await faultStack.sql<{ sha256: string }>(
    "select sha256 from files where owner_id = $1 and purpose = 'agreement' and deleted_at is null order by created_at",
    [organizerId],
  );
  expect(kept.map(({ sha256 }) => sha256)).toEqual([first, second].map((file) => createHash('sha256').update(file).digest('hex')));
});

test('the confirmation: committed, its event not yet woken', async () => {
  const body = { decision: 'confirm' };
  const confirmed = await dyingAt('agreement.review', 'after', () =>
    administrator.send('POST', `/admin/contracts/${contractId}/review`, { body, key: 'confirm' }),
  );
  expect(confirmed.body.data.status).toBe('confirmed');
  await untilShown(`event/${eventId}`, 'in_progress', 'owner');
  expect(await eventEffects()).toEqual({
    audit: ['event.created', 'event.agreement_confirmed agreement'],
    notified: ['event_stage.approved'],
  });
  expect((await effectsOn('contract', contractId)).notified).toEqual(['agreement.rejected', 'agreement.confirmed']);
});

test('the details: the fee is made, and the answer is not sent', async () => {
  const submitted = await dyingAt('event.submit', 'after', () => send('details'));
  feeId = submitted.body.data.application_id;
  const fees = await faultStack.sql<{ id: number }>("select id from applications where kind = 'event_fee'");
  expect(fees).toEqual([{ id: feeId }]);
  expect(await effectsOn('application', feeId)).toMatchObject({ audit: ['application.created'] });
});

test('the fee: paid, its event not yet woken', async () => {
  const { amount_minor: amountMinor } = (await organizer.send('GET', `/applications/${feeId}`)).body.data;
  await putIn(faultStack.stack, organizer, (amountMinor / 100).toFixed(2));
  await dyingAt('application.pay', 'after', () => organizer.send('POST', `/applications/${feeId}/pay`, { key: 'pay-fee' }));
  await untilShown(`event/${eventId}`, 'in_progress', 'administrator');
  expect(await count("ledger_transactions where application_id = $1 and type = 'application_payment'", [feeId])).toBe(1);
});

test('the approval of the details: written and not committed; it is published once', async () => {
  await dyingAt('event.review', 'inside', () => approve('details'));
  expect((await eventEffects()).audit).toEqual([
    'event.created',
    'event.agreement_confirmed agreement',
    'event.submitted details',
    'event.approved details',
  ]);
  expect((await eventEffects()).notified).toEqual(['event_stage.approved', 'event_stage.approved']);
  expect(await count("review_decisions where subject_kind = 'event_stage' and subject_id = $1", [eventId])).toBe(1);
});

test('the intake: recorded as open, without a signal to its process', async () => {
  const body = { classes: ['Абсолют'], opens_at: new Date((await now()) - 60_000).toISOString() };
  await dyingAt('event.reconsider', 'after', () => organizer.send('PUT', `/events/${eventId}/registration-settings`, { body }));
  await waitFor(
    () => eventEffects(),
    ({ notified }) => notified.includes('event_stage.intake_opened'),
    'the notification of the open intake',
    recoveredMs,
  );
  const { audit, notified } = await eventEffects();
  expect(audit.filter((action) => action === 'event.intake_opened')).toHaveLength(1);
  expect(notified.filter((type) => type === 'event_stage.intake_opened')).toHaveLength(1);
});

test('registrations: the API dies between the COMMIT of a batch and its signals; the repeat returns them, each with its process', async () => {
  const { stack, baseUrl } = faultStack;
  const rowsOf = athletes.map(({ person, applicationId, client }) => ({
    client,
    row: { profile_id: person.profileId, application_id: applicationId, class: 'Абсолют' },
    key: person.key,
  }));
  const [temporal, api] = [partOf(stack, 'temporal'), partOf(stack, 'api')];
  await temporal.kill('SIGSTOP');
  try {
    const path = `/events/${eventId}/registrations/batch`;
    const sent = rowsOf.map(({ row, key }) =>
      new TestClient(baseUrl, key).post(path, { registrations: [row], submit: true }).catch(() => undefined),
    );
    await waitFor(
      () => count('registrations where event_id = $1', [eventId]),
      (registered) => registered === athletes.length,
      'the batches to be committed',
    );
    await api.kill('SIGKILL');
    await Promise.all(sent);
    expect(await count("outbox where process like 'registration/%'", [])).toBe(athletes.length);
  } finally {
    await temporal.kill('SIGCONT');
  }
  registrationIds = await Promise.all(
    rowsOf.map(async ({ client, row }) => {
      const body = { registrations: [row], submit: true };
      const [result] = (await client.send('POST', `/events/${eventId}/registrations/batch`, { body })).body.data.results;
      expect(result).toMatchObject({ ok: false, error: { code: 'duplicate_registration' } });
      return result.error.details.registration_id;
    }),
  );
  for (const id of registrationIds) {
    await untilShown(`registration/${id}`, 'submitted', 'organizer');
    expect((await effectsOn('registration', id)).audit).toEqual(['registration.submitted']);
  }
});

test('a decision with a start number: written and not committed; a withdrawal: committed and not answered', async () => {
  const [first = 0, second = 0] = registrationIds;
  const decide = (id: number, startNumber: string) =>
    organizer.send('PATCH', `/events/${eventId}/registrations/${id}`, {
      body: { decision: 'approve', start_number: startNumber },
      key: `decide-${id}`,
    });
  await dyingAt('registration.decide', 'inside', () => decide(first, '7'));
  await decide(second, '8');
  await dyingAt('registration.withdraw', 'after', async () =>
    athletes[1]?.client.send('POST', `/event-registrations/${second}/withdraw`, { key: 'withdraw' }),
  );
  const standing = await faultStack.sql<{ id: number; status: string; start_number: string | null; history: string[] }>(
    `select id, status, start_number,
       (select json_agg(h.status order by h.id) from registration_history h where h.registration_id = r.id) as history
     from registrations r order by id = $1 desc`,
    [first],
  );
  expect(standing).toEqual([
    { id: first, status: 'approved', start_number: '7', history: ['submitted', 'approved'] },
    { id: second, status: 'withdrawn', start_number: null, history: ['submitted', 'approved', 'withdrawn'] },
  ]);
  expect((await effectsOn('registration', first)).notified).toEqual(['registration.approved']);
  expect((await effectsOn('registration', second)).notified).toEqual(['registration.approved', 'registration.withdrawn']);
});

test('the regulations: not handed in yet, approved and not answered', async () => {
  await attach('regulations');
  await dyingAt('event.submit', 'before', () => send('regulations'));
  await dyingAt('event.review', 'after', () => approve('regulations'));
  const { audit } = await eventEffects();
  expect(audit.slice(-3)).toEqual(['event.file_attached regulations', 'event.submitted regulations', 'event.approved regulations']);
});

async function attach(stage: 'regulations' | 'results'): Promise<void> {
  const person = new TestClient(faultStack.baseUrl, organizerKey);
  const file = person.expect(201, await person.upload(await makeScan(stage), 'other', `${stage}.pdf`)).body.data.id;
  await organizer.send('PATCH', `/events/${eventId}`, { body: { stage, files: { [stage]: file } } });
}

test('the results: the event is completed, and its registrations are not woken', async () => {
  await travelTo(new Date(startsAt.getTime() + 2 * dayMs));
  const [certificate] = await faultStack.sql<{ number: string }>('select number from certificates where application_id = $1', [
    athletes[0]?.applicationId,
  ]);
  await organizer.send('POST', `/events/${eventId}/participants`, { body: { certificate: certificate?.number }, final: [201] });
  await attach('results');
  await send('results');
  await dyingAt('event.review', 'after', () => approve('results'));
  const [row] = await faultStack.sql(
    'select e.status, f.status as fee from events e join applications f on f.id = e.fee_application_id where e.id = $1',
    [eventId],
  );
  expect(row).toEqual({ status: 'completed', fee: 'closed' });
  const { audit } = await eventEffects();
  // The stages opened after their deadlines (EVT-8).
  expect(audit.filter((action) => /^event\.reminded (details|regulations)$/.test(action))).toEqual([]);
});

test('a reminder: committed, and the process gets no result', async () => {
  const [late] = await faultStack.sql<{ id: number }>('select id from contracts where event_id = $1', [lateEventId]);
  await travelTo(new Date((await now()) + 8 * dayMs));
  await dyingAt('agreement.reconsider', 'after', () => administrator.send('POST', '/sandbox/sweep'));
  await administrator.send('POST', '/sandbox/sweep');
  await administrator.send('POST', '/sandbox/sweep');
  const { audit, notified } = await effectsOn('contract', late?.id ?? 0);
  expect(audit.filter((action) => action === 'contract.reminded')).toHaveLength(1);
  expect(notified).toEqual(['agreement.scan_missing']);
  expect(await effectsOn('event', lateEventId)).toEqual({
    audit: ['event.created', 'event.reminded agreement'],
    notified: ['event_stage.reminder'],
  });
});

test('afterwards the record is consistent, each active record has exactly its process, and all clients saw only expected answers', async () => {
  const { stack } = faultStack;
  await administrator.send('POST', '/sandbox/sweep');
  expect(await findBrokenInvariants(stack.migrationDatabaseUrl)).toEqual([]);
  expect(await findStaleDueDates(stack.migrationDatabaseUrl)).toEqual([]);
  expect(await compareProcesses(stack.migrationDatabaseUrl, stack.temporalAddress, stack.config.TEMPORAL_NAMESPACE)).toEqual([]);
  expect(watch.surprises).toEqual([]);
  const days = await faultStack.sql<{ number: string }>('select number from contracts order by id');
  expect(days.map(({ number }) => number)).toEqual(
    [1, 2, 3, 4].map((sequence) => `A-${dayOf(startsAt).slice(0, 4)}-${String(sequence).padStart(5, '0')}`),
  );
});
