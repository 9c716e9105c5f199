import { databaseOf } from '../../../src/platform/database/database.ts';
import { contractFixtures } from '../../support/factories/contracts.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import { makeIin } from '../../support/identities/iin.ts';
import { refusal, wrongFieldsOf } from '../../support/refusals.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator } = await useRegistry();

interface Result {
  kind: string;
  id: number | string;
  title: string;
  subtitle: string;
  url: string;
}

async function search(q: string): Promise<Result[]> {
  return administrator.expect(200, await administrator.get(`/admin/search?${new URLSearchParams({ q })}`)).body.data.results;
}
const namesOf = async (q: string) => (await search(q)).map(({ kind, id }) => `${kind} ${id}`);

const iin = makeIin('1991-03-04', 'female', 12);
const person = await api.user('Құралай Сейітқызы');
await api.sql(`update users set email = 'kuralay.s@club.example', phone = '+7 (705) 222-33-44' where id = $1`, [person.userId]);
const data = { last_name: 'Әлімбекова', first_name: 'Өзгеріс', city: 'Өскемен', phone: '8 (702) 111-22-33', iin };
const { profileId, documentIds } = await make.athlete(person, { profile: { status: 'approved', data } });
const application = await make.application(person, { on: { profileId, documentIds }, status: 'approved' });
const [certificate] = await api.sql<{ number: string }>('select number from certificates where application_id = $1', [application.id]);
const invoice = person.expect(201, await person.post('/invoices', { amount: '100.00' }, { 'idempotency-key': 'search' })).body.data;
const club = await api.user('Директор');
const events = eventFixtures(api.platform);
const organizerId = await events.organizer(club, {
  organization_name: 'Қазына автоклубы',
  bin: '123456789012',
  phone: '+7 727 300 40 50',
  email: 'Office@Qazyna.example',
});
const { id: eventId } = await events.event(club, { profileId: organizerId, status: 'draft', title: 'Ралли «Үстірт-Ёлка» 2031' });
const contract = await contractFixtures(api.platform).contract({ userId: club.userId }, { eventId });
const [registrationId = 0] = await insertRegistrations(
  databaseOf(api.platform.orm.em.fork()),
  [{ eventId, ownerId: person.userId, profileId, applicationIds: [application.id] }],
  new Date(),
);
const [incidentId, messageId] = await Promise.all(
  [
    `insert into incidents (kind, subject_kind, subject_id, details, at) values ('late_payment', 'invoice', '77', '{}', now()) returning id`,
    `insert into contact_messages (name, email, message, created_at) values ('Гость', 'guest@example.kz', 'When?', now()) returning id`,
  ].map(async (statement) => (await api.sql<{ id: number }>(statement))[0]?.id),
);

const user = `user ${person.userId}`;
const athlete = `profile ${profileId}`;
const organizer = `profile ${organizerId}`;
const event = `event ${eventId}`;

const texts: [string, string[]][] = [
  // Words of names, whole and as beginnings, in any spelling.
  ['Әлімбекова', [athlete]],
  ['АЛИМБЕК озг', [athlete]],
  ['өзгеріс әлімбекова', [athlete]],
  ['алимбекова иванова', []],
  ['кызы', []],
  ['құралай', [user]],
  ['kuralay.s@club.example', [user, athlete]],
  ['KURALAY.S@CLUB.EXAMPLE', [user, athlete]],
  ['kuralay.s@', [user, athlete]],
  // Numbers of people.
  [iin, [athlete]],
  [iin.slice(0, 8), [athlete]],
  ['+7 (702) 111-22-33', [athlete]],
  ['87021112233', [athlete]],
  ['702 111 22', [athlete]],
  ['8-705-222-33-44', [user]],
  ['705222', [user]],
  ['7052', []],
  // Organizers.
  ['Казына', [organizer]],
  ['автокл қаз', [organizer]],
  ['123456789012', [organizer]],
  ['+7 727 3004050', [organizer]],
  ['office@qazyna.example', [organizer]],
  // Events that were not published too.
  ['устирт', [event]],
  ['елка ралли', [event]],
  ['ралл 2031 уст', [event]],
  ['ралл 203 уст', []],
  // Numbers of records.
  [certificate?.number ?? '', [user, athlete, `application ${application.id}`]],
  [`${certificate?.number.toLowerCase()}`, [user, athlete, `application ${application.id}`]],
  [`${certificate?.number}9`, []],
  [contract.number, [`contract ${contract.id}`]],
  [contract.number.replace('A', 'а'), [`contract ${contract.id}`]],
  [invoice.number, [`invoice ${invoice.id}`]],
  // Records and processes.
  [`user/${person.userId}`, [user]],
  [`profile/${profileId}`, [athlete]],
  [`application/${application.id}`, [`application ${application.id}`]],
  [`document/${documentIds[0]}`, [`document ${documentIds[0]}`]],
  [`event/${eventId}`, [event]],
  [`registration/${registrationId}`, [`registration ${registrationId}`]],
  [`agreement/${contract.id}`, [`contract ${contract.id}`]],
  [`contract/${contract.id}`, [`contract ${contract.id}`]],
  [`invoice/${invoice.id}`, [`invoice ${invoice.id}`]],
  [`incident/${incidentId}`, [`incident ${incidentId}`]],
  [`contact_message/${messageId}`, [`contact_message ${messageId}`]],
  ['application/999999', []],
  ['webhook/999999', []],
  ['captcha/12', []],
  ['3f0c6f0e-8f0b-4f6e-9d0e-6d2f1c1b7a55', []],
  // Nothing is a pattern.
  ['%', []],
  [',', []],
  ['( ) -', []],
  ['_', []],
  ["'", []],
  ['\\', []],
  [':*', []],
  ['!алимбекова', [athlete]],
  ['* & |', []],
  ["' or 1=1 --", []],
  ['😀', []],
  ['алимбекова\u0301', []],
];

test.each(texts)('%s finds its records (ADM-9)', async (q, found) => {
  expect(await namesOf(q)).toEqual(found);
});

test('a result has a name, what tells it apart, and the address that answers (ADM-9)', async () => {
  const refs = [
    `user/${person.userId}`,
    `profile/${profileId}`,
    `application/${application.id}`,
    `document/${documentIds[0]}`,
    `event/${eventId}`,
    `registration/${registrationId}`,
    `contract/${contract.id}`,
    `invoice/${invoice.id}`,
    `incident/${incidentId}`,
    `contact_message/${messageId}`,
  ];
  const results = (await Promise.all(refs.map(search))).flat();
  expect(results.map(({ title, subtitle }) => [title, subtitle])).toEqual([
    ['Құралай Сейітқызы', 'kuralay.s@club.example'],
    ['Әлімбекова Өзгеріс', 'Өскемен, 8 (702) 111-22-33, kuralay.s@club.example'],
    ['Әлімбекова Өзгеріс', certificate?.number],
    ['Әлімбекова Өзгеріс', expect.stringMatching(/^[a-z]+$/)],
    ['Ралли «Үстірт-Ёлка» 2031', expect.stringMatching(/^\d{4}-\d\d-\d\d, /)],
    ['Әлімбекова Өзгеріс', 'Ралли «Үстірт-Ёлка» 2031'],
    [contract.number, 'Ралли «Үстірт-Ёлка» 2031'],
    [invoice.number, 'Құралай Сейітқызы'],
    ['late_payment', 'invoice/77'],
    ['Гость', 'guest@example.kz'],
  ]);
  const prefix = `${api.url}/api/v1`;
  expect(results.map(({ url }) => url)).toEqual([
    `${prefix}/admin/users/${person.userId}`,
    `${prefix}/profiles/${profileId}`,
    `${prefix}/applications/${application.id}`,
    `${prefix}/documents/${documentIds[0]}`,
    `${prefix}/events/${eventId}`,
    `${prefix}/event-registrations/${registrationId}`,
    `${prefix}/contracts/${contract.id}`,
    `${prefix}/invoices/${invoice.id}`,
    `${prefix}/admin/incidents/${incidentId}`,
    `${prefix}/admin/contact-messages/${messageId}`,
  ]);
  for (const { url, kind, id } of results) {
    const { body } = await administrator.get(url.slice(prefix.length));
    expect([kind, body.data.id]).toEqual([kind, id]);
  }
});

test('an id finds account, profile and invoice of that number, and whole words go first (ADM-9)', async () => {
  const ofInvoice = await namesOf(String(invoice.id));
  expect(ofInvoice).toContain(`invoice ${invoice.id}`);
  expect(await namesOf(String(person.userId))).toContain(user);
  expect(await namesOf(String(profileId))).toContain(athlete);
  const sister = await api.user();
  const later = await make.profile(sister, { data: { last_name: 'Ақжолтай', first_name: 'Дана' } });
  const whole = await make.profile(sister, { data: { last_name: 'Ақжол', first_name: 'Дана' } });
  const latest = await make.profile(sister, { data: { last_name: 'Ақжолова', first_name: 'Дана' } });
  expect(await namesOf('акжол')).toEqual([whole, latest, later].map((id) => `profile ${id}`));
});

test('at most 20 records are found, of all kinds (ADM-9)', async () => {
  const crowd = await api.user('Толпатай Бірінші');
  await api.sql(
    `insert into profiles (owner_id, kind, name, data, status, created_at, updated_at)
     select $1, case when n % 2 = 0 then 'athlete' else 'organizer' end, 'Толпатай ' || n, '{}', 'draft', now(), now() from generate_series(1, 60) n`,
    [crowd.userId],
  );
  for (const q of ['Толпатай', 'толпа']) {
    const results = await search(q);
    expect([q, results.length, results[0]?.kind, results[1]?.kind]).toEqual([q, 20, 'user', 'profile']);
  }
});

test('a renamed record is found by its new words alone, and a deleted one no more', async () => {
  await api.sql('update events set title = $2 where id = $1', [eventId, 'Ралли «Бетпақдала»']);
  await api.sql(`update profiles set name = 'Жаңарған клуб' where id = $1`, [organizerId]);
  expect([await namesOf('бетпакдала'), await namesOf('устирт')]).toEqual([[event], []]);
  expect([await namesOf('жанарган'), await namesOf('Казына')]).toEqual([[organizer], []]);
  const draft = await make.profile(person, { data: { ...data, last_name: 'Уақытша', iin: undefined } });
  expect(await namesOf('уакытша')).toEqual([`profile ${draft}`]);
  person.expect(200, await person.request('DELETE', `/profiles/${draft}`));
  expect(await namesOf('уакытша')).toEqual([]);
});

test('a request is found in the audit, else in the request log (ADM-9)', async () => {
  const [audited, refused] = ['11111111-1111-4111-8111-111111111111', 'AAAAAAAA-2222-4222-8222-222222222222'.toLowerCase()];
  person.expect(200, await person.patch('/account', { language: 'kk' }, { 'x-request-id': audited }));
  person.expect(422, await person.get('/applications?page=0', { 'x-request-id': refused }));
  const find = (id: string) =>
    waitFor(
      () => search(id),
      (found) => found[0]?.title.startsWith('GET') || found[0]?.title.startsWith('PATCH') || false,
      'the request log',
    );
  const prefix = `${api.url}/api/v1`;
  expect(await find(audited)).toEqual([
    {
      kind: 'request',
      id: audited,
      title: 'PATCH /account',
      subtitle: expect.stringMatching(/^200, \d{4}-.*\+05:00$/),
      url: `${prefix}/admin/audit?request_id=${audited}`,
    },
  ]);
  const [found] = await find(refused.toUpperCase());
  expect(found).toMatchObject({ id: refused, title: 'GET /applications', subtitle: expect.stringMatching(/^422 validation_failed, /) });
  const { data: rows } = administrator.expect(200, await administrator.get(found?.url.slice(prefix.length) ?? '')).body;
  expect(rows.map(({ request_id: id }: { request_id: string }) => id)).toEqual([refused]);
  // The request log forgets; the audit does not.
  await api.sql('delete from request_records where request_id = $1', [audited]);
  expect(await search(audited)).toMatchObject([{ title: 'account.updated', url: `${prefix}/admin/audit?request_id=${audited}` }]);
});

test('a process without a record of its own is found as a process (ADM-9)', async () => {
  const [made] = await api.sql<{ id: number }>(
    `insert into national_exports (administrator_id, list, count, file_id, status, failure, request_id, requested_at, finished_at)
     values ($1, 'print', 1, gen_random_uuid(), 'failed', 'forbidden', 'search', now(), now()) returning id`,
    [administrator.userId],
  );
  const ref = `national-export/${made?.id}`;
  expect(await search(ref)).toEqual([
    { kind: 'process', id: ref, title: ref, subtitle: 'failed', url: `${api.url}/api/v1/admin/processes?q=${ref}` },
  ]);
  administrator.expect(200, await administrator.get(`/admin/processes?q=${ref}`));
});

test('needs a text of one line and an administrator with admin:read, and leaves no row (ADM-9)', async () => {
  for (const query of ['', '?q=', '?q=%20', `?q=${'x'.repeat(201)}`, '?q=a%0Ab', '?q=abc&limit=5'])
    expect([query, wrongFieldsOf(await administrator.get(`/admin/search${query}`)).length]).toEqual([query, 1]);
  expect(await search('x'.repeat(200))).toEqual([]);
  const program = await administrator.program(['admin:write']);
  expect(await program.get('/admin/search?q=abc')).toMatchObject(refusal(403, 'insufficient_scope'));
  expect(await person.get('/admin/search?q=abc')).toMatchObject(refusal(403, 'forbidden'));
  const reads = `select count(*)::int as n from audit_events where actor_id = $1 and action like '%.read'`;
  const before = await api.sql<{ n: number }>(reads, [administrator.userId]);
  expect(await search('Әлімбекова')).toHaveLength(1);
  expect(await api.sql(reads, [administrator.userId])).toEqual(before);
});
