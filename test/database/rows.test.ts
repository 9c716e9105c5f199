import type { EntityName, MikroORM } from '@mikro-orm/postgresql';
import { ApiKeyEntity, UserEntity } from '../../src/areas/accounts/entities.ts';
import { ServiceEntity } from '../../src/areas/catalog/entities.ts';
import { type Invoice, InvoiceEntity } from '../../src/areas/wallet/entities.ts';
import { entities } from '../../src/registry/entities.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { holdUnchanged, lockForChange } from '../../src/platform/database/lock.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { cloneDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let orm: MikroORM;
beforeAll(async () => {
  database = await cloneDatabase();
  // As the owner of the tables, because the service only reads some of them.
  orm = await openRegistry(database.ownerUrl, 2);
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

const at = new Date('2036-07-01T10:20:30.456Z');
const db = () => databaseOf(orm.em.fork());

test('a changed row with texts, JSON, decimals, booleans and instants is read as it was written', async () => {
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
    Object.assign((await lockForChange(em, ServiceEntity, { id: 1 })) ?? {}, changes);
  });
  expect(await orm.em.fork().findOneOrFail(ServiceEntity, 1)).toMatchObject(changes);
  expect(await db().selectFrom('services').selectAll().where('id', '=', 1).executeTakeFirst()).toMatchObject(changes);
});

test('each of several rows gets its own values, including a list and an instant', async () => {
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
  const keys = await db().selectFrom('api_keys').select(['name', 'scopes', 'revokedAt']).orderBy('id').execute();
  expect(keys.map(({ name, scopes, revokedAt }) => [name, scopes, revokedAt])).toEqual([
    ['a', ['profiles:read', 'wallet:read'], new Date(at.getTime() + 1)],
    ['b', [], new Date(at.getTime() + 2)],
  ]);
});

test('money and instants change from null to a value and back', async () => {
  const owner = await db().selectFrom('users').select('id').limit(1).executeTakeFirst();
  const invoice = { number: '1000000001', amountMinor: 100_000, currency: 'KZT' as const, status: 'created' as const, idempotencyKey: 'k' };
  const empty = { bankReference: null, late: false, paidAt: null, lastAskedAt: null, nextAskAt: null, asked: 0 };
  const id = await orm.em
    .fork()
    .insert(InvoiceEntity, { ...invoice, ...empty, ownerId: owner?.id ?? 0, expiresAt: at, createdAt: at, updatedAt: at });
  const change = async (changes: Partial<Invoice>) => {
    await orm.em.fork().transactional(async (em) => {
      Object.assign((await lockForChange(em, InvoiceEntity, { id })) ?? {}, changes);
    });
    const read = await orm.em.fork().findOneOrFail(InvoiceEntity, id);
    expect(read).toMatchObject(changes);
    expect(await db().selectFrom('invoices').selectAll().where('id', '=', id).executeTakeFirst()).toEqual({ ...read });
    expect(await db().selectFrom('invoices').selectAll().where('number', '=', invoice.number).executeTakeFirst()).toEqual({ ...read });
  };
  await change({ amountMinor: 200_000, paidAt: at, nextAskAt: at, asked: 3, late: true, bankReference: 'R' });
  await change({ paidAt: null, nextAskAt: null, late: false, bankReference: null });
});

test('a locked row has the current values, even after an earlier read', async () => {
  await orm.em.fork().transactional(async (em) => {
    const seen = await em.findOneOrFail(UserEntity, { email: 'x@example.kz' });
    await db().updateTable('users').set({ name: 'Another' }).where('id', '=', seen.id).execute();
    expect(await lockForChange(em, UserEntity, { id: seen.id })).toMatchObject({ name: 'Another' });
  });
});

test('assignments to a row locked for reading are not written', async () => {
  await orm.em.fork().transactional(async (em) => {
    const held = await holdUnchanged(em, UserEntity, { email: 'x@example.kz' });
    Object.assign(held ?? {}, { name: 'Changed' });
  });
  expect(await db().selectFrom('users').select('name').where('email', '=', 'x@example.kz').executeTakeFirst()).toEqual({ name: 'Another' });
});

test('what queries read is what the ORM reads', async () => {
  for (const [entity, table] of [
    [ServiceEntity, 'services'],
    [UserEntity, 'users'],
    [ApiKeyEntity, 'api_keys'],
  ] as [EntityName<object>, 'services' | 'users' | 'api_keys'][]) {
    const found = { ...(await orm.em.fork().findOneOrFail(entity, 1)) };
    expect(Object.keys(found).length).toBeGreaterThan(5);
    expect(await db().selectFrom(table).selectAll().where('id', '=', 1).executeTakeFirst()).toEqual(found);
  }
  expect(await db().selectFrom('services').selectAll().where('id', '=', 404).executeTakeFirst()).toBeUndefined();
});

test('every column has the name that typed queries give it', async () => {
  const camelCaseOf = (column: string) => column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  for (const entity of entities)
    for (const { name, fieldNames } of orm.getMetadata().get(entity as EntityName<object>).props)
      expect([name, ...fieldNames.map(camelCaseOf)]).toEqual([name, name]);
});
