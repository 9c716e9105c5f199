import { scopes } from '../../../src/http/access/scopes.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { TestClient } from '../../support/client.ts';
import { fixturesIn } from '../../support/factories.ts';
import { insertExport, insertNational, type NationalRow } from '../../support/factories/national.ts';
import { insertUsers } from '../../support/factories/rows.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** The certificate list and the personal lists; the filters are tested in `test/areas/national/filters.plans.test.ts`. */

const { api, administrator } = await useRegistry();
const db = databaseOf(api.platform.orm.em.fork());
const [colleague, person] = [await api.user(), await api.user()];
const at = new Date('2026-03-05T09:00:00+05:00');

const [ownerId = 0] = await insertUsers(db, 1, at);
/** The owner, for commands. */
const actor = { kind: 'user', userId: ownerId, isAdministrator: false, impersonatedUserId: null } as const;
const owner = { userId: ownerId, caller: { actor, requestId: 'fixture', ip: null } };

beforeAll(async () => {
  // These tests send no decisions, and inserted rows have no processes.
  await api.stopWorkers();
  await api.sql("update users set role = 'administrator' where id = $1", [colleague.userId]);
});
beforeEach(async () => {
  await api.sql('delete from national_list_entries');
});

type List = 'review' | 'insurance' | 'print';
const many = (count: number, row: Partial<NationalRow> = {}) =>
  insertNational(
    db,
    Array.from({ length: count }, () => ({ ownerId, ...row })),
    at,
  );
const idsOf = (made: readonly { id: number }[]) => made.map(({ id }) => id);
async function one(row: Partial<NationalRow> = {}): Promise<number> {
  const [id = 0] = idsOf(await many(1, row));
  return id;
}
const change = (client: TestClient, list: List, body: unknown) => client.post(`/admin/national/lists/${list}`, body);
async function changed(client: TestClient, list: List, body: unknown) {
  return client.expect(200, await change(client, list, body)).body.data;
}
async function listsOf(client: TestClient): Promise<Record<List, number[]>> {
  return client.expect(200, await client.get('/admin/national?limit=1')).body.meta.lists;
}
const auditOf = (requestId: string) =>
  api.sql<{ action: string; subject_id: string; actor_id: number; data: Record<string, unknown> }>(
    'select action, subject_id, actor_id, data from audit_events where request_id = $1 order by id',
    [requestId],
  );

describe('access', () => {
  test('reading needs an administrator with admin:read', async () => {
    expect(await person.get('/admin/national')).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect((await api.browser().get('/admin/national')).status).toBe(401);
    const without = await administrator.program(scopes.filter((scope) => scope !== 'admin:read'));
    expect((await without.get('/admin/national')).body.error.code).toBe('insufficient_scope');
    expect((await (await administrator.program(['admin:read'])).get('/admin/national')).status).toBe(200);
  });

  test.each(['review', 'insurance', 'print'] as const)('changing the list %s needs an administrator with admin:write', async (list) => {
    expect(await change(person, list, { operation: 'clear' })).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    const reader = await administrator.program(['admin:read']);
    expect((await change(reader, list, { operation: 'clear' })).body.error.code).toBe('insufficient_scope');
    const writer = await administrator.program(['admin:write']);
    expect((await change(writer, list, { operation: 'clear' })).status).toBe(200);
  });

  test('an unknown list is not found', async () => {
    expect((await administrator.post('/admin/national/lists/export', { operation: 'clear' })).status).toBe(404);
  });
});

describe('request shape', () => {
  test.each<[string, unknown, string[]]>([
    ['an operation', { ids: [1] }, ['body.operation']],
    ['a known operation', { operation: 'replace', ids: [1] }, ['body.operation']],
    ['ids to add', { operation: 'add' }, ['body.ids']],
    ['ids to remove', { operation: 'remove', ids: [] }, ['body.ids']],
    ['real ids', { operation: 'add', ids: [0, 'x'] }, ['body.ids.0', 'body.ids.1']],
    ['200 ids at the most', { operation: 'add', ids: Array.from({ length: 201 }, (_, index) => index + 1) }, ['body.ids']],
    ['no year to add, and the ids', { operation: 'add', year: 2026 }, ['body.ids', 'body.year']],
    ['nothing to clear', { operation: 'clear', ids: [1], year: 2026 }, ['body.ids', 'body.year']],
    ['the year of what is added by itself, and no ids', { operation: 'auto', ids: [1] }, ['body.ids', 'body.year']],
  ])('%s', async (_, body, paths) => {
    const { status, body: answer } = await change(administrator, 'insurance', body);
    expect([status, answer.error.code]).toEqual([422, 'validation_failed']);
    expect(answer.error.details.fields.map(({ path }: { path: string }) => path).sort()).toEqual(paths);
  });

  test.each([
    'year=26',
    'status=rejected',
    'paid=yes',
    'insurance=exported_once',
    'print=true',
    'service_id=x',
    'limit=101',
    'sort=name',
    'q=',
  ])('a filter makes sense: %s', async (query) => {
    expect(await administrator.get(`/admin/national?${query}`)).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_failed' } },
    });
  });
});

describe('a certificate in the list', () => {
  test('shows what was issued, its owner and its exports', async () => {
    const [made] = await insertNational(db, [{ ownerId, name: 'Жаңа Аты', printedName: 'Бұрынғы Аты', iin: '900517300015' }], at);
    if (made === undefined) throw new Error('nothing was made');
    await insertExport(db, { administratorId: colleague.userId, list: 'insurance', ids: [made.id] }, new Date('2026-03-06T10:00:00+05:00'));
    await insertExport(
      db,
      { administratorId: administrator.userId, list: 'insurance', ids: [made.id] },
      new Date('2026-03-07T10:00:00+05:00'),
    );
    await insertExport(db, { administratorId: administrator.userId, list: 'print', ids: [made.id], isReady: false }, at);
    const { body } = administrator.expect(200, await administrator.get(`/admin/national?q=${made.number}`));
    expect(body.meta).toEqual({ total: 1, page: 1, limit: 20, lists: { review: [], insurance: [], print: [] } });
    expect(body.data).toEqual([
      {
        id: made.id,
        number: made.number,
        name: 'Бұрынғы Аты',
        profile_id: made.profileId,
        service_id: 1,
        service: {
          id: 1,
          code: 'national_certificate_a',
          title: expect.objectContaining({ en: 'National certificate, category A' }),
          category: 'A',
        },
        year: 2026,
        status: 'approved',
        paid: true,
        amount_minor: 865_000,
        insurance_territory: 'KZ',
        insurance_coverage_minor: 216_250_000,
        valid_from: '2026-01-02',
        valid_until: '2026-12-31',
        revision: 1,
        owner: { id: ownerId, name: 'Person 1', email: expect.stringContaining('@example.kz') },
        submitted_at: '2026-03-05T09:00:00+05:00',
        approved_at: '2026-03-05T09:00:00+05:00',
        exports: {
          insurance: [
            { at: '2026-03-06T10:00:00+05:00', actor_id: colleague.userId },
            { at: '2026-03-07T10:00:00+05:00', actor_id: administrator.userId },
          ],
          print: [],
        },
      },
    ]);
    const found = async (query: string) =>
      (await administrator.get(`/admin/national?q=${query}`)).body.data.map(({ id }: { id: number }) => id);
    for (const query of [String(made.id), '900517300015', 'бурынгы', 'ЖАҢА аты', made.number?.toLowerCase(), `${made.number} аты`])
      expect(await found(`${query}`)).toContain(made.id);
    for (const query of ['900517300016', '99999999999', 'урынгы', 'KZ-N-2026-999999', `${made.number} басқа`])
      expect(await found(query)).toEqual([]);
  });

  test('has the name of the profile before it is issued; other services are not listed', async () => {
    const id = await one({ name: 'Тұрар Жоқ', printedName: null, status: 'submitted', payment: 'none' });
    await fixturesIn(api.platform).application(owner, { serviceId: 20 });
    const { body } = administrator.expect(200, await administrator.get('/admin/national?status=submitted&limit=1'));
    expect(body.data).toMatchObject([
      { id, name: 'Тұрар Жоқ', number: null, valid_from: null, paid: false, exports: { insurance: [], print: [] } },
    ]);
    const services = await administrator.get('/admin/national?service_id=20');
    expect(services.body.data).toEqual([]);
  });

  test('is found by the printed and by the corrected name', async () => {
    const [made] = await insertNational(db, [{ ownerId, name: 'Ошибкин Пётр' }], at);
    await api.sql("update profiles set name = 'Верный Пётр' where id = $1", [made?.profileId]);
    for (const name of ['ошибкин', 'верный петр'])
      expect((await administrator.get(`/admin/national?q=${name}`)).body.data).toMatchObject([{ id: made?.id, name: 'Ошибкин Пётр' }]);
  });
});

describe('the personal lists', () => {
  test('take fit records, skip the rest with a reason, and are audited (NAT-2)', async () => {
    const fine = await one();
    const [lost] = await many(1);
    await api.sql('update files set deleted_at = now() where id = $1', [lost?.photoId]);
    const draft = await one({ status: 'draft', payment: 'none', printedName: null });
    const unpaid = await one({ payment: 'none' });
    const cancelled = await one({ status: 'cancelled' });
    const { id: licence } = await fixturesIn(api.platform).application(owner, { serviceId: 20 });
    const unknown = 2_000_000_000;
    const ids = [draft, fine, unpaid, lost?.id, cancelled, licence, unknown, fine];
    const answer = administrator.expect(200, await change(administrator, 'print', { operation: 'add', ids }));
    expect(answer.body.data).toEqual({
      list: 'print',
      ids: [fine],
      added: 1,
      removed: 0,
      skipped: [
        { id: draft, reason: 'not_approved' },
        { id: unpaid, reason: 'not_paid' },
        { id: lost?.id, reason: 'photo_missing' },
        { id: cancelled, reason: 'not_approved' },
        { id: licence, reason: 'wrong_kind' },
        { id: unknown, reason: 'unknown' },
      ],
    });
    expect(await auditOf(answer.body.request_id)).toEqual([
      { action: 'national_list.added', subject_id: 'print', actor_id: administrator.userId, data: { count: 1, ids: [fine] } },
    ]);
    expect((await changed(administrator, 'insurance', { operation: 'add', ids })).ids).toEqual([fine, lost?.id]);
    expect((await changed(administrator, 'review', { operation: 'add', ids })).skipped).toEqual([
      { id: draft, reason: 'not_reviewable' },
      { id: cancelled, reason: 'not_reviewable' },
      { id: licence, reason: 'wrong_kind' },
      { id: unknown, reason: 'unknown' },
    ]);
  });

  test('are separate for each administrator and purpose (NAT-1)', async () => {
    const [first, second] = [await one(), await one()];
    await changed(administrator, 'insurance', { operation: 'add', ids: [first] });
    await changed(administrator, 'print', { operation: 'add', ids: [second] });
    await changed(colleague, 'insurance', { operation: 'add', ids: [second] });
    expect(await listsOf(administrator)).toEqual({ review: [], insurance: [first], print: [second] });
    expect(await listsOf(colleague)).toEqual({ review: [], insurance: [second], print: [] });
    const listed = async (client: TestClient, query: string) =>
      (await client.get(`/admin/national?${query}`)).body.data.map(({ id }: { id: number }) => id);
    expect(await listed(administrator, 'insurance=listed')).toEqual([first]);
    expect(await listed(colleague, 'insurance=listed')).toEqual([second]);
    expect(await listed(colleague, 'insurance=listed&print=listed')).toEqual([]);
    await changed(colleague, 'insurance', { operation: 'clear' });
    expect(await listsOf(administrator)).toEqual({ review: [], insurance: [first], print: [second] });
  });

  test('stay unchanged after a repeat', async () => {
    const ids = idsOf(await many(3));
    const silent = async (body: unknown) => {
      const answer = administrator.expect(200, await change(administrator, 'insurance', body));
      expect(await auditOf(answer.body.request_id)).toEqual([]);
      return answer.body.data;
    };
    expect(await changed(administrator, 'insurance', { operation: 'add', ids })).toMatchObject({ ids, added: 3 });
    expect(await silent({ operation: 'add', ids })).toEqual({ list: 'insurance', ids, added: 0, removed: 0, skipped: [] });
    // An entry stays also when it no longer fits; the export refuses it.
    await api.sql("update applications set status = 'cancelled' where id = $1", [ids[0]]);
    expect(await silent({ operation: 'add', ids })).toMatchObject({ ids, skipped: [] });
    const removed = administrator.expect(200, await change(administrator, 'insurance', { operation: 'remove', ids: [ids[1], 7] })).body;
    expect(removed.data).toMatchObject({ ids: [ids[0], ids[2]], added: 0, removed: 1 });
    expect(await auditOf(removed.request_id)).toMatchObject([{ action: 'national_list.removed', data: { count: 1, ids: [ids[1]] } }]);
    expect(await silent({ operation: 'remove', ids: [ids[1]] })).toMatchObject({ ids: [ids[0], ids[2]], removed: 0 });
    expect(await changed(administrator, 'insurance', { operation: 'clear' })).toMatchObject({ ids: [], removed: 2 });
    expect(await silent({ operation: 'clear' })).toMatchObject({ ids: [], removed: 0 });
  });

  test('hold at most 200 under concurrent additions (NAT-1)', async () => {
    const [mine, more] = [idsOf(await many(150)), idsOf(await many(150))];
    const answers = await Promise.all([mine, more, mine, more].map((ids) => change(administrator, 'insurance', { operation: 'add', ids })));
    for (const answer of answers) administrator.expect(200, answer);
    const outcomes = answers.map(({ body }) => body.data);
    expect(outcomes.reduce((sum, { added }) => sum + added, 0)).toBe(200);
    const held = (await listsOf(administrator)).insurance;
    expect(new Set(held).size).toBe(200);
    const full = outcomes.flatMap(({ skipped }) => skipped);
    expect(new Set(full.map(({ reason }) => reason))).toEqual(new Set(['list_full']));
    expect(new Set(full.map(({ id }) => id))).toEqual(new Set([...mine, ...more].filter((id) => !held.includes(id))));
    // Another list has room.
    expect(await changed(colleague, 'insurance', { operation: 'add', ids: mine })).toMatchObject({ added: 150, skipped: [] });
  });
});

// NAT-3
describe('automatic selection', () => {
  test('adds the oldest of the year that were never exported, up to the free places', async () => {
    const year = 2031;
    const made = idsOf(await many(205, { year }));
    const other = await one({ year: 2032 });
    await one({ year, status: 'submitted', printedName: null });
    await one({ year, payment: 'none' });
    const exported = made.slice(0, 3);
    await insertExport(db, { administratorId: colleague.userId, list: 'insurance', ids: exported }, at);
    // A pending export marks no record.
    await insertExport(db, { administratorId: colleague.userId, list: 'insurance', ids: made.slice(3, 6), isReady: false }, at);
    await changed(administrator, 'insurance', { operation: 'add', ids: [made[204], exported[0]] });
    const answer = administrator.expect(200, await change(administrator, 'insurance', { operation: 'auto', year })).body;
    const filled = made.slice(3, 201);
    expect(answer.data).toMatchObject({ added: 198, removed: 0, skipped: [] });
    expect(answer.data.ids.toSorted((a: number, b: number) => a - b)).toEqual([exported[0], ...filled, made[204]]);
    expect(await auditOf(answer.request_id)).toEqual([
      { action: 'national_list.filled', subject_id: 'insurance', actor_id: administrator.userId, data: { count: 198, ids: filled, year } },
    ]);
    expect(await changed(administrator, 'insurance', { operation: 'auto', year })).toMatchObject({ added: 0 });
    expect(await changed(colleague, 'insurance', { operation: 'auto', year: 2032 })).toMatchObject({ ids: [other] });
    // Exports of another list do not count, and a record without its photo is skipped.
    await api.sql(
      "update files set deleted_at = now() where id = (select (snapshot->>'photoFileId')::uuid from certificates where application_id = $1)",
      [made[0]],
    );
    expect((await changed(administrator, 'print', { operation: 'auto', year })).ids).toEqual(made.slice(1, 201));
  });

  test('adds submitted applications for the review', async () => {
    const year = 2033;
    const waiting = idsOf(await many(2, { year, status: 'submitted', payment: 'none', printedName: null }));
    for (const status of ['draft', 'changes', 'approved', 'cancelled'] as const) await one({ year, status });
    expect((await changed(administrator, 'review', { operation: 'auto', year })).ids).toEqual(waiting);
  });
});
