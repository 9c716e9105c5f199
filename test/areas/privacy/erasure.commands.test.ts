import { CompiledQuery } from 'kysely';
import { readValidityOf } from '../../../src/areas/verification/index.ts';
import { listOldAgreements } from '../../../src/areas/agreements/index.ts';
import { eraseRecords, listErasedKeys } from '../../../src/areas/privacy/erasure/erase-records.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { contractFixtures } from '../../support/factories/contracts.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import { dumpRows } from './dump-rows.ts';
import { signingFixtures } from '../../support/factories/signings.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** An erasure takes the person out of every row, and leaves what others prove by it. */
const { api, make } = await useRegistry();
const { platform } = api;
const db = databaseOf(platform.orm.em.fork());

const erase = (userId: number) =>
  commit(platform, { actor: { kind: 'process' }, requestId: `account-erasure-${userId}`, ip: null }, (ctx) => eraseRecords(ctx, userId));

/** A person with records of many kinds, and what identifies them. */
async function known() {
  const person = await api.user('Жансая Қуандыққызы');
  const texts = [
    'Жансая',
    'жансая',
    'Қуандыққызы',
    'қуандыққызы',
    '900517300128',
    '87017654321',
    '701 765 43 21',
    'Ерекше қала',
    'N04751290',
    person.email,
  ];
  const profile = {
    status: 'approved',
    data: { last_name: 'Қуандыққызы', first_name: 'Жансая', iin: '900517300128', phone: '+7 701 765 43 21', city: 'Ерекше қала' },
  } as const;
  const made = await make.application(person, { status: 'approved', profile, medical: { columns: { number: 'N04751290' } } });
  person.expect(200, await person.get(`/applications/${made.id}/certificate`));
  const text = 'Жансая Қуандыққызы, менің нөмірім 87017654321';
  person.expect(201, await person.post('/chat/messages', { message: text }));
  await api.sql(`insert into contact_messages (name, email, message, created_at) values ('Жансая', $1, $2, now())`, [person.email, text]);
  const reference = `correction:${person.userId}`;
  await api.sql(
    `insert into ledger_transactions (type, reference, reason, flags, request_id, at)
     values ('correction', $1, 'Жансая Қуандыққызы told us', '{}', 'request-of-a-test', now())`,
    [reference],
  );
  await api.sql(
    `insert into ledger_entries (transaction_id, account, amount_minor)
     select id, a.account, a.amount from ledger_transactions, (values ($1, 100), ('corrections', -100)) a (account, amount) where reference = $2`,
    [`wallet:${person.userId}`, reference],
  );
  return { person, texts, ...made };
}

test('no row of the database names the person afterwards, and nothing else is touched (PRV-3)', async () => {
  const { person, texts, id, profileId } = await known();
  const other = await api.user('Айдана Қалиева');
  await make.athlete(other);
  const before = await readValidityOf(db, [id]);
  const others = (await dumpRows(api)).filter(([, row]) => row.includes('Айдана') || row.includes(other.email));
  const named = (await dumpRows(api)).filter(([, row]) => texts.some((text) => row.includes(text)));
  expect(new Set(named.map(([table]) => table)).size).toBeGreaterThan(7);
  const keys = await listErasedKeys(db, platform.extensions, person.userId);
  expect(keys).toEqual([expect.stringMatching(/^certificates\/\d+\/[0-9a-f]{64}\.pdf$/)]);

  await erase(person.userId);
  const left = (await dumpRows(api)).filter(([, row]) => texts.some((text) => row.includes(text)));
  expect(left).toEqual([]);
  expect(await readValidityOf(db, [id])).toEqual(before);
  expect((await dumpRows(api)).filter(([, row]) => row.includes('Айдана') || row.includes(other.email))).toEqual(others);
  const [user] = await api.sql(`select email, name, phone, status, erased_at from users where id = $1`, [person.userId]);
  const at = expect.any(Date);
  expect(user).toEqual({
    email: `erased-${person.userId}`,
    name: 'name withheld',
    phone: null,
    status: 'blocked',
    erased_at: at,
  });
  const [profile] = await api.sql(`select name, data, iin, status from profiles where id = $1`, [profileId]);
  expect(profile).toEqual({ name: 'name withheld', data: {}, iin: null, status: 'approved' });
  const living = await api.sql(`select id from files where owner_id = $1 and deleted_at is null`, [person.userId]);
  expect(living).toEqual([]);
  expect((await person.get('/account')).status).toBe(401);
});

test('a second erasure changes nothing', async () => {
  const { person } = await known();
  await erase(person.userId);
  const once = await api.sql(`select id, email, erased_at from users where id = $1`, [person.userId]);
  await erase(person.userId);
  expect(await api.sql(`select id, email, erased_at from users where id = $1`, [person.userId])).toEqual(once);
  const erased = await api.sql(`select id from audit_events where action = 'account.erased' and subject_id = $1`, [String(person.userId)]);
  expect(erased).toHaveLength(1);
});

test('each read of what is left answers an administrator, and names the person in agreements alone', async () => {
  const { person, texts, id: applicationId, profileId, documentIds } = await known();
  const { id: contractId, eventId } = await contractFixtures(platform).contract(person, { status: 'confirmed' });
  const row = { eventId, ownerId: person.userId, profileId, status: 'approved', startNumber: '7' } as const;
  const [registrationId] = await insertRegistrations(db, [row], new Date());
  await erase(person.userId);
  const ids: Record<string, number | undefined> = {
    applications: applicationId,
    application: applicationId,
    profiles: profileId,
    profile: profileId,
    documents: documentIds[0],
    document: documentIds[0],
    users: person.userId,
    chats: person.userId,
    events: eventId,
    public: eventId,
    'event-registrations': registrationId,
    registrations: registrationId,
    contracts: contractId,
  };
  const clerk = await api.administrator();
  const { paths } = clerk.expect(200, await clerk.get('/openapi.json')).body as { paths: Record<string, { get?: object }> };
  const read = Object.entries(paths).flatMap(([path, { get }]) => {
    // The document has an IIN as its example.
    if (get === undefined || path === '/openapi.json') return [];
    const address = path.replaceAll(/\/([\w-]+)\/\{\w+\}/g, (whole, of: string) => (ids[of] === undefined ? whole : `/${of}/${ids[of]}`));
    return address.includes('{') ? [] : [address];
  });
  expect(read.length).toBeGreaterThan(60);
  for (const path of read) {
    const { status, bytes } = await clerk.get(path);
    const named = texts.filter((text) => bytes.includes(text));
    expect([path, status !== 500, named]).toEqual([
      path,
      true,
      path.includes('contract') || path.endsWith('/agreement') ? expect.anything() : [],
    ]);
  }
});

test('an agreement stays whole with its bytes', async () => {
  const organizer = await api.user();
  const contract = await contractFixtures(platform).contract(organizer, { status: 'confirmed' });
  const read = () => api.sql(`select snapshot, scan_storage_key, original_storage_key from contracts where id = $1`, [contract.id]);
  const before = await read();
  await erase(organizer.userId);
  expect(await read()).toEqual(before);
  const [scan] = before as { scan_storage_key: string }[];
  const files = await api.sql(`select deleted_at from files where storage_key = $1`, [scan?.scan_storage_key]);
  expect(files).toEqual([{ deleted_at: null }]);
});

test('the report of retention lists agreements that are older than an instant', async () => {
  const organizer = await api.user();
  const { id } = await contractFixtures(platform).contract(organizer, { status: 'confirmed' });
  const listed = async (before: Date) => {
    const found: unknown[] = [];
    for await (const agreement of listOldAgreements(db, before)) if (agreement.id === id) found.push(agreement);
    return found;
  };
  expect(await listed(new Date(Date.now() + 60_000))).toEqual([expect.objectContaining({ id, ownerId: organizer.userId })]);
  expect(await listed(new Date('2020-01-01T00:00:00Z'))).toEqual([]);
});

test('marks of the federation stay when their uploader is erased (FIL-7)', async () => {
  const former = await api.anotherAdministrator();
  await signingFixtures(platform).signing(former.userId);
  const marks = () => api.sql(`select id, sha256, storage_key, deleted_at from files where owner_id = $1 order by id`, [former.userId]);
  const before = await marks();
  expect(before).toHaveLength(2);
  await erase(former.userId);
  expect(await marks()).toEqual(before);
});

test('append-only rows change in an erasure alone, and then only where a column has personal data', async () => {
  const attempt = (statement: string) => db.executeQuery(CompiledQuery.raw(statement));
  await expect(attempt(`update audit_events set ip = null`)).rejects.toThrow('append-only');
  const within = (statement: string) =>
    db.transaction().execute(async (transaction) => {
      await transaction.executeQuery(CompiledQuery.raw(`select set_config('registry.erasure', 'on', true)`));
      await transaction.executeQuery(CompiledQuery.raw(statement));
    });
  for (const statement of [
    `delete from audit_events`,
    `update audit_events set action = 'x'`,
    `update ledger_transactions set reference = 'x'`,
    `update ledger_entries set amount_minor = 1`,
  ])
    await expect(within(statement)).rejects.toThrow('permission denied');
});
