import ExcelJS from 'exceljs';
import { makeIin } from '../../support/identities/iin.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, audit } = await useRegistry();
let year: number;

beforeAll(async () => {
  const clock = await api.browser().get('/sandbox/clock');
  year = Number(clock.body.data.now.slice(0, 4));
});

const list = async (query: Record<string, string> = {}) =>
  administrator.expect(200, await administrator.get(`/admin/athletes?${new URLSearchParams(query)}`)).body;
const idsOf = async (query: Record<string, string>): Promise<number[]> => (await list(query)).data.map(({ id }: { id: number }) => id);

/** Returns the lines of an export without the titles. */
async function exported(query: Record<string, string>): Promise<string[]> {
  const answer = await administrator.get(`/admin/export?${new URLSearchParams({ kind: 'athletes', ...query })}`);
  return administrator.expect(200, answer).bytes.toString().trimEnd().split('\r\n').slice(1);
}

describe.each(['/admin/athletes', '/admin/export?kind=athletes'])('%s', (path) => {
  test('refuses unknown filters, all of them at once', async () => {
    const sign = path.includes('?') ? '&' : '?';
    const answer = await administrator.get(`${path}${sign}status=submitted&certificate=yes&q=&colour=red`);
    expect(wrongFieldsOf(answer)).toEqual(['query.certificate', 'query.colour', 'query.q', 'query.status']);
  });
});

test('the list has certificate, latest application, owner and counters at each step (ADM-2)', async () => {
  const user = await api.user('Мать Ғалыма');
  const data = { last_name: 'Жолбарысов', first_name: 'Ғалым', city: 'Өскемен', phone: '+7 701 555 44 33', iin: '900517300128' };
  const { profileId, documentIds } = await make.athlete(user, { profile: { status: 'approved', data } });
  const row = async () => (await list({ q: 'жолбарыс' })).data[0];
  const none = { issued: false, number: null, valid_from: null, valid_until: null };
  expect(await row()).toEqual({
    id: profileId,
    name: 'Жолбарысов Ғалым',
    status: 'approved',
    photo_status: 'approved',
    city: 'Өскемен',
    phone: '+7 701 555 44 33',
    owner: { id: user.userId, name: 'Мать Ғалыма', email: user.email },
    certificate: none,
    latest_application: null,
    counters: { documents: 2, applications: 0 },
  });
  const standing = async () => {
    const found = await Promise.all(
      ['issued', 'not_issued', 'pending'].map(async (certificate) =>
        (await idsOf({ q: 'жолбарыс', certificate })).length > 0 ? certificate : '',
      ),
    );
    return found.filter(Boolean);
  };
  expect(await standing()).toEqual(['not_issued']);

  const on = { profileId, documentIds };
  const { id } = await make.application(user, { on, status: 'submitted' });
  expect(await standing()).toEqual(['pending']);
  expect(await row()).toMatchObject({ certificate: none, latest_application: { id, service_id: 1, status: 'submitted' } });

  const { amount_minor: amount } = user.expect(200, await user.get(`/applications/${id}`)).body.data;
  await make.money(user, amount);
  user.expect(200, await user.post(`/applications/${id}/pay`));
  const { number, valid_from, valid_until } = await waitFor(
    async () => user.expect(200, await user.get(`/applications/${id}`)).body.data,
    ({ status }) => status === 'approved',
    'the certificate',
  );
  expect(await standing()).toEqual(['issued']);
  expect(await row()).toMatchObject({
    certificate: { issued: true, number, valid_from, valid_until },
    latest_application: { id, status: 'approved' },
    counters: { documents: 2, applications: 1 },
  });
  // ADM-2: by the number of a certificate, also beside other words.
  for (const q of [number, number.toLowerCase(), `${number} жолбарыс`]) expect([q, await idsOf({ q })]).toEqual([q, [profileId]]);
  for (const q of [`${number}9`, `${number} басқа`]) expect([q, await idsOf({ q })]).toEqual([q, []]);

  const accounts = async (q: string) => (await administrator.get(`/admin/users?${new URLSearchParams({ q })}`)).body.data;
  expect(await accounts(`галыма ${number}`)).toMatchObject([{ id: user.userId }]);
  expect(await accounts(`басқа ${number}`)).toEqual([]);

  // An application for a licence becomes the latest and does not change the certificate.
  const licence = await make.application(user, { on, serviceId: 20 });
  expect(await row()).toMatchObject({
    certificate: { issued: true, number },
    latest_application: { id: licence.id, service_id: 20, status: 'draft' },
    counters: { applications: 2 },
  });

  const { revision } = user.expect(200, await user.get(`/applications/${id}`)).body.data;
  const decision = { kind: 'application', id, decision: 'changes', note: 'the photo is another person', revision };
  administrator.expect(200, await administrator.post('/admin/review', decision));
  // A returned certificate keeps its number (APP-21).
  expect(await standing()).toEqual(['issued']);
  expect(await row()).toMatchObject({ certificate: { issued: true, number } });
});

test('finds by name, IIN, phone, city, e-mail and id, in any spelling', async () => {
  const user = await api.user();
  const iin = makeIin('1985-01-01', 'female', 7);
  const data = { last_name: 'Құралбаева', first_name: 'Айсәуле', city: 'Усть-Каменогорск', phone: '8 (702) 111-22-33', iin };
  const profileId = await make.profile(user, { data });
  const words = ['құралбаева', 'КУРАЛБ', 'айсауле кура', 'усть', 'каменогорск айс', '+7 702 111 22 33', '87021112233', '7021112', iin];
  for (const q of [...words, iin.slice(0, 8), user.email, user.email.toUpperCase(), `айс ${user.email}`, String(profileId)])
    expect([q, await idsOf({ q })]).toEqual([q, expect.arrayContaining([profileId])]);
  for (const q of ['ралбаева', '2112233', 'айсауле иванова', '%', "'", ':*', '!', '&', 'x@y'])
    expect([q, await idsOf({ q })]).toEqual([q, []]);
  expect((await list({ q: 'құралбаева', page: '3' })).meta).toEqual({ total: 1, page: 3, limit: 20 });
});

describe('the CSV', () => {
  test('has the attributes of the list, guards against formulas, and is audited (ADM-6)', async () => {
    const user = await api.user('=Owner, "the" owner');
    const data = { last_name: '@Сұм', first_name: '"Қыран", мл.', city: '-Алматы', phone: '+7 705 000 11 22' };
    const { profileId, documentIds } = await make.athlete(user, { profile: { status: 'approved', data } });
    const { id } = await make.application(user, { on: { profileId, documentIds }, status: 'approved' });
    const [issued] = await api.sql<{ number: string; valid_from: string }>(
      'select number, valid_from::text from certificates where application_id = $1',
      [id],
    );
    const answer = administrator.expect(
      200,
      await administrator.get('/admin/export?kind=athletes&q=сұм&status=approved&certificate=issued'),
    );
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toMatch(new RegExp(`^attachment; filename="athletes-${year}-\\d\\d-\\d\\d\\.csv"$`));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.bytes.toString()).toBe(
      '\ufeffid,name,status,photo_status,city,phone,owner_id,owner_name,owner_email,certificate_issued,certificate_number,certificate_valid_from,' +
        'certificate_valid_until,latest_application_id,latest_application_service_id,latest_application_status,documents,applications\r\n' +
        `${profileId},"'@Сұм ""Қыран"", мл.",approved,approved,'-Алматы,'+7 705 000 11 22,${user.userId},"'=Owner, ""the"" owner",${user.email},true,` +
        `${issued?.number},${issued?.valid_from},${year}-12-31,${id},1,approved,2,1\r\n`,
    );
    expect((await audit('export', 'athletes')).at(-1)).toMatchObject({
      action: 'athletes.exported',
      actor_id: administrator.userId,
      data: { count: 1, status: 'approved', certificate: 'issued', is_search: true },
    });
  });

  test('is an XLSX with true columns, or has semicolons (ADM-6)', async () => {
    const user = await api.user();
    const data = { last_name: 'Үтірова', city: '+Тараз', phone: '+7 705 000 11 33', iin: makeIin('1985-01-01', 'female', 9) };
    const { profileId, documentIds } = await make.athlete(user, { profile: { status: 'approved', data } });
    await make.application(user, { on: { profileId, documentIds }, status: 'approved' });
    const answer = administrator.expect(200, await administrator.get('/admin/export?kind=athletes&q=утирова&format=xlsx'));
    expect(answer.headers.get('content-disposition')).toMatch(/\.xlsx"$/);
    const book = new ExcelJS.Workbook();
    await book.xlsx.load(answer.bytes.buffer.slice(answer.bytes.byteOffset, answer.bytes.byteOffset + answer.bytes.length) as ArrayBuffer);
    const sheet = book.worksheets[0];
    const titles = sheet?.getRow(1).values as string[];
    const cell = (title: string) => sheet?.getRow(2).getCell(titles.indexOf(title)).value;
    expect([cell('id'), cell('city'), cell('phone'), cell('certificate_issued'), cell('documents')]).toEqual([
      profileId,
      '+Тараз',
      '+7 705 000 11 33',
      true,
      2,
    ]);
    expect(cell('certificate_valid_until')).toEqual(new Date(`${year}-12-31`));
    const csv = administrator.expect(200, await administrator.get('/admin/export?kind=athletes&q=утирова&delimiter=%3B')).bytes.toString();
    expect(csv).toContain(`${profileId};Үтірова`);
    expect((await administrator.get('/admin/export?kind=athletes&format=ods')).status).toBe(422);
  });

  test('has all rows of the list in its order, over several pages', async () => {
    const user = await api.user();
    await api.sql(
      `insert into profiles (owner_id, kind, name, data, status, created_at, updated_at)
       select $1, 'athlete', 'Толпа ' || n, '{"city": "Семей"}', 'draft', now(), now() from generate_series(1, 1201) n`,
      [user.userId],
    );
    const rows = await exported({ q: 'толпа' });
    const { total } = (await list({ q: 'толпа' })).meta;
    const shown = (
      await Promise.all(Array.from({ length: 13 }, (_, at) => idsOf({ q: 'толпа', limit: '100', page: String(at + 1) })))
    ).flat();
    expect([rows.length, total]).toEqual([1201, 1201]);
    expect(rows.map((row) => Number(row.split(',')[0]))).toEqual(shown);
    expect((await exported({ q: 'толпа', certificate: 'issued' })).length).toBe(0);
  });

  test('exists for athletes only, and does not count as an export of the hour', async () => {
    for (const query of ['', '?kind=users', '?kind=athletes&page=1'])
      expect([query, (await administrator.get(`/admin/export${query}`)).status]).toEqual([query, 422]);
    for (let more = 0; more < 25; more += 1) expect(await exported({ q: 'нет такого' })).toEqual([]);
  });

  test('ends when the client disconnects', async () => {
    await api.sql(
      `insert into profiles (owner_id, kind, name, data, status, created_at, updated_at)
       select $1, 'athlete', 'Беглец ' || repeat('длинный ', 40) || n, '{}', 'draft', now(), now() from generate_series(1, 20000) n`,
      [administrator.userId],
    );
    const reader = new AbortController();
    const response = await fetch(`${api.url}/api/v1/admin/export?kind=athletes&q=беглец`, {
      headers: { cookie: administrator.cookie ?? '' },
      signal: reader.signal,
    });
    await response.body?.getReader().read();
    reader.abort();
    const busy = `select count(*)::int as count from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
    await waitFor(
      () => api.sql<{ count: number }>(busy),
      ([row]) => row?.count === 0,
      'the reading of rows to end',
    );
    expect((await list({ q: 'беглец' })).meta).toEqual({ total: 10_000, page: 1, limit: 20, total_is_capped: true });
  });
});
