import { databaseOf } from '../../../src/platform/database/database.ts';
import { approve, fixturesByRequests } from '../../support/factories.ts';
import { insertNational } from '../../support/factories/national.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator } = await useRegistry();
const make = fixturesByRequests(api);
const db = databaseOf(api.platform.orm.em.fork());

interface Item {
  kind: string;
  id: number;
  status: string;
  title: string;
  waiting_since: string;
  owner_id: number | null;
  flags: string[];
  updated_at: string | null;
}

async function queue(query = ''): Promise<{ data: Item[]; meta: { total: number; page: number; limit: number } }> {
  return administrator.expect(200, await administrator.get(`/admin/queue${query}`)).body;
}

test.each(['/admin/queue', '/admin/audit'])('%s refuses wrong parameters, all of them at once', async (path) => {
  expect((await administrator.get(`${path}?limit=101&colour=red`)).body.error.details.fields).toHaveLength(2);
});

describe('GET /admin/queue', () => {
  test('shows waiting records, oldest first, until they are decided (REV-3)', async () => {
    const user = await api.user();
    const profileId = await make.profile(user);
    const documentId = await make.document(user, profileId);
    user.expect(200, await user.post(`/profiles/${profileId}/submit`));
    const mine = (await queue(`?q=${encodeURIComponent(user.email)}`)).data;
    expect(mine.map(({ kind, id, status }) => [kind, id, status])).toEqual([
      ['document', documentId, 'pending'],
      ['photo', profileId, 'pending'],
      ['profile', profileId, 'pending'],
    ]);
    expect(mine.map(({ owner_id }) => owner_id)).toEqual([user.userId, user.userId, user.userId]);
    expect(mine.map(({ waiting_since }) => waiting_since)).toEqual(mine.map(({ waiting_since }) => waiting_since).toSorted());

    await approve(administrator, 'profile', profileId);
    administrator.expect(
      200,
      await administrator.post('/admin/review', { kind: 'document', id: documentId, decision: 'changes', note: 'the stamp is missing' }),
    );
    expect((await queue(`?q=${encodeURIComponent(user.email)}`)).data.map(({ kind }) => kind)).toEqual(['photo']);
    for (const status of ['changes', 'rejected']) {
      expect((await queue(`?status=${status}&q=${encodeURIComponent(user.email)}`)).data).toMatchObject([
        { kind: 'document', id: documentId, status: 'changes' },
      ]);
    }
  });

  test('keeps a record in its place until it is decided, whatever else changes (REV-3)', async () => {
    const [user, target] = [await api.user(), await api.user()];
    const profileId = await make.profile(user);
    const documentId = await make.document(user, profileId);
    user.expect(200, await user.post(`/profiles/${profileId}/submit`));
    const places = async (email: string) => {
      const { data } = await queue(`?q=${encodeURIComponent(email)}`);
      return Object.fromEntries(data.map(({ kind, waiting_since }) => [kind, waiting_since]));
    };
    const before = await places(user.email);
    expect(Object.keys(before).toSorted()).toEqual(['document', 'photo', 'profile']);

    // A waiting document and a waiting photo that the owner exchanges wait on.
    const [photo, scan] = [await make.file(user, 'photo'), await make.file(user, 'scan', 'a better scan')];
    user.expect(200, await user.patch(`/profiles/${profileId}`, { photo_id: photo }));
    user.expect(200, await user.patch(`/documents/${documentId}`, { file_id: scan }));
    for (const [kind, id, body] of [
      ['profile', profileId, { data: { city: 'Шымкент' } }],
      ['document', documentId, { number: 'N 77' }],
    ] as const) {
      const path = kind === 'profile' ? `/profiles/${id}` : `/documents/${id}`;
      const { updated_at } = administrator.expect(200, await administrator.get(path)).body.data;
      administrator.expect(200, await administrator.patch(`/admin/records/${kind}/${id}`, { ...body, updated_at }));
    }
    expect(await places(user.email)).toEqual(before);
    administrator.expect(
      200,
      await administrator.put(`/admin/profiles/${profileId}/owner`, {
        current_user_id: user.userId,
        target_user_id: target.userId,
        reason: 'The parent has another account',
        password: administrator.password,
      }),
    );
    expect(await places(target.email)).toEqual(before);

    // The photo of approved data waits by itself; the data does not join the queue again.
    await approve(administrator, 'profile', profileId);
    await approve(administrator, 'photo', profileId);
    const another = await make.file(target, 'photo');
    target.expect(200, await target.patch(`/profiles/${profileId}`, { photo_id: another }));
    const after = await places(target.email);
    expect(Object.keys(after).toSorted()).toEqual(['document', 'photo']);
    expect([after['document'], (after['photo'] ?? '') > (before['photo'] ?? '')]).toEqual([before['document'], true]);
    const { updated_at } = (await target.get(`/profiles/${profileId}`)).body.data;
    const rows = (await queue(`?q=${encodeURIComponent(target.email)}`)).data;
    expect(rows.find(({ kind }) => kind === 'photo')?.updated_at).toBe(updated_at);
  });

  test('filters by kind, part of a name or id, and pages', async () => {
    const user = await api.user();
    const profileId = await make.profile(user, { data: { last_name: 'Сұлтанбекұлы' } });
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push(await make.document(user, profileId, { type: 'consent' }));
    const q = encodeURIComponent('сұлтанбек');
    const all = await queue(`?kind=document&q=${q}`);
    expect(all.data.map(({ id }) => id)).toEqual(ids);
    expect(all.data[0]).toMatchObject({ type: 'consent', subject: expect.stringMatching(/^Сұлтанбекұлы/) });
    const second = await queue(`?kind=document&q=${q}&limit=2&page=2`);
    expect(second.data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(second.meta).toEqual({ total: 3, page: 2, limit: 2 });
    expect((await queue(`?kind=document&q=${q}&page=9`)).meta.total).toBe(3);
    expect((await queue(`?kind=document&q=${ids[1]}`)).data.map(({ id }) => id)).toContain(ids[1]);
    expect((await queue(`?kind=incident&status=pending`)).data).toEqual([]);
  });

  test('lists what has waited since before an instant or a day (REV-3)', async () => {
    const user = await api.user();
    const profileId = await make.profile(user);
    const [earlier, later] = [await make.document(user, profileId), await make.document(user, profileId)];
    const setSince = (id: number, at: string) => api.sql('update documents set status_since = $2 where id = $1', [id, at]);
    await setSince(earlier, '2026-01-09T23:59:59+05:00');
    await setSince(later, '2026-01-10T12:00:00+05:00');
    const before = (text: string) => queue(`?q=${encodeURIComponent(user.email)}&waiting_before=${encodeURIComponent(text)}`);
    for (const [text, ids] of [
      ['2026-01-09', []],
      ['2026-01-10', [earlier]],
      ['2026-01-10T12:00:00+05:00', [earlier]],
      ['2026-01-10T07:00:01Z', [earlier, later]],
      ['2026-01-11', [earlier, later]],
    ] as const) {
      const { data, meta } = await before(text);
      expect([text, data.map(({ id }) => id), meta.total]).toEqual([text, ids, ids.length]);
    }
    await approve(administrator, 'document', earlier);
    expect((await before('2026-01-11')).data.map(({ id }) => id)).toEqual([later]);
    for (const text of ['yesterday', '0000-01-01', '2026-02-30'])
      expect((await administrator.get(`/admin/queue?waiting_before=${text}`)).status).toBe(422);
  });

  test('finds words in any order, folded, and by the number of a certificate (REV-3)', async () => {
    const user = await api.user();
    const iin = '750101300123';
    const [made] = await insertNational(db, [{ ownerId: user.userId, name: 'Қасымова Ёлка Үмітқызы' }], new Date());
    await api.sql("update profiles set status = 'pending', iin = $2 where id = $1", [made?.profileId, iin]);
    const number = made?.number ?? '';
    for (const q of [
      'касымова',
      'елка касым',
      'ЁЛКА ҚАСЫМОВА'.normalize('NFD'),
      'умит, касы',
      number,
      `${number.toLowerCase()} елка`,
      `касым ${iin}`,
    ])
      expect([q, (await queue(`?kind=profile&q=${encodeURIComponent(q)}`)).data.map(({ id }) => id)]).toEqual([q, [made?.profileId]]);
    for (const q of ['касымова иванова', 'KZ-N-2026-999999', '_асымова', ', ,'])
      expect([q, (await queue(`?kind=profile&q=${encodeURIComponent(q)}`)).data]).toEqual([q, []]);
  });

  test('has messages of the contact form, incidents of money and two profiles of one IIN too (REV-3, ACC-16)', async () => {
    const visitor = api.browser();
    await visitor.session();
    visitor.expect(
      201,
      await visitor.post('/contact', {
        name: 'Visitor',
        email: 'visitor@example.kz',
        message: 'When does the season start?',
        ...(await visitor.captcha('contact')),
      }),
    );
    expect((await queue('?kind=contact_message&status=new&q=visitor@example.kz')).data).toMatchObject([
      { kind: 'contact_message', status: 'new', title: 'Visitor', owner_id: null },
    ]);

    await api.sql(
      `insert into incidents (kind, subject_kind, subject_id, details, at)
       values ('late_payment', 'invoice', '77', '{"number": "700077"}', now()), ('mail_undeliverable', 'user', $1, '{}', now() + interval '1 s')`,
      [String(administrator.userId)],
    );
    expect((await queue('?kind=incident')).data).toMatchObject([
      { status: 'unresolved', title: 'late_payment: invoice 77', type: 'late_payment', subject: '700077' },
      { type: 'mail_undeliverable', subject: 'Administrator' },
    ]);
    expect((await queue('?kind=incident&q=700077')).data).toMatchObject([{ subject: '700077' }]);
    expect((await queue('?kind=incident&q=administrator')).data).toMatchObject([{ subject: 'Administrator' }]);
    await api.sql('update incidents set resolved_at = now()');
    expect((await queue('?kind=incident')).data).toEqual([]);

    const people = [await api.user(), await api.user()];
    for (const person of people) await make.profile(person, { status: 'pending', data: { iin: '900517300128' } });
    const found = (await queue('?kind=profile&q=900517300128')).data;
    expect(found).toHaveLength(2);
    expect(found.every(({ flags }) => flags.includes('duplicate_iin'))).toBe(true);
  });
});

describe('GET /admin/audit', () => {
  test('finds by actor, action, subject, request and time, newest first', async () => {
    const user = await api.user();
    const profileId = await make.profile(user);
    const id = await make.document(user, profileId);
    await approve(administrator, 'document', id);
    const find = async (query: string) => administrator.expect(200, await administrator.get(`/admin/audit?${query}`)).body;

    const ofDocument = await find(`subject=document/${id}`);
    expect(ofDocument.data.map(({ action }: { action: string }) => action)).toEqual(['document.approved', 'document.created']);
    expect(ofDocument.meta).toEqual({ total: 2, page: 1, limit: 20 });
    const [approved, created] = ofDocument.data;
    expect(created).toMatchObject({ actor_id: user.userId, impersonated_user_id: null, subject: { kind: 'document', id: String(id) } });
    expect((await find(`request_id=${approved.request_id}&actor_id=${administrator.userId}`)).data).toEqual([approved]);
    expect((await find(`action=document.created&subject=document&actor_id=${user.userId}`)).data).toEqual([created]);
    const day = created.at.slice(0, 10);
    expect((await find(`subject=document/${id}&from=${day}&to=${day}`)).meta.total).toBe(2);
    expect((await find(`subject=document/${id}&from=2020-01-01&to=2020-12-31`)).meta.total).toBe(0);
    for (const span of ['from=yesterday', 'from=0000-01-01', 'to=0000-01-01T00:00:00Z', 'to=9999-12-31'])
      expect((await administrator.get(`/admin/audit?${span}`)).status).toBe(422);
    expect((await administrator.get(`/admin/audit?subject=${encodeURIComponent('document/?/1')}`)).status).toBe(422);
  });
});
