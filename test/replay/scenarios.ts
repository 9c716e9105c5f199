import type { Client } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { reconsiderUpdate } from '../../workflows/contracts/process.contract.ts';
import { passwordOf } from '../support/factories/webhooks.ts';
import type { TestClient } from '../support/client.ts';
import { approve, type Fixtures } from '../support/factories.ts';
import { organizerSteps, requests } from '../support/factories/event-steps.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { waitFor } from '../support/wait-for.ts';
import { agreementScenarios } from './agreement-scenarios.ts';
import { nationalScenarios } from './national-scenarios.ts';

/** Where a scenario is played: a running stack with its sandbox clock. */
export interface Stage {
  bankUrl: string;
  engine: Client;
  administrator: TestClient;
  make: Fixtures<TestClient>;
  /** For what has no route of its own: a past that takes many people, or the word of another process. */
  platform: Platform;
  /** Takes the stored file with these bytes out of the storage. @returns what puts it back */
  hideFile(content: Buffer): Promise<() => Promise<void>>;
  /** The registry's present day, `YYYY-MM-DD`. */
  today(): Promise<string>;
  /** Moves the clock and lets every process see it. */
  travelTo(instant: string): Promise<void>;
}

/** A story whose process is worth keeping. */
export interface Scenario {
  workflowType: string;
  name: string;
  /** @returns the id of the workflow whose history is stored */
  play(stage: Stage): Promise<string>;
}

const daysAfter = (day: string, days: number) => new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
const dayAfter = (day: string) => daysAfter(day, 1);
const startOf = (day: string) => `${day}T00:00:00+05:00`;

/** In the order of time: the one that ends the year comes last. */
export const scenarios: Scenario[] = [
  {
    workflowType: 'oneTimeSecret',
    name: 'captcha',
    // Without its delay of ten minutes, which passes before the first event that a workflow sees.
    async play({ engine }) {
      const holder = '00000000-0000-4000-8000-000000000000';
      const workflowId = `captcha/${holder}`;
      await engine.workflow.execute('oneTimeSecret', { workflowId, taskQueue: 'registry', args: [{ kind: 'captcha', holder }] });
      return workflowId;
    },
  },
  {
    workflowType: 'oneTimeSecret',
    name: 'password-reset',
    async play({ engine }) {
      const workflowId = 'password-reset/900000';
      await engine.workflow.execute('oneTimeSecret', {
        workflowId,
        taskQueue: 'registry',
        args: [{ kind: 'password-reset', holder: '900000' }],
      });
      return workflowId;
    },
  },
  {
    workflowType: 'profileReview',
    name: 'photo-returned-once',
    async play({ make, administrator }) {
      const owner = await make.person();
      const profileId = await make.profile(owner);
      owner.expect(200, await owner.post(`/profiles/${profileId}/submit`));
      await approve(administrator, 'profile', profileId);
      const decision = { kind: 'photo', id: profileId, decision: 'changes', note: 'The face cannot be seen.' };
      administrator.expect(200, await administrator.post('/admin/review', decision));
      owner.expect(200, await owner.post(`/profiles/${profileId}/submit`));
      await approve(administrator, 'photo', profileId);
      return `profile/${profileId}`;
    },
  },
  {
    workflowType: 'profileReview',
    name: 'refused-commands',
    async play({ make, administrator }) {
      const owner = await make.person();
      const profileId = await make.profile(owner);
      const early = await administrator.post('/admin/review', { kind: 'profile', id: profileId, decision: 'approve' });
      administrator.expect(409, early);
      owner.expect(200, await owner.post(`/profiles/${profileId}/submit`));
      owner.expect(409, await owner.post(`/profiles/${profileId}/submit`));
      return `profile/${profileId}`;
    },
  },
  {
    workflowType: 'statusList',
    name: 'first-editions',
    async play({ make, administrator, platform }) {
      const owner = await make.person();
      const { id } = await make.application(owner, { status: 'approved' });
      const editions = () =>
        databaseOf(platform.orm.em.fork()).selectFrom('status_lists').select('edition').where('id', '=', 1).executeTakeFirst();
      await waitFor(editions, (list) => (list?.edition ?? 0) > 0, 'the first edition');
      const { revision } = owner.expect(200, await owner.get(`/applications/${id}`)).body.data;
      const body = { kind: 'application', id, decision: 'cancel', revision, note: 'Issued by mistake.' };
      const before = (await editions())?.edition ?? 0;
      administrator.expect(200, await administrator.post('/admin/review', body));
      await waitFor(editions, (list) => (list?.edition ?? 0) > before, 'the edition with the annulment');
      return 'status-list/1';
    },
  },
  {
    workflowType: 'webhook',
    name: 'failing-and-disabled',
    async play({ make, bankUrl }) {
      const owner = await make.person();
      // The bank's simulator has no certificate, so no delivery arrives.
      const url = bankUrl.replace('http:', 'https:');
      const { id } = owner.expect(201, await owner.post('/webhooks', { url, types: ['*'], ...passwordOf(owner) })).body.data;
      await make.profile(owner);
      const tried = async () => owner.expect(200, await owner.get(`/webhooks/${id}/deliveries`)).body.data[0]?.tries ?? 0;
      await waitFor(tried, (tries) => tries > 1, 'the second try');
      owner.expect(200, await owner.patch(`/webhooks/${id}`, { enabled: false }));
      return `webhook/${id}`;
    },
  },
  {
    workflowType: 'ownershipTransfer',
    name: 'refused-and-moved',
    async play({ make, administrator }) {
      const [owner, target] = [await make.person(), await make.person()];
      const { profileId } = await make.application(owner, { status: 'submitted' });
      const path = `/admin/profiles/${profileId}/owner`;
      const body = { target_user_id: target.userId, reason: 'The club takes its athlete over.', password: administrator.password };
      administrator.expect(409, await administrator.put(path, { ...body, current_user_id: target.userId }));
      administrator.expect(200, await administrator.put(path, { ...body, current_user_id: owner.userId }));
      return `ownership-transfer/${profileId}`;
    },
  },
  {
    workflowType: 'documentReview',
    name: 'returned-and-corrected',
    async play({ make, administrator }) {
      const owner = await make.person();
      const profileId = await make.profile(owner, { status: 'approved' });
      const id = await make.document(owner, profileId, { expiresAt: '2040-01-10' });
      const decision = { kind: 'document', id, decision: 'changes', note: 'The stamp cannot be read.' };
      administrator.expect(200, await administrator.post('/admin/review', decision));
      owner.expect(200, await owner.patch(`/documents/${id}`, { number: 'N55555555' }));
      await approve(administrator, 'document', id);
      return `document/${id}`;
    },
  },
  {
    workflowType: 'documentReview',
    name: 'approved-and-expired',
    async play({ make, today, travelTo }) {
      const owner = await make.person();
      const profileId = await make.profile(owner, { status: 'approved' });
      const day = await today();
      const id = await make.document(owner, profileId, { status: 'approved', expiresAt: day });
      await travelTo(startOf(dayAfter(day)));
      return `document/${id}`;
    },
  },
  {
    workflowType: 'invoiceReconciliation',
    name: 'paid-after-the-first-question',
    async play({ make, engine, bankUrl }) {
      const owner = await make.person();
      const invoice = owner.expect(201, await owner.post('/invoices', { amount: '5000.00' }, { 'idempotency-key': 'one' })).body.data;
      owner.expect(200, await owner.post(`/invoices/${invoice.id}/checkout`));
      const workflowId = `invoice/${invoice.id}`;
      const firedTimers = async () =>
        JSON.stringify(await engine.workflow.getHandle(workflowId).fetchHistory()).split('timerFiredEvent').length;
      await waitFor(firedTimers, (parts) => parts > 1, 'the process to ask by itself');
      await settle(bankUrl, invoice.number);
      owner.expect(200, await owner.post(`/invoices/${invoice.id}/verify`));
      return workflowId;
    },
  },
  {
    workflowType: 'invoiceReconciliation',
    name: 'expired-and-paid-late',
    async play({ make, bankUrl, today, travelTo }) {
      const owner = await make.person();
      const invoice = owner.expect(201, await owner.post('/invoices', { amount: '5000.00' }, { 'idempotency-key': 'one' })).body.data;
      owner.expect(200, await owner.post(`/invoices/${invoice.id}/checkout`));
      const day = await today();
      await travelTo(startOf(dayAfter(dayAfter(day))));
      await settle(bankUrl, invoice.number);
      await travelTo(startOf(dayAfter(dayAfter(dayAfter(day)))));
      return `invoice/${invoice.id}`;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'draft-to-certificate',
    async play({ make }) {
      const owner = await make.person();
      const { id } = await make.application(owner, { status: 'approved' });
      owner.expect(200, await owner.get(`/applications/${id}/certificate`));
      return `application/${id}`;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'approved-by-the-last-review',
    async play({ make, administrator }) {
      const owner = await make.person();
      const { id, documentIds } = await make.application(owner, {
        status: 'submitted',
        medical: { status: 'pending', expiresAt: '2040-01-10' },
      });
      const [, medical = 0] = documentIds;
      await make.money(owner, 2_000_000);
      owner.expect(200, await owner.post(`/applications/${id}/pay`));
      await approve(administrator, 'document', medical);
      await waitFor(
        async () => (await owner.get(`/applications/${id}`)).body.data.status,
        (status) => status === 'approved',
        'the approval',
      );
      owner.expect(200, await owner.get(`/applications/${id}/certificate`));
      return `application/${id}`;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'refused-commands-and-cancelled',
    async play({ make, administrator }) {
      const owner = await make.person();
      const { profileId, documentIds } = await make.athlete(owner);
      const body = { profile_id: profileId, service_id: 1, document_ids: [documentIds[0]], data: {} };
      const { id, revision } = owner.expect(201, await owner.post('/applications', body)).body.data;
      owner.expect(422, await owner.post(`/applications/${id}/submit`));
      owner.expect(200, await owner.patch(`/applications/${id}`, { document_ids: documentIds }));
      owner.expect(200, await owner.post(`/applications/${id}/submit`));
      owner.expect(409, await owner.post(`/applications/${id}/pay`));
      const stale = { kind: 'application', id, decision: 'changes', note: 'Something is wrong.', revision };
      administrator.expect(409, await administrator.post('/admin/review', stale));
      owner.expect(200, await owner.post(`/applications/${id}/cancel`, { reason: 'I have changed my mind.' }));
      return `application/${id}`;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'lapse-and-return',
    async play({ make, today, travelTo }) {
      const owner = await make.person();
      const day = await today();
      const { id, profileId, documentIds } = await make.application(owner, { status: 'approved', medical: { expiresAt: day } });
      owner.expect(200, await owner.get(`/applications/${id}/certificate`));
      await travelTo(startOf(dayAfter(day)));
      const renewed = await make.document(owner, profileId, { status: 'approved', expiresAt: '2040-01-10' });
      owner.expect(200, await owner.patch(`/applications/${id}`, { document_ids: [documentIds[0], renewed] }));
      owner.expect(200, await owner.post(`/applications/${id}/submit`));
      return `application/${id}`;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'certificate-that-cannot-be-made',
    async play({ make, engine, administrator, hideFile }) {
      const owner = await make.person();
      const { id, profileId } = await make.application(owner, { status: 'submitted' });
      const { photo_id: photoId } = owner.expect(200, await owner.get(`/profiles/${profileId}`)).body.data;
      const putBack = await hideFile(owner.expect(200, await owner.get(`/files/${photoId}`)).bytes);
      await make.money(owner, 2_000_000);
      owner.expect(200, await owner.post(`/applications/${id}/pay`));
      const process = async () => (await administrator.get(`/applications/${id}`)).body.data.process;
      await waitFor(process, ({ waiting_for }) => waiting_for === 'support', 'the process to be stuck');
      owner.expect(409, await owner.get(`/applications/${id}/certificate`));
      owner.expect(409, await owner.post(`/applications/${id}/cancel`, { reason: 'I have changed my mind.' }));
      await putBack();
      await engine.workflow
        .getHandle(`application/${id}`)
        .executeUpdate(reconsiderUpdate, { args: [{ requestId: 'support-has-mended-it' }] });
      owner.expect(200, await owner.get(`/applications/${id}/certificate`));
      await waitFor(process, ({ waiting_for }) => waiting_for === 'date', 'the process to go on');
      return `application/${id}`;
    },
  },
  ...agreementScenarios,
  ...nationalScenarios,
  {
    workflowType: 'accountErasure',
    name: 'reminded-and-erased',
    async play({ make, administrator, travelTo }) {
      // The people of a shared stage have keys alone.
      const { userId } = await make.person();
      const path = `/admin/users/${userId}/erasure`;
      const words = { reason: 'A request on paper', password: administrator.password };
      const { due_at: end } = administrator.expect(202, await administrator.post(path, words)).body.data;
      const show = async () => administrator.expect(200, await administrator.get(path)).body.data;
      await travelTo(new Date(Date.parse(end) - 2 * 86_400_000).toISOString());
      await travelTo(new Date(Date.parse(end) + 1000).toISOString());
      const { erased_at: at } = await waitFor(show, ({ erased_at: erasedAt }) => erasedAt !== null, 'the account to be erased');
      await travelTo(new Date(Date.parse(at) + 86_400_000 + 1000).toISOString());
      await waitFor(show, ({ status }) => status === 'done', 'the second look');
      return `account-erasure/${userId}`;
    },
  },
  {
    workflowType: 'accountExport',
    name: 'made-and-deleted',
    async play({ administrator, travelTo }) {
      // Their own data: the people of a shared stage have keys alone.
      const { password } = administrator;
      const { id } = administrator.expect(202, await administrator.post('/account/exports', { password })).body.data;
      const show = async () => administrator.expect(200, await administrator.get(`/account/exports/${id}`)).body.data;
      const { expires_at: end } = await waitFor(show, ({ status }) => status === 'ready', 'the archive');
      await travelTo(new Date(Date.parse(end) + 60_000).toISOString());
      await waitFor(show, ({ status }) => status === 'expired', 'the archive to be deleted');
      return `account-export/${id}`;
    },
  },
  {
    workflowType: 'importRows',
    name: 'taken-and-deleted',
    async play({ administrator, platform, travelTo }) {
      const event = await eventFixtures(platform).event(administrator, { settings: { classes: ['N2'] } });
      const form = new FormData();
      form.set('mode', 'check');
      form.set('file', new Blob([`Athlete\n${Array.from({ length: 201 }, (_, index) => `Unknown ${index}\n`).join('')}`]), 'list.csv');
      const path = `/events/${event.id}/registrations/import`;
      const { id } = administrator.expect(202, await administrator.request('POST', path, { raw: form })).body.data;
      const show = async () => administrator.expect(200, await administrator.get(`/registration-imports/${id}`)).body.data;
      const { expires_at: end } = await waitFor(show, ({ status }) => status === 'done', 'the rows to be taken');
      await travelTo(new Date(Date.parse(end) + 60_000).toISOString());
      await waitFor(show, ({ status }) => status === 'expired', 'the outcome to be deleted');
      return `import/${id}`;
    },
  },
  {
    workflowType: 'eventStages',
    name: 'refused-commands-and-cancelled',
    async play(stage) {
      const { owner, steps, id } = await openEvent(stage, 70);
      owner.expect(409, await steps.submit(owner, id, 'details'));
      stage.administrator.expect(409, await stage.administrator.post('/admin/review', requests.review(id, 'details')));
      await steps.settle(id);
      owner.expect(200, await steps.submit(owner, id, 'details'));
      stage.administrator.expect(409, await stage.administrator.post('/admin/review', requests.review(id, 'details')));
      owner.expect(200, await owner.post(`/events/${id}/cancel`, { reason: 'There is no snow this winter.' }));
      return `event/${id}`;
    },
  },
  {
    workflowType: 'eventStages',
    name: 'draft-to-results',
    async play(stage) {
      const { owner, steps, id } = await openEvent(stage, 20);
      const athlete = await stage.make.person();
      const { id: applicationId, profileId } = await stage.make.application(athlete, { status: 'approved' });
      await steps.publish(owner, id);
      await steps.attach(owner, id, 'regulations');
      owner.expect(200, await steps.submit(owner, id, 'regulations'));
      const back = requests.review(id, 'regulations', 'changes', 'The map is missing.');
      stage.administrator.expect(200, await stage.administrator.post('/admin/review', back));
      await steps.attach(owner, id, 'regulations');
      owner.expect(200, await steps.submit(owner, id, 'regulations'));
      await steps.approve(id, 'regulations');
      await stage.travelTo(startOf(daysAfter(await stage.today(), 22)));
      const at = new Date();
      await databaseOf(stage.platform.orm.em.fork())
        .insertInto('participants')
        .values({ eventId: id, applicationId, profileId, name: 'x', certificateNumber: 'y', createdAt: at, updatedAt: at })
        .execute();
      await steps.attach(owner, id, 'results');
      owner.expect(200, await steps.submit(owner, id, 'results'));
      await steps.approve(id, 'results');
      return `event/${id}`;
    },
  },
  {
    workflowType: 'eventStages',
    name: 'reminded-and-the-intake',
    async play(stage) {
      const { owner, steps, id } = await openEvent(stage, 90);
      const day = await stage.today();
      await stage.travelTo(startOf(daysAfter(day, 40)));
      await steps.publish(owner, id);
      const dates = { opens_at: startOf(daysAfter(day, 45)), closes_at: startOf(daysAfter(day, 50)) };
      owner.expect(200, await owner.put(`/events/${id}/registration-settings`, { classes: ['Absolute'], ...dates }));
      for (const days of [46, 51]) await stage.travelTo(startOf(daysAfter(day, days)));
      return `event/${id}`;
    },
  },
  {
    workflowType: 'eventRegistration',
    name: 'returned-approved-and-over',
    async play(stage) {
      const { today, travelTo } = stage;
      const { athlete, organizer, event, row } = await enrolment(stage);
      const id = await enrol(athlete, event.id, row);
      const decide = (body: unknown) => organizer.patch(`/events/${event.id}/registrations/${id}`, body);
      organizer.expect(200, await decide({ decision: 'return', reason: 'The class is another.' }));
      await enrol(athlete, event.id, { ...row, id, class: 'Юниор' });
      organizer.expect(200, await decide({ decision: 'approve', start_number: '7' }));
      organizer.expect(409, await decide({ decision: 'approve', start_number: '8' }));
      await travelTo(startOf(dayAfter(dayAfter(dayAfter(await today())))));
      return `registration/${id}`;
    },
  },
  {
    workflowType: 'eventRegistration',
    name: 'lapsed-and-eligible-again',
    async play(stage) {
      const { administrator } = stage;
      const { athlete, event, row, documentId } = await enrolment(stage);
      const id = await enrol(athlete, event.id, row);
      const notified = () => countTold(stage, id);
      const decision = { kind: 'document', id: documentId, decision: 'changes', note: 'The stamp cannot be read.' };
      administrator.expect(200, await administrator.post('/admin/review', decision));
      await waitFor(notified, (count) => count === 2, 'both sides to be notified');
      await approve(administrator, 'document', documentId);
      await waitFor(notified, (count) => count === 4, 'both sides to be notified again');
      return `registration/${id}`;
    },
  },
  {
    workflowType: 'eventRegistration',
    name: 'refused-commands-and-withdrawn',
    async play(stage) {
      const { athlete, organizer, event, row } = await enrolment(stage);
      const saved = athlete.expect(
        200,
        await athlete.post(`/events/${event.id}/registrations/batch`, { registrations: [row], submit: false }),
      );
      const [{ id }] = saved.body.data.results;
      organizer.expect(404, await organizer.patch(`/events/${event.id}/registrations/${id}`, { decision: 'approve' }));
      await enrol(athlete, event.id, { ...row, id });
      organizer.expect(404, await organizer.post(`/event-registrations/${id}/withdraw`));
      athlete.expect(200, await athlete.post(`/event-registrations/${id}/withdraw`));
      return `registration/${id}`;
    },
  },
  {
    workflowType: 'sweep',
    name: 'a-day-later',
    async play({ make, engine, today, travelTo }) {
      const owner = await make.person();
      const profileId = await make.profile(owner, { status: 'approved' });
      const day = await today();
      await make.document(owner, profileId, { status: 'approved', expiresAt: day });
      await travelTo(startOf(dayAfter(day)));
      const workflowId = `sweep/${randomBytes(6).toString('hex')}`;
      await engine.workflow.execute('sweep', { workflowId, taskQueue: 'registry', args: [{ requestId: 'capture' }] });
      return workflowId;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'end-of-the-year',
    async play({ make, today, travelTo }) {
      const owner = await make.person();
      const { id } = await make.application(owner, { status: 'approved' });
      owner.expect(200, await owner.get(`/applications/${id}/certificate`));
      await travelTo(startOf(`${Number((await today()).slice(0, 4)) + 1}-01-01`));
      return `application/${id}`;
    },
  },
];

/** A draft of a new account, which begins in so many days. */
async function openEvent(stage: Stage, days: number) {
  const { platform, administrator, make } = stage;
  const service = { platform, administrator: async () => administrator, surroundings: { bank: { url: stage.bankUrl } } };
  const steps = organizerSteps(service);
  const owner = await make.person();
  const profileId = await eventFixtures(platform).organizer(owner);
  const day = await stage.today();
  const dates = { starts_at: startOf(daysAfter(day, days)), ends_at: startOf(daysAfter(day, days + 1)) };
  return { owner, steps, id: await steps.open(owner, profileId, dates) };
}

/** A published event of tomorrow and the day after, and an athlete with a licence who may register for it. */
async function enrolment({ make, platform, today }: Stage) {
  const [athlete, organizer] = [await make.person(), await make.person()];
  const { id: applicationId, profileId, documentIds } = await make.application(athlete, { status: 'approved' });
  const tomorrow = dayAfter(await today());
  const event = await eventFixtures(platform).event(organizer, {
    startsAt: new Date(`${tomorrow}T10:00:00+05:00`),
    endsAt: new Date(`${dayAfter(tomorrow)}T18:00:00+05:00`),
  });
  const row = { profile_id: profileId, application_id: applicationId, class: 'Абсолют' };
  return { athlete, organizer, event, row, documentId: documentIds[1] ?? 0 };
}

async function enrol(athlete: TestClient, eventId: number, row: unknown): Promise<number> {
  const sent = await athlete.post(`/events/${eventId}/registrations/batch`, { registrations: [row], submit: true });
  const [result] = athlete.expect(200, sent).body.data.results;
  if (!result.ok) throw new Error(JSON.stringify(result));
  return result.id;
}

/** How many notifications there are about a registration. */
async function countTold({ platform }: Stage, id: number): Promise<number> {
  const { count } = await databaseOf(platform.orm.em.fork())
    .selectFrom('notifications')
    .where('subjectKind', '=', 'registration')
    .where('subjectId', '=', String(id))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The bank's decision, without the payer's page. */
async function settle(bankUrl: string, invoiceNumber: string): Promise<void> {
  await fetch(`${bankUrl}/control/${invoiceNumber}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'paid' }),
  });
}
