import exceljs, { type Worksheet } from 'exceljs';
import sharp from 'sharp';
import { exportsOf } from '../../../src/areas/accounts/index.ts';
import type { ExportList } from '../../../src/areas/national/lists/fitness.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { dayMs } from '../../../src/platform/time/date-time.ts';
import { certificateFixtures, type Issued } from '../../support/factories/certificates.ts';
import { setList } from '../../support/factories/national-lists.ts';
import { decodeQr } from '../../support/papers/decode-qr.ts';
import { readZip } from '../../support/papers/read-zip.ts';
import { makePhoto } from '../../support/papers/scans.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, audit } = await useRegistry();
const other = await api.user('Second');
const person = await api.user('Person');
const issue = certificateFixtures(api.platform);

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

beforeAll(async () => {
  await api.sql(`update users set role = 'administrator' where id = $1`, [other.userId]);
});

const listed = async (list: ExportList, certificates: readonly Issued[], by = administrator) => {
  const ids = certificates.map(({ applicationId }) => applicationId);
  await setList(api.platform, by.userId, list, ids);
  return ids;
};
const exportList = (list: ExportList, ids: readonly number[], by = administrator) =>
  by.post(`/admin/national/lists/${list}/export`, { ids });
const codeOf = (answer: { status: number; body: { error?: { code: string } } }) => [answer.status, answer.body.error?.code];
/** Bytes of the file of a successful export. */
async function download(list: ExportList, ids: readonly number[]) {
  const { data } = administrator.expect(201, await exportList(list, ids)).body;
  return { data, file: administrator.expect(200, await administrator.get(data.file.download_url)) };
}
async function openSheet(bytes: Buffer): Promise<Worksheet> {
  const book = new exceljs.Workbook();
  // The library's types are of an older Node.
  await book.xlsx.load(bytes as never);
  const [sheet] = book.worksheets;
  if (!sheet || book.worksheets.length > 1) throw new Error('there is not one sheet');
  return sheet;
}
const rowsOf = (sheet: Worksheet) =>
  Array.from({ length: sheet.actualRowCount }, (_, row) =>
    Array.from({ length: sheet.actualColumnCount }, (_column, column) => sheet.getCell(row + 1, column + 1).value),
  );
const marksOf = (id: number) =>
  api.sql<{ list: string; is_marked: boolean }>(
    'select list, exported_at is not null as is_marked from national_export_records where application_id = $1 order by export_id',
    [id],
  );
const photoIdOf = async ({ applicationId }: Issued) =>
  (await api.sql<{ id: string }>(`select snapshot->>'photoFileId' as id from certificates where application_id = $1`, [applicationId]))[0]
    ?.id ?? '';
const keyOf = async (fileId: string) =>
  (await api.sql<{ storage_key: string }>('select storage_key from files where id = $1', [fileId]))[0]?.storage_key ?? '';

describe('the insurance list becomes an XLSX', () => {
  test('with ten columns as issued, typed as text and dates (NAT-8)', async () => {
    const first = await issue({
      profile: { data: { middle_name: '=1+1' }, columns: { iin: '900517300128' } },
      data: { insurance_territory: 'CIS' },
    });
    const second = await issue({ profile: { data: { last_name: 'Ким', first_name: 'Анна' } } });
    // A later name is ignored, a later IIN is used.
    await api.sql(`update profiles set name = 'Other', data = data || '{"last_name": "Other"}' where id = $1`, [first.profileId]);
    const ids = await listed('insurance', [second, first]);
    const { data, file } = await download('insurance', ids.toReversed());
    expect(data).toMatchObject({ list: 'insurance', status: 'ready', count: 2, failure: null });
    expect(file.headers.get('content-type')).toBe(xlsx);
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="national-insurance-[\d-]+\.xlsx"$/);

    const sheet = await openSheet(file.bytes);
    const [facts] = await api.sql<{ from: string; until: string; coverage: string }>(
      `select to_char(valid_from, 'DD.MM.YYYY') as from, to_char(valid_until, 'DD.MM.YYYY') as until,
         snapshot->>'insuranceCoverageMinor' as coverage from certificates where application_id = $1`,
      [first.applicationId],
    );
    const born = new Date('1990-05-17T00:00:00Z');
    const coverage = Number(facts?.coverage) / 100;
    const validity = `${facts?.from} – ${facts?.until}`;
    expect(rowsOf(sheet)).toEqual([
      ['Номер', 'Фамилия', 'Имя', 'Отчество', 'Дата рождения', 'ИИН', 'Категория', 'Территория', 'Страховая сумма, тенге', 'Срок действия'],
      [first.number, 'Әбдіқадырұлы', 'Ғалым', '=1+1', born, '900517300128', 'A', 'CIS', coverage, validity],
      [second.number, 'Ким', 'Анна', null, born, null, 'A', 'KZ', expect.any(Number), validity],
    ]);
    expect([sheet.getCell(2, 4).formula, sheet.getCell(2, 6).numFmt, sheet.getCell(2, 9).numFmt]).toEqual([undefined, '@', '#,##0.00']);
  });

  // NAT-6, NAT-10
  test('marks its records, is audited as the requesting administrator, and keeps the file for 30 days', async () => {
    const certificate = await issue();
    const ids = await listed('insurance', [certificate]);
    const answer = administrator.expect(201, await exportList('insurance', ids));
    const { id, file, finished_at: finishedAt } = answer.body.data;
    expect(answer.headers.get('location')).toBe(`/api/v1/admin/national/exports/${id}`);
    expect(await marksOf(certificate.applicationId)).toEqual([{ list: 'insurance', is_marked: true }]);
    const by = { actor_id: administrator.userId, ip: expect.any(String), request_id: answer.body.request_id };
    expect(await audit('national_export', id)).toMatchObject([
      { ...by, action: 'national.export_requested', data: { list: 'insurance', count: 1 } },
      {
        ...by,
        action: 'national.exported',
        data: { list: 'insurance', count: 1, file_id: file.id, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), size: expect.any(Number) },
      },
    ]);
    const show = async () => administrator.expect(200, await administrator.get(`/admin/national/exports/${id}`)).body.data;
    await waitFor(show, ({ process }) => process.status === 'running' && process.waiting_for === 'date', 'the process to wait');
    const shown = await show();
    expect(shown).toMatchObject({ status: 'ready', administrator_id: administrator.userId, file });
    expect(Date.parse(shown.file.kept_until) - Date.parse(finishedAt)).toBe(30 * dayMs);
    // The export does not change the list.
    expect((await api.sql('select 1 from national_list_entries where application_id = $1', ids)).length).toBe(1);
  });
});

describe('the print list becomes a ZIP', () => {
  test('with the sheet, the photo of the issue and the QR of each, under portable names (NAT-9)', async () => {
    const [plain, converted] = [await issue(), await issue({ profile: { data: { last_name: 'Ким' } } })];
    const png = await sharp({ create: { width: 3000, height: 4000, channels: 4, background: { r: 10, g: 200, b: 30, alpha: 0.5 } } })
      .png()
      .toBuffer();
    const { id: pngId } = person.expect(201, await person.upload(png, 'photo', 'photo.png')).body.data;
    await api.sql(
      `update certificates set snapshot = jsonb_set(snapshot::jsonb, '{photoFileId}', to_jsonb($1::text)) where application_id = $2`,
      [pngId, converted.applicationId],
    );
    // A photo changed after the issue is ignored.
    await api.sql(`update profiles set photo_id = null where id = $1`, [plain.profileId]);

    const { data, file } = await download('print', await listed('print', [plain, converted]));
    expect(data).toMatchObject({ list: 'print', status: 'ready', count: 2 });
    expect(file.headers.get('content-type')).toBe('application/zip');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="national-print-[\d-]+\.zip"$/);
    const files = readZip(file.bytes);
    const names = [plain, converted].flatMap(({ number }) => [`foto/${number}.jpg`, `qr/${number}.png`]);
    expect([...files.keys()]).toEqual(['document.xlsx', ...names]);

    const original = administrator.expect(200, await administrator.get(`/files/${await photoIdOf(plain)}`)).bytes;
    expect(files.get(`foto/${plain.number}.jpg`)?.equals(original)).toBe(true);
    const made = await sharp(files.get(`foto/${converted.number}.jpg`)).metadata();
    expect([made.format, made.width, made.height]).toEqual(['jpeg', 1200, 1600]);
    for (const { number, token } of [plain, converted]) {
      const { data: pixels, info } = await sharp(files.get(`qr/${number}.png`))
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      // The QR of the PDF: with the credential.
      const [kept] = await api.sql<{ credential: string | null }>(
        'select credential from credentials join certificates using (application_id) where token = $1',
        [token],
      );
      expect(kept?.credential).toMatch(/^[\w-]{300,}$/);
      expect(decodeQr(new Uint8ClampedArray(pixels), info.width, info.height)?.data).toBe(`${api.url}/v/${token}#${kept?.credential}`);
    }
    const rows = rowsOf(await openSheet(files.get('document.xlsx') ?? Buffer.alloc(0)));
    const titles = 'Номер, Фамилия, Имя, Отчество, Дата рождения, Категория, Дисциплина, Срок действия, Фото, QR';
    expect(rows[0]).toEqual(titles.split(', '));
    expect(rows.slice(1).map((row) => [row[0], row[1], row[8], row[9]])).toEqual([
      [plain.number, 'Әбдіқадырұлы', `foto/${plain.number}.jpg`, `qr/${plain.number}.png`],
      [converted.number, 'Ким', `foto/${converted.number}.jpg`, `qr/${converted.number}.png`],
    ]);
  });

  test('a lost or damaged photo fails the export: each is named, no file, no marks (NAT-9)', async () => {
    const [whole, lost, broken] = [await issue(), await issue(), await issue()];
    await api.platform.storage.delete(await keyOf(await photoIdOf(lost)));
    const another = await makePhoto(77);
    await api.platform.storage.put(await keyOf(await photoIdOf(broken)), another, { contentType: 'image/jpeg', size: another.length });
    const ids = await listed('print', [whole, lost, broken]);
    const answer = await exportList('print', ids);
    expect(codeOf(answer)).toEqual([422, 'export_not_possible']);
    const { records, export_id: id } = answer.body.error.details;
    expect(records).toEqual([
      { id: lost.applicationId, number: lost.number, problems: ['photo_missing'] },
      { id: broken.applicationId, number: broken.number, problems: ['photo_unreadable'] },
    ]);
    const shown = administrator.expect(200, await administrator.get(`/admin/national/exports/${id}`)).body.data;
    expect(shown).toMatchObject({ status: 'failed', file: null, failure: { code: 'export_not_possible', records } });
    expect(await marksOf(whole.applicationId)).toEqual([{ list: 'print', is_marked: false }]);
    expect((await audit('national_export', id)).map(({ action }) => action)).toEqual([
      'national.export_requested',
      'national.export_failed',
    ]);
    expect(
      await api.sql(
        `select 1 from files where purpose = 'national_print' and purged_at is null and created_at > (select requested_at from national_exports where id = $1)`,
        [id],
      ),
    ).toEqual([]);
  });
});

describe('an export is refused', () => {
  test('when a record no longer fits, before any other check (NAT-4)', async () => {
    const [fit, annulled, faceless] = [await issue(), await issue(), await issue()];
    const ids = await listed('print', [fit, annulled, faceless]);
    await api.sql(`update applications set status = 'cancelled' where id = $1`, [annulled.applicationId]);
    await api.sql(`update files set deleted_at = now() where id = $1`, [await photoIdOf(faceless)]);
    const records = [
      { id: annulled.applicationId, number: annulled.number, problems: ['not_approved'] },
      { id: faceless.applicationId, number: faceless.number, problems: ['photo_missing'] },
    ];
    for (const asked of [ids, ids.slice(1)]) {
      const answer = await exportList('print', asked);
      expect(codeOf(answer)).toEqual([422, 'export_not_possible']);
      expect(answer.body.error.details).toEqual({ records });
    }
    expect(await marksOf(fit.applicationId)).toEqual([]);
  });

  test('when the ids differ from the list: fewer, more, another list, unknown (NAT-4)', async () => {
    const [one, two, three] = [await issue(), await issue(), await issue()];
    const ids = await listed('insurance', [one, two]);
    await listed('print', [three]);
    const changed = [
      [one.applicationId],
      [...ids, three.applicationId],
      [one.applicationId, three.applicationId],
      [...ids, 2_000_000_000],
      [three.applicationId],
    ];
    for (const asked of changed) {
      const answer = await exportList('insurance', asked);
      expect([asked, ...codeOf(answer)]).toEqual([asked, 409, 'selection_changed']);
      expect(answer.body.error.details).toEqual({ ids });
    }
    // The list of another administrator differs.
    expect(codeOf(await exportList('insurance', ids, other))).toEqual([409, 'selection_changed']);
    expect((await exportList('insurance', [...ids, ...ids])).status).toBe(201);
  });

  test('when the photos exceed 300 MB in total (NAT-5)', async () => {
    const certificates = [await issue(), await issue()];
    const ids = await listed('print', certificates);
    const limit = 300 * 1024 * 1024;
    for (const certificate of certificates)
      await api.sql(`update files set mime = 'application/zip', size = $1 where id = $2`, [limit / 2 + 1, await photoIdOf(certificate)]);
    const answer = await exportList('print', ids);
    expect(codeOf(answer)).toEqual([422, 'photos_too_large']);
    expect(answer.body.error.details).toEqual({ bytes: limit + 2, limit });
    await listed('insurance', certificates);
    expect((await exportList('insurance', ids)).status).toBe(201);
  });

  test.each([
    ['nothing', {}],
    ['an empty list', { ids: [] }],
    ['more than 200', { ids: Array.from({ length: 201 }, (_, index) => index + 1) }],
    ['what is no id', { ids: ['1'] }],
    ['an unknown field', { ids: [1], list: 'print' }],
  ])('when it names %s', async (_what, body) => {
    expect(codeOf(await administrator.post('/admin/national/lists/print/export', body))).toEqual([422, 'validation_failed']);
  });

  test('after twenty in an hour, failed ones included (NAT-5)', async () => {
    const { key } = exportsOf(api.platform.config, other.userId);
    await databaseOf(api.platform.orm.em.fork())
      .insertInto('attempt_counts')
      .values({ key, count: 998, resetsAt: new Date(Date.now() + 3_600_000) })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ count: 998 }))
      .execute();
    const ids = await listed('insurance', [await issue()], other);
    expect(codeOf(await exportList('print', ids, other))).toEqual([409, 'selection_changed']);
    expect((await exportList('insurance', ids, other)).status).toBe(201);
    const late = await exportList('insurance', ids, other);
    expect(codeOf(late)).toEqual([429, 'rate_limited']);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    // An invalid request is not counted.
    expect(codeOf(await other.post('/admin/national/lists/print/export', {}))).toEqual([422, 'validation_failed']);
  });
});

describe('the file of an export', () => {
  test('is readable only by its owner and by administrators with files:read (NAT-6)', async () => {
    const { data } = await download('insurance', await listed('insurance', [await issue()]));
    const url = data.file.download_url;
    const reader = await administrator.program(['files:read']);
    expect((await reader.get(url)).status).toBe(200);
    expect((await (await other.program(['files:read'])).get(url)).status).toBe(200);
    expect((await other.get(url)).status).toBe(200);
    expect(codeOf(await (await administrator.program(['admin:read', 'admin:write'])).get(url))).toEqual([403, 'insufficient_scope']);
    expect(codeOf(await person.get(url))).toEqual([404, 'not_found']);
    expect(codeOf(await api.browser().get(url))).toEqual([401, 'unauthenticated']);
    const readings = await api.sql<{ actor_id: number }>(
      `select actor_id from audit_events where action = 'file.read' and subject_id = $1`,
      [data.file.id],
    );
    expect(readings.map(({ actor_id: id }) => id)).toEqual([other.userId, other.userId]);
    const own = administrator.expect(200, await administrator.get('/files?purpose=national_insurance&limit=100')).body.data;
    expect(own).toEqual(expect.arrayContaining([expect.objectContaining({ id: data.file.id, mime: xlsx, width: null, pages: null })]));
  });

  test('is closed to an owner who is no longer an administrator', async () => {
    const former = await api.user('Former');
    await api.sql(`update users set role = 'administrator' where id = $1`, [former.userId]);
    const ids = await listed('insurance', [await issue()], former);
    const { data } = former.expect(201, await exportList('insurance', ids, former)).body;
    const key = await former.program(['files:read']);
    former.expect(200, await key.get(data.file.download_url));
    await api.sql(`update users set role = 'user' where id = $1`, [former.userId]);
    for (const client of [former, key]) expect(codeOf(await client.get(data.file.download_url))).toEqual([404, 'not_found']);
  });

  test('does not count towards a quota and cannot be used by a record (NAT-6)', async () => {
    const usage = () =>
      api.sql(
        `select count(*)::int as files from files where owner_id = $1 and purged_at is null and mime not like 'application/zip' and mime not like '%sheet'`,
        [administrator.userId],
      );
    const before = await usage();
    const { data } = await download('insurance', await listed('insurance', [await issue()]));
    expect(await usage()).toEqual(before);
    const profileId = await make.profile(administrator);
    const attached = await administrator.post('/documents', { profile_id: profileId, type: 'medical', file_id: data.file.id });
    expect(attached.body.error.details.fields).toEqual([expect.objectContaining({ path: 'body.file_id', code: 'wrong_file_type' })]);
    // Uploads do not accept this type.
    const bytes = administrator.expect(200, await administrator.get(data.file.download_url)).bytes;
    expect(codeOf(await person.upload(bytes, 'other', 'list.xlsx'))).toEqual([422, 'file_rejected']);
  });

  test('may be deleted by its owner; the marks stay and its process ends (NAT-10)', async () => {
    const certificate = await issue();
    const { data } = await download('insurance', await listed('insurance', [certificate]));
    expect(codeOf(await other.delete(`/files/${data.file.id}`))).toEqual([404, 'not_found']);
    administrator.expect(200, await administrator.delete(`/files/${data.file.id}`));
    const show = async () => administrator.expect(200, await administrator.get(`/admin/national/exports/${data.id}`)).body.data;
    await waitFor(show, ({ process }) => process.status !== 'running', 'the process to end');
    expect(await show()).toMatchObject({ status: 'ready', file: null });
    expect(await marksOf(certificate.applicationId)).toEqual([{ list: 'insurance', is_marked: true }]);
  });
});

test('exports are listed newest first, with a failed one, for all administrators', async () => {
  const { data: first } = await download('insurance', await listed('insurance', [await issue()]));
  const broken = await issue();
  const ids = await listed('print', [broken]);
  await api.platform.storage.delete(await keyOf(await photoIdOf(broken)));
  expect((await exportList('print', ids)).status).toBe(422);
  const { data: last } = await download('insurance', await listed('insurance', [await issue(), await issue()]));
  administrator.expect(200, await administrator.delete(`/files/${first.file.id}`));
  const list = async (query: string) => other.expect(200, await other.get(`/admin/national/exports?${query}`)).body;
  const newest = await list('limit=3');
  expect(newest.data).toMatchObject([
    { id: last.id, list: 'insurance', status: 'ready', count: 2, done: 2, administrator_id: administrator.userId, failure: null },
    { list: 'print', status: 'failed', file: null, failure: 'export_not_possible' },
    { id: first.id, status: 'ready', file: null },
  ]);
  expect(newest.meta).toEqual({ next: first.id });
  expect((await list(`list=insurance&limit=1&after=${last.id}`)).data).toMatchObject([{ id: first.id }]);
  expect(codeOf(await other.get('/admin/national/exports?after=2147483648'))).toEqual([422, 'validation_failed']);
  expect(codeOf(await other.get('/admin/national/exports?list=review&page=1'))).toEqual([422, 'validation_failed']);
  expect(codeOf(await person.get('/admin/national/exports'))).toEqual([403, 'forbidden']);
});

test('concurrent exports of one list make two complete files', async () => {
  const certificate = await issue();
  const ids = await listed('insurance', [certificate]);
  const answers = await Promise.all([exportList('insurance', ids), exportList('insurance', ids)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  const urls = answers.map(({ body }) => body.data.file.download_url);
  expect(new Set(urls).size).toBe(2);
  for (const url of urls) expect(rowsOf(await openSheet((await administrator.get(url)).bytes))).toHaveLength(2);
  expect(await marksOf(certificate.applicationId)).toEqual([
    { list: 'insurance', is_marked: true },
    { list: 'insurance', is_marked: true },
  ]);
});

test.each(['insurance', 'print'] as const)('the template of the %s list has titles and no rows', async (list) => {
  const answer = administrator.expect(200, await administrator.get(`/admin/national/templates/${list}`));
  expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
    xlsx,
    `attachment; filename="national-${list}-template.xlsx"`,
  ]);
  const rows = rowsOf(await openSheet(answer.bytes));
  expect([rows.length, rows[0]?.length, rows[0]?.[0]]).toEqual([1, 10, 'Номер']);
});
