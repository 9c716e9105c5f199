import ExcelJS from 'exceljs';
import { mostExported } from '../../../src/areas/administration/audit/export-audit.ts';
import { wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator, audit } = await useRegistry();

const titles =
  'id,category,at,action,actor_id,actor_name,impersonated_user_id,impersonated_user_name,subject_kind,subject_id,ip,request_id,data';

async function exported(query: Record<string, string>): Promise<string[]> {
  const answer = await administrator.get(`/admin/audit/export?${new URLSearchParams(query)}`);
  return administrator.expect(200, answer).bytes.toString().trimEnd().split('\r\n');
}

async function insertEvents(count: number, action: string, columns: { actorId?: number; impersonatedUserId?: number } = {}): Promise<void> {
  await api.sql(
    `insert into audit_events (action, actor_id, impersonated_user_id, subject_kind, subject_id, ip, request_id, at, data)
     select $2, $3, $4, 'document', n, '192.0.2.1', 'exported-' || n, timestamptz '2026-01-01 09:00+05' + n / 3 * interval '1.0000007 seconds', '{"changed": ["number"]}'
     from generate_series(1, $1::int) n`,
    [count, action, columns.actorId ?? null, columns.impersonatedUserId ?? null],
  );
}

describe.each(['/admin/audit', '/admin/audit/export'])('%s', (path) => {
  test('refuses unknown filters, all of them at once, and callers without admin:read', async () => {
    const answer = await administrator.get(`${path}?category=all&subject=x/y/z&colour=red`);
    expect(wrongFieldsOf(answer)).toEqual(['query.category', 'query.colour', 'query.subject']);
    const person = await api.user();
    const program = await administrator.program(['admin:write']);
    expect([(await person.get(path)).status, (await program.get(path)).status]).toEqual([403, 403]);
  });
});

test('the list names both accounts, also by their present names (AUD-3)', async () => {
  const person = await api.user('Әлия Қасымова');
  await insertEvents(1, 'names.test', { actorId: administrator.userId, impersonatedUserId: person.userId });
  await insertEvents(1, 'names.test');
  const { data } = administrator.expect(200, await administrator.get('/admin/audit?action=names.test')).body;
  const [actor] = await api.sql<{ name: string }>('select name from users where id = $1', [administrator.userId]);
  expect(data).toMatchObject([
    { actor_id: null, actor_name: null, impersonated_user_id: null, impersonated_user_name: null },
    {
      actor_id: administrator.userId,
      actor_name: actor?.name,
      impersonated_user_id: person.userId,
      impersonated_user_name: 'Әлия Қасымова',
    },
  ]);
});

describe('the file of the audit', () => {
  test('has the attributes of the list as a CSV, and is audited with its filter and number of rows (ADM-8)', async () => {
    const person = await api.user('=Қыран');
    await insertEvents(1, 'file.test', { actorId: administrator.userId, impersonatedUserId: person.userId });
    const [actor] = await api.sql<{ name: string }>('select name from users where id = $1', [administrator.userId]);
    const [event] = await api.sql<{ id: number }>(`select id from audit_events where action = 'file.test'`);
    const query = { action: 'file.test', subject: 'document', category: 'action', from: '2026-01-01', to: '2026-01-01' };
    const answer = administrator.expect(200, await administrator.get(`/admin/audit/export?${new URLSearchParams(query)}`));
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.bytes.toString()).toBe(
      `\ufeff${titles}\r\n${event?.id},action,2026-01-01T09:00:00+05:00,file.test,${administrator.userId},${actor?.name},` +
        `${person.userId},'=Қыран,document,1,192.0.2.1,exported-1,"{""changed"":[""number""]}"\r\n`,
    );
    expect((await audit('export', 'audit')).at(-1)).toMatchObject({
      action: 'audit.exported',
      actor_id: administrator.userId,
      data: {
        count: 1,
        action: 'file.test',
        subject: 'document',
        category: 'action',
        from: '2025-12-31T19:00:00.000Z',
        to: '2026-01-01T19:00:00.000Z',
      },
    });
  });

  test('is an XLSX, or has semicolons (ADM-8)', async () => {
    await insertEvents(1, 'sheet.test', { actorId: administrator.userId });
    const answer = administrator.expect(200, await administrator.get('/admin/audit/export?action=sheet.test&format=xlsx'));
    expect(answer.headers.get('content-disposition')).toMatch(/\.xlsx"$/);
    const book = new ExcelJS.Workbook();
    await book.xlsx.load(answer.bytes.buffer.slice(answer.bytes.byteOffset, answer.bytes.byteOffset + answer.bytes.length) as ArrayBuffer);
    const [first, second] = [1, 2].map((row) => book.worksheets[0]?.getRow(row).values as unknown[]);
    expect(first?.slice(1).join(',')).toBe(titles);
    expect([second?.[4], second?.[5], second?.[13]]).toEqual(['sheet.test', administrator.userId, '{"changed":["number"]}']);
    expect((await exported({ action: 'sheet.test', delimiter: ';' }))[1]).toContain(';action;2026-01-01T09:00:00+05:00;sheet.test;');
    expect((await administrator.get('/admin/audit/export?format=ods')).status).toBe(422);
  });

  test('has all events in the order of the list, over several pages, of both categories', async () => {
    await insertEvents(1101, 'pages.test');
    await api.sql(
      `insert into security_events (action, subject_kind, subject_id, request_id, at, data, count, fingerprint)
       select 'pages.test', 'user', id, 'x', at, '{}', 1, 'pages' || id from audit_events where action = 'pages.test' and id % 2 = 0`,
    );
    const [, ...rows] = await exported({ action: 'pages.test' });
    const total = await api.sql<{ n: number }>(`select count(*)::int as n from security_events where action = 'pages.test'`);
    expect(rows).toHaveLength(1101 + (total[0]?.n ?? 0));
    const listed: string[] = [];
    for (let page = 1; page <= 17; page += 1) {
      const { data } = administrator.expect(200, await administrator.get(`/admin/audit?action=pages.test&limit=100&page=${page}`)).body;
      for (const { id, category } of data) listed.push(`${id},${category}`);
    }
    expect(rows.map((row) => row.split(',', 2).join())).toEqual(listed);
  });

  test('does not contain its own row, and refuses too many events (ADM-8)', async () => {
    await exported({ action: 'audit.exported' });
    const [, ...rows] = await exported({ action: 'audit.exported' });
    expect(rows).toHaveLength((await audit('export', 'audit')).length - 1);
    await api.sql(
      `insert into audit_events (action, subject_kind, subject_id, request_id, at, data)
       select 'many.test', 'document', n, 'many', timestamptz '2026-01-01', '{}' from generate_series(1, ${mostExported + 1}) n`,
    );
    const answer = await administrator.get('/admin/audit/export?action=many.test');
    expect([answer.status, answer.body.error.details.fields[0].code]).toEqual([422, 'too_many']);
    expect((await audit('export', 'audit')).at(-1)).not.toMatchObject({ data: { action: 'many.test' } });
  });
});
