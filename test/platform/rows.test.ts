import type { EntityName, MikroORM } from '@mikro-orm/postgresql';
import { ApiKeyEntity, UserEntity } from '../../src/accounts/entities.ts';
import { ServiceEntity } from '../../src/catalog/entities.ts';
import { loadById, loadByUnique, lockById } from '../../src/platform/database/load.ts';
import { openDatabase } from '../../src/platform/database/orm.ts';
import { InvoiceEntity } from '../../src/wallet/entities.ts';
import type { Invoice } from '../../src/wallet/entities.ts';
import { cloneDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let orm: MikroORM;
beforeAll(async () => {
  database = await cloneDatabase();
  orm = await openDatabase(database.url, 2);
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

const at = new Date('2026-07-01T10:20:30.456Z');

test('a changed row with texts, JSON, decimals, truth and instants is read as it was written', async () => {
  const changes = {
    title: { ru: "Кружок «Ё» \\ 'а'", kk: 'Ұлттық?', en: '$1 {"a": [1]}' },
    category: null,
    mrp: '123.4500',
    cisMrp: null,
    requiredDocuments: [],
    insuranceCoverageMrp: 7,
    active: false,
    updatedAt: at,
  };
  await orm.em.fork().transactional(async (em) => {
    Object.assign(await em.findOneOrFail(ServiceEntity, 1), changes);
    await em.flush();
    const prepared = await em.execute(`select 1 from pg_prepared_statements where statement like 'update "services" set%'`);
    expect(prepared).toHaveLength(1);
  });
  expect(await orm.em.fork().findOneOrFail(ServiceEntity, 1)).toMatchObject(changes);
});

test('of several rows each gets its own, a list and an instant with them', async () => {
  await orm.em.fork().transactional(async (em) => {
    const person = { name: 'Х', email: 'x@example.kz', passwordHash: '-', phone: null, createdAt: at, updatedAt: at };
    const user = em.create(UserEntity, person as never);
    await em.flush();
    for (const name of ['a', 'b'])
      em.create(ApiKeyEntity, { userId: user.id, name, prefix: name, keyHash: name, scopes: [], expiresAt: at, createdAt: at } as never);
  });
  await orm.em.fork().transactional(async (em) => {
    const keys = await em.find(ApiKeyEntity, {}, { orderBy: { id: 'asc' } });
    keys[0]?.scopes.push('profiles:read', 'wallet:read');
    await em.flush();
    for (const key of keys) key.revokedAt = new Date(at.getTime() + key.id);
  });
  const keys = await orm.em.fork().find(ApiKeyEntity, {}, { orderBy: { id: 'asc' } });
  expect(keys.map(({ name, scopes, revokedAt }) => [name, scopes, revokedAt])).toEqual([
    ['a', ['profiles:read', 'wallet:read'], new Date(at.getTime() + 1)],
    ['b', [], new Date(at.getTime() + 2)],
  ]);
});

test('money and instants that were not there before are written and taken away again', async () => {
  const [ownerId] = await orm.em.fork().execute<{ id: number }[]>('select id from users limit 1');
  const invoice = { number: '1000000001', amountMinor: 100_000, currency: 'KZT' as const, status: 'created' as const, idempotencyKey: 'k' };
  const empty = { bankReference: null, late: false, paidAt: null, lastAskedAt: null, nextAskAt: null, asked: 0 };
  const id = await orm.em
    .fork()
    .insert(InvoiceEntity, { ...invoice, ...empty, ownerId: ownerId?.id ?? 0, expiresAt: at, createdAt: at, updatedAt: at });
  const change = async (changes: Partial<Invoice>) => {
    await orm.em.fork().transactional(async (em) => {
      Object.assign((await lockById(em, InvoiceEntity, id)) ?? {}, changes);
    });
    const read = await orm.em.fork().findOneOrFail(InvoiceEntity, id);
    expect(read).toMatchObject(changes);
    expect(await loadById(orm.em.fork(), InvoiceEntity, id)).toEqual({ ...read });
    expect(await loadByUnique(orm.em.fork(), InvoiceEntity, 'number', invoice.number)).toEqual({ ...read });
  };
  await change({ amountMinor: 200_000, paidAt: at, nextAskAt: at, asked: 3, late: true, bankReference: 'R' });
  await change({ paidAt: null, nextAskAt: null, late: false, bankReference: null });
});

test('what is read to be looked at is what the ORM reads', async () => {
  const read = async (entity: EntityName<object>, id: number) => {
    const found = await orm.em.fork().findOneOrFail(entity, id);
    return { found: { ...found }, record: await loadById(orm.em.fork(), entity, id) };
  };
  for (const entity of [ServiceEntity, UserEntity, ApiKeyEntity] as EntityName<object>[]) {
    const { found, record } = await read(entity, 1);
    expect(Object.keys(found).length).toBeGreaterThan(5);
    expect(record).toEqual(found);
  }
  expect(await loadById(orm.em.fork(), ServiceEntity, 404)).toBeNull();
});
