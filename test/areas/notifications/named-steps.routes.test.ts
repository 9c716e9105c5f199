import { extensions } from '../../../src/registry/areas.ts';
import { notificationKinds } from '../../../src/areas/notifications/index.ts';
import type { TestClient } from '../../support/client.ts';
import { type Athlete } from '../../support/factories.ts';
import { organizerSteps, requests } from '../../support/factories/event-steps.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { type NotificationRow, textOfRow } from '../../support/texts/notification-texts.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

/**
 * A text names a step only when its reader can take it then (NOT-7). The table says what each notification names; the tests bring
 * about those with a step and take it. Each test that moves the clock stands after those that do not.
 */

/** The request of the step that each notification names. */
const steps: Record<string, string> = {
  'agreement.rejected': 'POST /contracts/{id}/scan',
  'agreement.replaced': 'POST /contracts/{id}/scan',
  'agreement.scan_missing': 'POST /contracts/{id}/scan',
  'application.changes': 'POST /applications/{id}/submit',
  'application.expiring': 'POST /applications',
  'additional_document.changes': 'POST /events/{id}/additional-documents',
  'bot.disconnected': 'POST /messaging-bot',
  'document.changes': 'PATCH /documents/{id}',
  'document.expiring': 'POST /documents',
  'document.expired': 'POST /documents',
  'event_stage.approved': 'POST /events/{id}/submit',
  'event_stage.changes': 'POST /events/{id}/submit',
  'account_erasure.requested': 'DELETE /account/erasure',
  'account_erasure.reminder': 'DELETE /account/erasure',
  'account_erasure.blocked': 'GET /account/erasure',
  'account_export.made': 'GET /account/exports/{id}',
  'event_stage.reopened': 'POST /contracts/{id}/scan',
  'event_stage.reminder': 'POST /events/{id}/submit',
  'invoice.expired': 'POST /invoices',
  'photo.changes': 'POST /profiles/{id}/submit',
  'profile.changes': 'POST /profiles/{id}/submit',
  'record.corrected': 'POST /chat/messages',
  'registration.offered': 'POST /event-registrations/{id}/accept',
  'registration.returned': 'POST /events/{id}/registrations/batch',
  'registration.lapsed': 'POST /event-registrations/{id}/withdraw',
  'webhook.disabled': 'PATCH /webhooks/{id}',
};
/** Notifications that name no step. */
const without = `
  account_erasure.withdrawn agreement.confirmed agreement.cancelled agreement.ended agreement.scan_waiting application.approved application.cancelled
  application.closed application.refunded additional_document.approved additional_document.cancelled chat.reply document.approved
  document.cancelled event_stage.cancelled event_stage.intake_opened event_stage.intake_closed invoice.paid invoice.paid_late
  invoice.failed invoice.mismatch ledger.corrected ledger.reversed photo.approved photo.cancelled profile.approved profile.cancelled
  profile.transferred registration.approved registration.numbered registration.rejected registration.withdrawn registration.eligible_again
  registration.event_cancelled registration.submitted registration.waiting registration.offer_expired`;

/** Taken by the tests of their areas. */
const elsewhere = [
  'registration.offered',
  'account_erasure.requested',
  'account_erasure.reminder',
  'account_erasure.blocked',
  'account_export.made',
  'agreement.rejected',
  'agreement.replaced',
  'agreement.scan_missing',
  'event_stage.reopened',
  'bot.disconnected',
  'webhook.disabled',
];

const { api, make, administrator } = await useRegistry();
const year = Number((await api.browser().get('/sandbox/clock')).body.data.now.slice(0, 4)) + 1;
const taken = new Set<string>();

beforeAll(async () => {
  await api.travelTo(`${year}-03-01T09:00:00+05:00`);
});

/** The newest notification of a type that a person has, in English. */
async function notified(owner: TestClient, type: string): Promise<string> {
  const find = () =>
    api.sql<NotificationRow>(
      'select type, subject_id, facts from notifications where user_id = $1 and type = $2 order by id desc limit 1',
      [owner.userId, type],
    );
  const [row] = await waitFor(find, (rows) => rows.length > 0, type);
  if (row === undefined) throw new Error(`no ${type}`);
  taken.add(type);
  return textOfRow(row);
}

const note = 'the scan is blurred';
const decide = async (kind: string, id: number, decision: string, options = {}) =>
  administrator.expect(
    200,
    await administrator.post('/admin/review', { kind, id, decision, ...(decision === 'approve' ? {} : { note }), ...options }),
  );
const submit = async (owner: TestClient, path: string) => owner.expect(200, await owner.post(`${path}/submit`));

/** An athlete whose medical certificate has a last day. */
const holder = (owner: TestClient, expiresAt = '2034-01-10'): Promise<Athlete> => make.athlete(owner, { medical: { expiresAt } });

async function replaceMedical(owner: TestClient, applicationId: number, { profileId, documentIds: [identity = 0] }: Athlete) {
  const medical = await make.document(owner, profileId, { type: 'medical' });
  owner.expect(200, await owner.patch(`/applications/${applicationId}`, { document_ids: [identity, medical] }));
  await submit(owner, `/applications/${applicationId}`);
}

test('the table has every type of notification', () => {
  expect([...Object.keys(steps), ...without.trim().split(/\s+/)].toSorted()).toEqual(
    extensions
      .of(notificationKinds)
      .flatMap((kinds) => Object.keys(kinds))
      .toSorted(),
  );
});

test('profile.changes and photo.changes: correct the part and submit it again', async () => {
  const owner = await api.user();
  const id = await make.profile(owner, { status: 'approved' });
  await decide('profile', id, 'changes');
  expect(await notified(owner, 'profile.changes')).toContain(`Correct the data of your profile ${id} and submit it again.`);
  owner.expect(200, await owner.patch(`/profiles/${id}`, { data: { city: 'Тараз' } }));
  await submit(owner, `/profiles/${id}`);
  await decide('photo', id, 'changes');
  expect(await notified(owner, 'photo.changes')).toContain(`Replace the photo of your profile ${id} and submit it again.`);
  owner.expect(200, await owner.patch(`/profiles/${id}`, { photo_id: await make.file(owner, 'photo') }));
  await submit(owner, `/profiles/${id}`);
});

test('photo.changes over refused data asks for no submission, which is not possible', async () => {
  const owner = await api.user();
  const id = await make.profile(owner, { status: 'approved' });
  await decide('profile', id, 'cancel');
  await decide('photo', id, 'changes');
  expect(await notified(owner, 'photo.changes')).toContain(`Replace the photo of your profile ${id}.`);
  owner.expect(200, await owner.patch(`/profiles/${id}`, { photo_id: await make.file(owner, 'photo') }));
  expect((await owner.post(`/profiles/${id}/submit`)).status).toBe(409);
});

describe('document.changes', () => {
  test('of an unused document: correct it', async () => {
    const owner = await api.user();
    const { documentIds } = await holder(owner);
    await decide('document', documentIds[1] ?? 0, 'changes');
    expect(await notified(owner, 'document.changes')).not.toContain('in use');
    owner.expect(200, await owner.patch(`/documents/${documentIds[1]}`, { number: 'N7654321' }));
  });

  test.each(['submitted', 'approved'] as const)('of a document behind a %s application: attach another one and submit', async (status) => {
    const owner = await api.user();
    const on = await holder(owner);
    const { id } = await make.application(owner, { status, on });
    await decide('document', on.documentIds[1] ?? 0, 'changes');
    expect(await notified(owner, 'document.changes')).toContain(`Attach another document and submit these applications again: ${id}.`);
    expect((await owner.patch(`/documents/${on.documentIds[1]}`, { number: 'N7654321' })).status).toBe(409);
    await replaceMedical(owner, id, on);
  });

  test('of a document behind a cancelled application alone: send another one', async () => {
    const owner = await api.user();
    const on = await holder(owner);
    await make.application(owner, { status: 'cancelled', on });
    await decide('document', on.documentIds[1] ?? 0, 'changes');
    expect(await notified(owner, 'document.changes')).toContain('It is in use and cannot be changed. Upload another one.');
    await make.document(owner, on.profileId);
  });
});

test('application.changes by an administrator: correct it and submit again', async () => {
  const owner = await api.user();
  const { id } = await make.application(owner, { status: 'changes' });
  expect(await notified(owner, 'application.changes')).toContain('needs your attention');
  owner.expect(200, await owner.patch(`/applications/${id}`, { data: { team: 'Тұлпар' } }));
  await submit(owner, `/applications/${id}`);
});

test('record.corrected: contact the federation', async () => {
  const owner = await api.user();
  const id = await make.profile(owner, { status: 'approved' });
  const { updated_at } = administrator.expect(200, await administrator.get(`/admin/records/profile/${id}`)).body.data;
  const body = { data: { city: 'Ақтау' }, updated_at };
  administrator.expect(200, await administrator.patch(`/admin/records/profile/${id}`, body));
  expect(await notified(owner, 'record.corrected')).toContain('contact the federation');
  owner.expect(201, await owner.post('/chat/messages', { message: 'Қала дұрыс емес' }));
});

test('event_stage: submit the next stage, or correct and submit again, once an agreement is in force', async () => {
  const owner = await api.user();
  const organizer = organizerSteps(api);
  const profileId = await eventFixtures(api.platform).organizer(owner);
  const id = await organizer.open(owner, profileId, {
    starts_at: `${year}-08-01T09:00:00+05:00`,
    ends_at: `${year}-08-02T18:00:00+05:00`,
  });
  await organizer.settle(id);
  expect(await notified(owner, 'event_stage.approved')).toContain('Submit the details next.');
  owner.expect(200, await organizer.submit(owner, id, 'details'));
  await organizer.payFee(owner, id);
  await organizer.approve(id, 'details');
  expect(await notified(owner, 'event_stage.approved')).toContain('Submit the regulations next.');
  await organizer.attach(owner, id, 'regulations');
  owner.expect(200, await organizer.submit(owner, id, 'regulations'));
  administrator.expect(200, await administrator.post('/admin/review', requests.review(id, 'regulations', 'changes', note)));
  expect(await notified(owner, 'event_stage.changes')).toContain('Correct and submit again.');
  await organizer.attach(owner, id, 'regulations');
  owner.expect(200, await organizer.submit(owner, id, 'regulations'));
  await organizer.settle(id, false);
  administrator.expect(200, await administrator.post('/admin/review', requests.review(id, 'regulations', 'changes', `${note} still`)));
  expect(await notified(owner, 'event_stage.changes')).toContain('You can correct and submit it again once an agreement is confirmed.');
  const correct = async () => owner.patch(`/events/${id}`, { stage: 'regulations', files: { regulations: await organizer.pdf(owner) } });
  expect((await correct()).status).toBe(409);
  await organizer.settle(id);
  owner.expect(200, await correct());
  owner.expect(200, await organizer.submit(owner, id, 'regulations'));
});

test('additional_document.changes: delete it and add a new one', async () => {
  const owner = await api.user();
  const { id: eventId } = await eventFixtures(api.platform).event(owner);
  const add = async () => {
    const body = { file_id: await make.file(owner, 'scan', `bulletin ${Math.random()}`), title: 'Бюллетень', kind: 'bulletin' };
    return owner.expect(201, await owner.post(`/events/${eventId}/additional-documents`, body)).body.data.document_id;
  };
  const id = await add();
  await decide('additional_document', id, 'changes');
  expect(await notified(owner, 'additional_document.changes')).toContain('Delete it and add a new one.');
  owner.expect(200, await owner.delete(`/events/${eventId}/additional-documents/${id}`));
  await add();
});

describe('by the clock', () => {
  let athlete: TestClient;
  let organizer: TestClient;
  let registrationId: number;
  let eventId: number;
  let applicationId: number;

  test('registration.returned: correct and submit again before the competition', async () => {
    [athlete, organizer] = [await api.user(), await api.user()];
    const days = { startsAt: new Date(`${year}-07-05T09:00:00+05:00`), endsAt: new Date(`${year}-07-06T18:00:00+05:00`) };
    ({ id: eventId } = await eventFixtures(api.platform).event(organizer, { ...days, settings: { classes: ['A'] } }));
    ({ id: applicationId } = await make.application(athlete, { status: 'approved', on: await holder(athlete) }));
    const row = { profile_id: 0, class: 'A', application_id: applicationId };
    const { profile_id } = athlete.expect(200, await athlete.get(`/applications/${applicationId}`)).body.data;
    const batch = (options = {}) =>
      athlete.post(`/events/${eventId}/registrations/batch`, { submit: true, registrations: [{ ...row, profile_id, ...options }] });
    const [made] = athlete.expect(200, await batch()).body.data.results;
    registrationId = made.id;
    const decision = { decision: 'return', reason: 'name the crew' };
    organizer.expect(200, await organizer.patch(`/events/${eventId}/registrations/${registrationId}`, decision));
    expect(await notified(athlete, 'registration.returned')).toContain('Correct it and submit it again before');
    expect(athlete.expect(200, await batch({ id: registrationId })).body.data.results).toMatchObject([{ ok: true }]);
  });

  test('registration.lapsed: withdraw', async () => {
    const { document_ids: ids } = athlete.expect(200, await athlete.get(`/applications/${applicationId}`)).body.data;
    await decide('document', ids[1], 'changes');
    expect(await notified(athlete, 'registration.lapsed')).toContain('or withdraw the registration');
    athlete.expect(200, await athlete.post(`/event-registrations/${registrationId}/withdraw`));
  });

  test('invoice.expired: create a new one', async () => {
    const owner = await api.user();
    const invoice = () => owner.post('/invoices', { amount: '1000.00' }, { 'idempotency-key': `named-${Math.random()}` });
    const { id } = owner.expect(201, await invoice()).body.data;
    owner.expect(200, await owner.post(`/invoices/${id}/checkout`));
    await api.travelTo(`${year}-03-20T09:00:00+05:00`);
    expect(await notified(owner, 'invoice.expired')).toContain('Create a new one');
    owner.expect(201, await invoice());
  });

  test('document.expiring, document.expired and application.changes: attach a valid document and submit again', async () => {
    const owner = await api.user();
    const lapsing = await holder(owner, `${year}-05-10`);
    const { id } = await make.application(owner, { status: 'approved', on: lapsing });
    await api.travelTo(`${year}-05-04T09:00:00+05:00`);
    expect(await notified(owner, 'document.expiring')).toContain('Upload a new document before that day.');
    await make.document(owner, lapsing.profileId, { type: 'medical' });
    await api.travelTo(`${year}-05-11T00:00:10+05:00`);
    expect(await notified(owner, 'document.expired')).toContain(`Linked applications: ${id}. Attach a valid document`);
    expect(await notified(owner, 'application.changes')).toContain('Attach a valid document and submit the application again');
    await replaceMedical(owner, id, lapsing);
  });

  test('event_stage.reminder: send the stage', async () => {
    const owner = await api.user();
    const late = organizerSteps(api);
    const profileId = await eventFixtures(api.platform).organizer(owner);
    const dates = { starts_at: `${year}-09-01T09:00:00+05:00`, ends_at: `${year}-09-02T18:00:00+05:00` };
    const id = await late.open(owner, profileId, dates);
    await late.settle(id);
    await api.travelTo(`${year}-08-30T09:00:00+05:00`);
    expect(await notified(owner, 'event_stage.reminder')).toMatch(/Send it (now|by then)/);
    owner.expect(200, await late.submit(owner, id, 'details'));
  });

  test('application.expiring: apply for the year that it names, or from the day that it names', async () => {
    const owner = await api.user();
    const holding = await holder(owner);
    await make.application(owner, { status: 'approved', on: holding });
    const apply = (options: object) =>
      owner.post('/applications', {
        profile_id: holding.profileId,
        service_id: 1,
        document_ids: holding.documentIds,
        data: {},
        ...options,
      });
    await api.travelTo(`${year}-11-03T09:00:00+05:00`);
    // Without its base index the next year cannot be applied for.
    expect(await notified(owner, 'application.expiring')).toContain(`You can apply again from 1 January ${year + 1}.`);
    expect((await apply({ year: year + 1 })).status).toBe(409);
    administrator.expect(200, await administrator.put(`/admin/catalog/base-indexes/${year + 1}`, { amount_minor: 450_000 }));
    await api.travelTo(`${year}-12-02T09:00:00+05:00`);
    expect(await notified(owner, 'application.expiring')).toContain(`You can apply for ${year + 1} now.`);
    owner.expect(201, await apply({ year: year + 1 }));
  });
});

test('each notification with a step was brought about here or elsewhere', () => {
  expect([...taken, ...elsewhere].toSorted()).toEqual(Object.keys(steps).toSorted());
});
