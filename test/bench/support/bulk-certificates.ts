import { withDatabase } from './bench-stack.ts';

/**
 * Fills a database with paid, approved applications and valid certificates, each with an owner, a profile and a document of its own. Skips
 * the constraint triggers, which take minutes for a million rows. Nothing is due before the end of the year, and no process runs.
 *
 * @param tokens how many tokens to return, spread over all certificates
 * @param documentsExpireAt last day of the documents; a document without one needs no process
 */
export async function insertCertificates(
  databaseUrl: string,
  count: number,
  tokens: number,
  documentsExpireAt: string | null = '2034-01-10',
): Promise<string[]> {
  return withDatabase(databaseUrl, async (owner) => {
    await owner.query("set session_replication_role = 'replica'");
    await owner.query('set synchronous_commit = off');
    for (const sql of statements(documentsExpireAt)) await owner.query(sql, [count]);
    // Vacuum marks a page as visible to all only when its changes are on disk; without the mark, an index-only scan reads the table too.
    await owner.query('checkpoint');
    for (const table of ['users', 'profiles', 'files', 'documents', 'applications', 'application_documents', 'certificates'])
      await owner.query(`vacuum analyze ${table}`);
    await owner.query('checkpoint');
    const { rows } = await owner.query<{ token: string }>(
      'select token from certificates where application_id % greatest(1, $1::int / nullif($2::int, 0)) = 0 order by md5(token) limit $2',
      [count, tokens],
    );
    return rows.map(({ token }) => token);
  });
}

const year = `extract(year from now() at time zone interval '5 hours')::int`;
const yearEnd = `make_timestamptz(${year} + 1, 1, 1, 0, 0, 0, '+05:00')`;
const statements = (documentsExpireAt: string | null) => [
  `insert into users (id, email, password_hash, name, role, status, created_at, updated_at)
   select n, 'bulk-' || n || '@example.kz', 'not a password hash', 'Person ' || n, 'user', 'active', now(), now() from generate_series(1, $1::int) n
   on conflict do nothing`,
  `insert into files (id, owner_id, purpose, name, mime, size, sha256, storage_key, created_at)
   select '00000000-0000-4000-8000-000000000001', 1, 'photo', 'photo.jpg', 'image/jpeg', 1000, repeat('0', 64), 'bulk/photo', now() where $1::int > 0`,
  `insert into profiles (id, owner_id, kind, name, data, photo_id, status, photo_status, ever_approved, created_at, updated_at)
   select n, n, 'athlete', 'Person ' || n, '{}', '00000000-0000-4000-8000-000000000001', 'approved', 'approved', true, now(), now()
   from generate_series(1, $1::int) n`,
  `insert into documents (id, profile_id, type, file_id, expires_at, status, decided_at, created_at, updated_at)
   select n, n, 'medical', '00000000-0000-4000-8000-000000000001', ${documentsExpireAt === null ? 'null' : `'${documentsExpireAt}'`}, 'approved', now(), now(), now() from generate_series(1, $1::int) n`,
  `insert into applications (id, owner_id, profile_id, service_id, kind, year, data, status, amount_minor, breakdown, paid, paid_at,
     payment_transaction_id, submitted_at, approved_at, due_at, created_at, updated_at)
   select n, n, n, 1, 'national_certificate', ${year}, '{"insurance_territory":"KZ"}', 'approved', 865000, '[]', true, now(), n, now(), now(), ${yearEnd}, now(), now()
   from generate_series(1, $1::int) n`,
  'insert into application_documents (application_id, document_id) select n, n from generate_series(1, $1::int) n',
  `insert into certificates (application_id, number, series, year, sequence, token, valid_from, valid_until, snapshot, issued_at)
   select n, 'KZ-N-' || ${year} || '-' || lpad(n::text, 7, '0'), 'N', ${year}, n,
     translate(substr(encode(sha256(('token ' || n)::bytea), 'base64'), 1, 43), '+/', '-_'),
     (now() at time zone interval '5 hours')::date, (${year} || '-12-31')::date, '{}', now() from generate_series(1, $1::int) n`,
  // Rows that the API creates later get ids after these.
  ...['users', 'profiles', 'documents', 'applications'].map(
    (table) => `select setval(pg_get_serial_sequence('${table}', 'id'), greatest($1::int, (select max(id) from ${table})))`,
  ),
];
