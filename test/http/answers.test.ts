import { allRoutes } from '../../src/registry/routes.ts';
import { readAnswers, recordAnswers, storyStart, writeAnswers } from '../support/answers.ts';
import { TestClient } from '../support/client.ts';
import { mailsTo } from '../areas/accounts/account-mails.ts';
import { waitFor } from '../support/wait-for.ts';
import { fixturesByRequests, topUp } from '../support/factories.ts';
import { makeContract, withPdf } from '../support/factories/contracts.ts';
import { organizerSteps } from '../support/factories/event-steps.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { setSigningBy } from '../support/factories/signings.ts';
import { makeScan } from '../support/papers/scans.ts';
import { totpCode } from '../support/identities/totp.ts';
import { useRegistry } from '../support/use-registry.ts';

/**
 * One story through the routes in a fixed order, whose answers the OpenAPI document shows as examples. `npm run docs:answers` writes them to
 * `src/http/openapi/answers.json`; otherwise the story must answer the same routes as the file has.
 */

const routes = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' }).filter(({ atRoot }) => !atRoot);

const year = new Date().getFullYear() + 1;

let requests = 0;
const { api } = await useRegistry();
const recorder = recordAnswers(routes, year, () => ({
  'https://club.example.kz': 'http://127.0.0.1:65000',
  'https://registry.example.kz': api.url,
  'daniyar@example.kz': 'person1@example.kz',
  'admin@example.kz': 'admin@localhost',
  'registry.example.kz': encodeURIComponent(new URL(api.url).host),
  'https://bank.example.kz': api.surroundings.bank.url,
}));

const aigerim = {
  last_name: 'Серікбаева',
  first_name: 'Айгерім',
  middle_name: 'Нұрланқызы',
  birth_date: '1998-09-03',
  gender: 'female',
  citizenship: 'KZ',
  iin: '980903400008',
  phone: '+7 701 123 45 67',
  city: 'Алматы',
};

/** Sends the example of a route, with the records of the story instead of the ids in it. */
async function send(client: TestClient, name: string, records: Record<string, unknown> = {}, instead: Record<string, unknown> = {}) {
  const route = routes.find((one) => one.name === name);
  if (!route) throw new Error(`there is no route ${name}`);
  const { method, request, response } = route;
  const path = route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => String(records[parameter]));
  const body = request.example === undefined ? undefined : { ...(request.example as object), ...instead };
  const headers = { 'idempotency-key': `story-${(requests += 1)}` };
  const answer = await client.request(method, path, { ...(body === undefined ? {} : { body }), headers });
  if (answer.status !== (response.status ?? 200)) throw new Error(`${name}: ${answer.status} ${answer.bytes.toString().slice(0, 1000)}`);
  return answer.body.data;
}

/** Checks a sheet. */
async function sendSheet(client: TestClient, path: string, content: string): Promise<void> {
  const form = new FormData();
  form.set('mode', 'check');
  form.set('file', new Blob([content]), 'list.csv');
  client.expect(200, await client.request('POST', path, { raw: form }));
}

/** Waits for so many mails with the link and returns the token of the last. */
function tokenIn(email: string, page: 'confirm-email' | 'reset', mails = 1): Promise<string> {
  const find = async () => (await mailsTo(api, email)).flatMap((mail) => new RegExp(`/${page}\\?token=([\\w-]{43})`).exec(mail)?.[1] ?? []);
  return waitFor(
    async () => (await find())[mails - 1] ?? '',
    (token) => token !== '',
    `the mail of ${page}`,
  );
}

/** Reads each page, with the records of the story in its path. */
async function readPages(
  clients: { owner: TestClient; administrator: TestClient },
  records: Record<string, string | number | undefined>,
): Promise<void> {
  const pages = routes.filter(({ method, response }) => method === 'GET' && response.data !== undefined);
  for (const { path, access, request } of pages) {
    const [, first = '', second = '', third = ''] = path.split('/');
    const isBelow =
      (first === 'contracts' && second === 'verify') ||
      (first === 'events' && second === 'public') ||
      second === 'exports' ||
      first === 'admin';
    const ofRecord = first === 'admin' && second === 'records' ? `${third}s` : isBelow ? `${first}/${second}` : first;
    const address = path.replace(':perspective', 'athlete').replace(/:\w+/, String(records[ofRecord] ?? 'missing'));
    const isOfAdministrator = access.kind === 'administrator';
    const asked = { purpose: '?purpose=register', target_user_id: `?target_user_id=${clients.administrator.userId}` };
    const needed =
      path === '/admin/search'
        ? `?q=${encodeURIComponent('Серікбаева')}`
        : (Object.entries(asked).find(([name]) => request.query?.shape[name] !== undefined && path !== '/files')?.[1] ?? '');
    const answer = await clients[isOfAdministrator ? 'administrator' : 'owner'].get(address + needed);
    // There is no bot here.
    expect([address, answer.status]).toEqual([address, path === '/messaging-bot' ? 503 : 200]);
  }
}

test('the story answers the routes of the examples', async () => {
  await api.travelTo(storyStart(year));
  const guest = api.browser();
  await guest.session();
  await send(guest, 'sendContactMessage', {}, await guest.captcha('contact'));
  const owner = api.browser();
  await owner.register('aigerim@example.kz', 'Айгерім Серікбаева', 'Tulpar-1994-Altai');
  await send(owner, 'requestEmailConfirmation');
  await send(owner, 'confirmEmail', {}, { token: await tokenIn(owner.email, 'confirm-email', 2) });
  const daniyar = await api.user('Данияр Ахметов');
  await send(guest, 'requestPasswordReset', {}, { ...(await guest.captcha('forgot')), email: daniyar.email });
  const administrator = await api.administrator();
  const confirmed = { password: administrator.password };
  const service = { ...api, administrator: async () => administrator };
  const make = fixturesByRequests(service);
  const steps = organizerSteps(service);
  const rows = eventFixtures(api.platform);
  await send(owner, 'updateAccount');
  // The position from which the changes of the story are read.
  const changes: { meta: { next: string } } = owner.expect(200, await owner.get('/changes')).body;

  // Keys, sessions, a second factor.
  const key = await send(owner, 'createApiKey', {}, { expires_at: `${year}-06-30` });
  await new TestClient(api.url, key.key).get('/profiles');
  const { id: spareKey } = await send(owner, 'createApiKey', {}, { name: 'Запасной', expires_at: `${year}-06-30` });
  await send(owner, 'revokeApiKey', { id: spareKey });
  const second = api.browser();
  await second.login(owner.email, owner.password);
  const sessions: { id: string; current: boolean }[] = owner.expect(200, await owner.get('/account/sessions')).body.data;
  const other = sessions.find(({ current }) => !current);
  await send(owner, 'endSession', { id: other?.id });
  await send(owner, 'endOtherSessions');
  const { secret } = await send(daniyar, 'requestSecondFactor', {}, { password: daniyar.password });
  await send(daniyar, 'confirmSecondFactor', {}, { code: totpCode(secret) });
  await api.sql('update second_factors set last_step = 0 where user_id = $1', [daniyar.userId]);
  await send(daniyar, 'removeSecondFactor', {}, { password: daniyar.password, code: totpCode(secret) });

  // An athlete and what they prove.
  const athlete = await make.athlete(owner, { profile: { data: aigerim } });
  const { profileId } = athlete;
  const draftId = await make.profile(owner, { data: { ...aigerim, first_name: 'Әлия', iin: undefined } });
  await send(owner, 'updateProfile', { id: draftId });
  await send(owner, 'deleteProfile', { id: draftId });
  const driver = await make.document(owner, profileId, { type: 'driver', expiresAt: '2034-01-10' });
  await send(owner, 'updateDocument', { id: driver }, { expires_at: '2034-02-10' });
  await send(
    administrator,
    'reviewRecord',
    {},
    { kind: 'document', id: driver, decision: 'approve', note: undefined, updated_at: undefined },
  );
  await send(owner, 'deleteFile', { uuid: await make.file(owner, 'scan', 'not needed') });

  await api.sql(`insert into archived_vehicles (profile_id, data, archived_at) values ($1, '{"brand": "Toyota", "year": 2019}', now())`, [
    profileId,
  ]);

  // A certificate, and a licence that is shared.
  await send(owner, 'quoteApplication', {}, { year: undefined });
  const draft = await send(owner, 'createApplication', {}, { profile_id: profileId, document_ids: athlete.documentIds });
  await send(owner, 'updateApplication', { id: draft.id }, { document_ids: athlete.documentIds, revision: draft.revision });
  const invoiceId = await topUp(owner, api.surroundings.bank.url, '50000.00');
  await owner.get(`/applications/${draft.id}/readiness`);
  await send(owner, 'submitApplication', { id: draft.id });
  await send(owner, 'payApplication', { id: draft.id });
  await send(owner, 'createInvoice');
  const on = { profileId, documentIds: [...athlete.documentIds, driver] };
  const licence = await make.application(owner, { on, serviceId: 10, data: { discipline_id: 1 }, status: 'approved' });
  await send(owner, 'setApplicationSharing', { id: licence.id });
  const spare = await make.application(owner, { on, serviceId: 3, data: { discipline_id: 3 } });
  await send(owner, 'cancelApplication', { id: spare.id });
  const [certificate] = await api.sql<{ token: string; number: string }>(
    'select token, number from certificates where application_id = $1',
    [licence.id],
  );

  // An event with its agreement.
  await setSigningBy(administrator);
  const organizerId = await rows.organizer(owner);
  const dates = { starts_at: `${year}-06-12T09:00:00+05:00`, ends_at: `${year}-06-13T18:00:00+05:00` };
  const { id: eventId } = await send(owner, 'createEvent', {}, { profile_id: organizerId, ...dates });
  await send(owner, 'updateEvent', { id: eventId }, dates);
  const first = await makeContract(owner, eventId);
  await send(owner, 'replaceContract', { id: first.id });
  const [{ id: contractId }] = owner.expect(200, await owner.get(`/contracts?event_id=${eventId}&status=generated`)).body.data;
  const contract = await withPdf(owner, contractId);
  const scanned = owner.expect(200, await owner.sendFile(`/contracts/${contractId}/scan`, await makeScan('signed', contract.pages))).body
    .data;
  await send(
    administrator,
    'reviewContract',
    { id: contractId },
    { decision: 'confirm', reason: undefined, updated_at: scanned.updated_at },
  );
  const [agreement] = await api.sql<{ token: string }>('select token from contracts where id = $1', [contractId]);
  await send(owner, 'submitEventStage', { id: eventId });
  await steps.payFee(owner, eventId);
  await steps.approve(eventId, 'details');
  const settings = { opens_at: `${year}-04-01T09:00:00+05:00`, closes_at: `${year}-06-01` };
  await send(owner, 'setRegistrationSettings', { id: eventId }, settings);
  await send(owner, 'addAdditionalDocument', { id: eventId }, { file_id: await steps.pdf(owner, 'bulletin') });
  const spareBulletin = await send(owner, 'addAdditionalDocument', { id: eventId }, { file_id: await steps.pdf(owner, 'another') });
  await send(owner, 'deleteAdditionalDocument', { id: eventId, document_id: spareBulletin.document_id });
  const { id: cancelledId } = await rows.event(owner, { status: 'draft', profileId: organizerId });
  const cancelled = await makeContract(owner, cancelledId);
  await send(owner, 'cancelContract', { id: cancelled.id });
  await send(owner, 'cancelEvent', { id: cancelledId });

  // Registration for an event whose intake is open, and its participants.
  const { id: openId } = await rows.event(owner, {
    profileId: organizerId,
    title: 'Ралли «Алатау», 1-й этап',
    settings: { classes: ['Абсолют', 'N2'] },
  });
  const registration = await send(owner, 'registerForEvent', { id: openId }, { profile_id: profileId, application_id: licence.id });
  await send(owner, 'decideRegistration', { id: openId, registration_id: registration.id });
  const dialog = { perspective: 'athlete', id: registration.id };
  await send(owner, 'sendMessage', dialog);
  await send(owner, 'markConversationRead', { ...dialog, perspective: 'organizer' }, { up_to_id: undefined });
  const participant = { certificate: certificate?.number };
  await send(owner, 'addParticipant', { id: openId }, participant);
  await send(owner, 'updateParticipant', { id: openId, application_id: licence.id });

  // Messages and notifications.
  await send(owner, 'sendChatMessage');
  await send(administrator, 'answerChat', { user_id: owner.userId });
  await send(administrator, 'markAccountChatRead', { user_id: owner.userId }, { up_to_id: undefined });
  await send(owner, 'markChatRead', {}, { up_to_id: undefined });
  administrator.expect(200, await administrator.get('/admin/contact-messages/1'));
  await send(administrator, 'answerContactMessage', { id: 1 });
  const [notification] = owner.expect(200, await owner.get('/notifications')).body.data;
  await send(owner, 'readNotification', { id: notification.id });
  await send(owner, 'readNotifications', {}, { up_to_id: notification.id });
  await send(owner, 'setNotificationPreferences');

  // Changes and webhooks.
  owner.expect(200, await owner.get(`/changes?after=${changes.meta.next}&limit=2`));
  const webhook = await send(owner, 'createWebhook', {}, { url: 'http://127.0.0.1:65000/hooks/registry' });
  await send(owner, 'updateWebhook', { id: webhook.id });
  await send(owner, 'replaceWebhookSecret', { id: webhook.id });
  await send(owner, 'testWebhook', { id: webhook.id });

  // The administration.
  const [incident] = await api.sql<{ id: number }>(
    `insert into incidents (kind, subject_kind, subject_id, details, at)
     select 'late_payment', 'invoice', id::text, jsonb_build_object('number', number, 'amount_minor', amount_minor, 'bank_reference', bank_reference), $2
     from invoices where id = $1 returning id`,
    [invoiceId, storyStart(year)],
  );
  administrator.expect(200, await administrator.get(`/admin/incidents/${incident?.id}`));
  await send(administrator, 'resolveIncident', { id: incident?.id });
  await send(administrator, 'correctLedger', {}, { user_id: owner.userId, ...confirmed });
  const [entry] = administrator.expect(200, await administrator.get('/admin/ledger?type=correction')).body.data;
  await send(administrator, 'reverseLedgerEntry', { entry_id: entry.id }, confirmed);
  const template = await send(administrator, 'createContractTemplate');
  await send(administrator, 'updateContractTemplate', { id: template.id });
  const [edited] = administrator.expect(200, await administrator.get('/admin/catalog')).body.data.services;
  await send(administrator, 'updateService', { id: edited.id }, { updated_at: edited.updated_at });
  await send(administrator, 'setBaseIndex', { year: year + 1 });
  const waiting = await make.application(daniyar, {
    status: 'submitted',
    profile: { data: { last_name: 'Ахметов', first_name: 'Данияр' } },
  });
  await send(administrator, 'changeReviewList', {}, { ids: [waiting.id] });
  await send(administrator, 'changeInsuranceList', {}, { ids: [draft.id] });
  await send(administrator, 'changePrintList', {}, { ids: [draft.id] });
  await send(administrator, 'reviewNationalCertificates', {}, { ids: [waiting.id] });
  const exported = await send(administrator, 'exportInsuranceList', {}, { ids: [draft.id] });
  await send(administrator, 'exportPrintList', {}, { ids: [draft.id] });
  const profile = administrator.expect(200, await administrator.get(`/admin/records/profile/${profileId}`)).body.data;
  await send(administrator, 'correctProfileRecord', { id: profileId }, { updated_at: (profile.profile ?? profile).updated_at });
  const document = administrator.expect(200, await administrator.get(`/admin/records/document/${driver}`)).body.data;
  await send(administrator, 'correctDocumentRecord', { id: driver }, { updated_at: (document.document ?? document).updated_at });
  const moved = await make.profile(daniyar, { data: { ...aigerim, first_name: 'Әлия', iin: undefined } });
  await send(
    administrator,
    'transferProfile',
    { id: moved },
    { current_user_id: daniyar.userId, target_user_id: owner.userId, ...confirmed },
  );
  const archive = await send(owner, 'exportAccount');
  await waitFor(
    () => api.sql<{ status: string }>('select status from account_exports'),
    ([row]) => row?.status === 'ready',
    'the archive',
  );

  const leaving = await api.user('Leaving Person');
  await send(leaving, 'requestErasure', {}, { password: leaving.password });
  await send(leaving, 'withdrawErasure');
  await send(administrator, 'requestErasureOf', { id: leaving.userId }, confirmed);
  await send(administrator, 'withdrawErasureOf', { id: leaving.userId });

  // Imports with a process, once they have ended.
  const [listed, results] = await api.sql<{ id: number }>(
    `insert into imports (kind, mode, status, event_id, owner_id, actor_id, request_id, row_count, done_count, ignored_columns, created_at, finished_at)
     select kind, 'check', 'done', $2, $1, $1, 'story', 150, 150, '["Комментарий"]', $3, $3 from unnest('{registrations,participants}'::text[]) kind
     returning id`,
    [owner.userId, openId, storyStart(year)],
  );

  await readPages(
    { owner, administrator },
    {
      'registration-imports': listed?.id,
      'participant-imports': results?.id,
      webhooks: webhook.id,
      'admin/users': owner.userId,
      'admin/incidents': incident?.id,
      'admin/contact-messages': 1,
      'api-keys': key.id,
      applications: licence.id,
      contracts: contractId,
      'contracts/verify': agreement?.token,
      'admin/contract-templates': 1,
      'admin/national': exported.id,
      'admin/chats': owner.userId,
      'admin/profiles': profileId,
      documents: driver,
      events: openId,
      'events/public': eventId,
      'account/exports': archive.id,
      'event-registrations': registration.id,
      invoices: invoiceId,
      messenger: registration.id,
      profiles: profileId,
      verify: certificate?.token,
    },
  );

  // The event with its whole past.
  for (const part of ['timeline', 'additional-documents']) owner.expect(200, await owner.get(`/events/${eventId}/${part}`));

  // What ends records, and a replay, whose deliveries take their time.
  await send(owner, 'replayWebhook', { id: webhook.id }, { after: changes.meta.next });
  await send(owner, 'removeParticipant', { id: openId, application_id: licence.id });
  await send(owner, 'withdrawRegistration', { id: registration.id });
  // A full class has a line: its only place is taken, and offered once it is free.
  const full = await rows.event(owner, {
    profileId: organizerId,
    title: 'Ралли «Алатау», 2-й этап',
    settings: { classes: ['N2'], classLimits: [{ name: 'N2', capacity: 1, waitingList: true, offerHours: 48 }] },
  });
  const holder = await api.user('Holder');
  const held = await make.application(holder, { status: 'approved' });
  const place = { profile_id: held.profileId, application_id: held.id, class: 'N2' };
  const { id: holding } = holder.expect(201, await holder.post(`/events/${full.id}/register`, place)).body.data;
  const inLine = await send(owner, 'registerForEvent', { id: full.id }, { profile_id: profileId, application_id: licence.id, class: 'N2' });
  const rejected = { decision: 'reject', reason: 'The licence is for another car.', start_number: undefined };
  await send(owner, 'decideRegistration', { id: full.id, registration_id: holding }, rejected);
  await send(owner, 'acceptOffer', { id: inLine.id });
  const row = { profile_id: profileId, application_ids: [licence.id], class: 'N2' };
  await send(owner, 'registerBatch', { id: openId }, { registrations: [row], submit: false });
  const [named] = await api.sql<{ name: string }>('select name from profiles where id = $1', [profileId]);
  const list = `Спортсмен;Класс;Номер лицензии\n${named?.name};Абсолют;${certificate?.number}\n${named?.name};Т1;`;
  await sendSheet(owner, `/events/${openId}/registrations/import`, list);
  await sendSheet(owner, `/events/${openId}/participants/import`, `Лицензия;Место;Время\n${certificate?.number};1;1:24:05.3`);
  await send(owner, 'deleteWebhook', { id: webhook.id });
  await send(guest, 'resetPassword', {}, { token: await tokenIn(daniyar.email, 'reset') });
  await send(administrator, 'changeUser', { id: daniyar.userId }, confirmed);
  await send(administrator, 'impersonate', {}, { user_id: owner.userId, ...confirmed });
  await administrator.session();
  await send(administrator, 'stopImpersonation');
  await send(owner, 'changePassword');
  await owner.session();
  await send(owner, 'logOut');

  const answers = recorder.answers();
  if (process.env['WRITE_ANSWERS'] === 'yes') writeAnswers(answers);
  expect(Object.keys(answers)).toEqual(Object.keys(readAnswers()));
});
