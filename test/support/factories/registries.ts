import { Client } from 'pg';
import { countedTotals } from '../invariants.ts';

/**
 * Fills a database with so many athletes as a registry would hold them after years: accounts (three for five athletes), two documents and
 * three applications for each, with certificates, the money that was paid, the audit, and what waits for administrators. A tenth of the
 * athletes has the status `cancelled`, and every account has written to the federation. Written set by set and without the triggers of the
 * tables, which would take minutes. No process is started and nothing is due before the year ends. An account, that of an administrator,
 * must be there.
 */
export async function insertRegistry(databaseUrl: string, athletes: number): Promise<void> {
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    await owner.query("set session_replication_role = 'replica'");
    await owner.query('set synchronous_commit = off');
    for (const sql of statements) await owner.query(sql, [athletes]);
    // As the triggers of the totals would have kept them.
    await owner.query('truncate tallies, tally_changes');
    await owner.query(`insert into tallies (name, key, n) ${countedTotals}`);
    for (const table of ['users', 'profiles', 'documents', 'applications', 'ledger_transactions', 'conversations', 'messages'])
      await owner.query(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
    // Vacuum marks a page as visible to all only when what wrote it is on the disk; without the marks, scans of an index read the table
    // too.
    await owner.query('checkpoint');
    await owner.query('vacuum analyze');
    await owner.query('checkpoint');
  } finally {
    await owner.end();
  }
}

const year = `extract(year from now() at time zone interval '5 hours')::int`;
/** Ids of accounts begin behind those that are there. */
const firstUser = 100;
const users = `ceil($1::int * 0.6)::int`;
const ownerOf = `${firstUser} + n % ${users}`;
const people = `(
  select n,
    (array['Серікбаев', 'Әбдіқадырұлы', 'Иванов', 'Қасымова', 'Ким', 'Жұмағұлов', 'Өтегенова', 'Петренко', 'Нұрланқызы', 'Сағындық'])[1 + n % 10] as last_name,
    (array['Ғалым', 'Айгүл', 'Сергей', 'Мария', 'Ұлан', 'Ержан', 'Виктор', 'Гүлнәр', 'Ісмет', 'Данияр', 'Олжас'])[1 + n % 11] as first_name,
    case when n % 1000 = 7 then 'Редкостнович' else 'Маратұлы' end as middle_name,
    (array['Алматы', 'Астана', 'Шымкент', 'Өскемен', 'Қарағанды', 'Ақтөбе', 'Тараз'])[1 + n % 7] as city,
    case when n % 10 = 0 then 'cancelled' when n % 50 = 2 then 'pending' when n % 50 = 4 then 'changes' when n % 20 = 1 then 'draft' else 'approved' end as status
  from generate_series(1, $1::int) n
)`;

/** Applications of one kind of each athlete: which id, service, kind of service and year it has and how it stands. */
function insertApplications(given: { id: string; service: string; kind: string; year: string; status: string }): string {
  return `
    insert into applications (id, owner_id, profile_id, service_id, kind, year, data, status, amount_minor, breakdown, paid, paid_at,
      payment_transaction_id, submitted_at, approved_at, due_at, created_at, updated_at)
    select id, ${ownerOf}, n, service_id, kind, year, '{"insurance_territory":"KZ"}', status, 865000, '[]', paid, case when paid then made end,
      case when paid then id end, case when status <> 'draft' then made end, case when status in ('approved', 'closed') then made end,
      case when status in ('approved', 'submitted', 'changes', 'draft') then make_timestamptz(year + 1, 1, 1, 0, 0, 0, '+05:00') end, made, made
    from generate_series(1, $1::int) n,
      lateral (select ${given.id} as id, ${given.service} as service_id, ${given.kind} as kind, ${given.year} as year, ${given.status} as status) a,
      lateral (select status in ('approved', 'closed') or (status in ('submitted', 'changes') and n % 2 = 0) as paid,
        least(now(), make_timestamptz(year, 1, 10, 9, 0, 0, '+05:00') + n * interval '200 days' / $1::int) as made) p`;
}

const statements = [
  `insert into users (id, email, password_hash, name, phone, role, status, created_at, updated_at)
   select ${firstUser} - 1 + n, 'person-' || n || '@' || (array['mail.example', 'club.example', 'kz.example'])[1 + n % 3], 'not a password hash',
     'Person ' || n, '+7 705 ' || lpad((n % 10000000)::text, 7, '0'), 'user', case when n % 200 = 0 then 'blocked' else 'active' end,
     now() - n * interval '1 minute', now() from generate_series(1, ${users} + 1) n`,
  `insert into files (id, owner_id, purpose, name, mime, size, sha256, storage_key, created_at)
   select '00000000-0000-4000-8000-000000000001', ${firstUser}, 'photo', 'photo.jpg', 'image/jpeg', 1000, repeat('0', 64), 'registry/photo', now() where $1::int > 0`,
  `insert into profiles (id, owner_id, kind, name, data, iin, photo_id, status, photo_status, ever_approved, submitted_at, created_at, updated_at)
   select n, ${ownerOf}, 'athlete', concat_ws(' ', last_name, first_name, middle_name),
     jsonb_build_object('last_name', last_name, 'first_name', first_name, 'middle_name', middle_name, 'birth_date', '1990-05-17', 'gender', 'male',
       'citizenship', 'KZ', 'iin', lpad((900000000000 + n)::text, 12, '0'), 'phone', '+7 701 ' || lpad((n % 10000000)::text, 7, '0'), 'city', city),
     lpad((900000000000 + n)::text, 12, '0'), '00000000-0000-4000-8000-000000000001', status, case when n % 50 = 3 then 'pending' else status end,
     status = 'approved', case when status <> 'draft' then at end, at, at
   from ${people} people, lateral (select now() - n * interval '1 minute' as at) made`,
  `insert into documents (id, profile_id, type, file_id, number, country, issued_at, expires_at, status, decided_at, created_at, updated_at)
   select 2 * n - part, n, (array['medical', 'identity'])[1 + part], '00000000-0000-4000-8000-000000000001', 'N' || n, 'KZ', '2024-01-10', '2034-01-10',
     status, case when status <> 'pending' then at end, at, at
   from generate_series(1, $1::int) n, generate_series(0, 1) part,
     lateral (select case when part = 0 and n % 25 = 3 then 'pending' when part = 0 and n % 50 = 5 then 'changes' else 'approved' end as status,
       now() - n * interval '1 minute' as at) made`,
  // Of the last year, ended.
  insertApplications({ id: '3 * n - 2', service: '1 + n % 3', kind: `'national_certificate'`, year: `${year} - 1`, status: `'closed'` }),
  // Of this year, in all statuses.
  insertApplications({
    id: '3 * n - 1',
    service: '1 + n % 3',
    kind: `'national_certificate'`,
    year,
    status: `case when n % 20 < 12 then 'approved' when n % 20 < 14 then 'submitted' when n % 20 < 16 then 'changes' when n % 20 < 17 then 'cancelled' else 'draft' end`,
  }),
  // Licences of this year, some of which wait; older papers and certificates.
  insertApplications({
    id: '3 * n',
    service: '(array[10, 20, 1])[1 + n % 3]',
    kind: `(array['international_licence', 'document', 'national_certificate'])[1 + n % 3]`,
    year: `${year} - (array[0, 2, 3])[1 + n % 3]`,
    status: `case when n % 3 > 0 then 'closed' when n % 50 = 0 then 'submitted' when n % 50 = 1 then 'changes' else 'approved' end`,
  }),
  `insert into application_documents (application_id, document_id)
   select a.id, 2 * a.profile_id - part from applications a, generate_series(0, 1) part where $1::int > 0`,
  `insert into certificates (application_id, number, series, year, sequence, token, valid_from, valid_until, snapshot, issued_at)
   select id, 'KZ-' || series || '-' || year || '-' || lpad(sequence::text, 6, '0'), series, year, sequence,
     translate(substr(encode(sha256(('registry ' || id)::bytea), 'base64'), 1, 43), '+/', '-_'),
     (approved_at at time zone interval '5 hours')::date, make_date(year, 12, 31), jsonb_build_object('holderName', name), approved_at
   from (
     select a.id, a.year, a.approved_at, p.name, s.series, row_number() over (partition by s.series, a.year order by a.id) as sequence
     from applications a join profiles p on p.id = a.profile_id,
       lateral (select case a.kind when 'national_certificate' then 'N' when 'international_licence' then 'I' else 'D' end as series) s
     where a.approved_at is not null and a.status in ('approved', 'closed') and $1::int > 0
   ) issued`,
  `insert into wallets (user_id, balance_minor) select id, 1000000 from users where id >= ${firstUser} and $1::int > 0`,
  `insert into ledger_transactions (id, type, reference, application_id, flags, actor_id, request_id, at)
   select id, 'application_payment', 'registry-application-' || id, id, '{}', owner_id, 'registry', paid_at from applications where paid and $1::int > 0`,
  `insert into ledger_entries (transaction_id, account, amount_minor)
   select id, account, amount from applications,
     lateral (values ('wallet:' || owner_id, -amount_minor), (case kind when 'national_certificate' then 'insurance:premium' else 'income:' || kind end, amount_minor)) leg (account, amount)
   where paid and $1::int > 0`,
  `insert into ledger_transactions (id, type, reference, flags, actor_id, request_id, at)
   select 3 * $1::int + n, 'invoice_payment', 'registry-invoice-' || n, '{}', ${firstUser} - 1 + n, 'registry', now() - n * interval '10 minutes'
   from generate_series(1, ${users} + 1) n`,
  `insert into ledger_entries (transaction_id, account, amount_minor)
   select 3 * $1::int + n, account, amount from generate_series(1, ${users} + 1) n,
     lateral (values ('bank:clearing', -10000000::bigint), ('wallet:' || ${firstUser} - 1 + n, 10000000::bigint)) leg (account, amount)`,
  `insert into audit_events (action, actor_id, subject_kind, subject_id, ip, request_id, at, data)
   select (array['application.created', 'application.submitted', 'profile.read'])[1 + part], case part when 2 then 1 else owner_id end,
     case part when 2 then 'profile' else 'application' end, case part when 2 then profile_id else id end::text, '192.0.2.1', 'request-' || id, created_at, '{}'
   from applications, generate_series(0, 2) part where $1::int > 0 order by created_at`,
  // A hundredth of the chats has something that no administrator has read.
  `insert into conversations (id, kind, athlete_id, message_count, counterpart_unread, last_message_id, last_message_at, created_at)
   select n, 'federation', ${firstUser} - 1 + n, 1, (n % 100 = 0)::int, n, now(), now() from generate_series(1, ${users} + 1) n`,
  `insert into messages (id, conversation_id, side, author_id, text, created_at, read_at)
   select id, id, 'athlete', athlete_id, repeat('When does the season start? ', 10), created_at, case when counterpart_unread = 0 then now() end
   from conversations where $1::int > 0`,
  `insert into contact_messages (name, email, message, status, created_at)
   select 'Visitor ' || n, 'visitor-' || n || '@example.kz', 'When does the season start?', 'new', now() from generate_series(1, 50) n where $1::int > 0`,
  `insert into incidents (kind, subject_kind, subject_id, details, at)
   select 'late_payment', 'invoice', n, '{}', now() from generate_series(1, 50) n where $1::int > 0`,
  // As the triggers of `guards.sql` would have written it.
  `insert into athlete_entries (profile_id, status, issued_year, earlier_issued_year, pending_year, earlier_pending_year, words)
   select p.id, p.status, y.issued[1], y.issued[2], y.pending[1], y.pending[2], athlete_words(p.id, p.name, p.data, p.iin, u.email)
   from profiles p join users u on u.id = p.owner_id left join (
     select profile_id, array_agg(distinct year order by year desc) filter (where status in ('approved', 'closed')) as issued,
       array_agg(distinct year order by year desc) filter (where status in ('submitted', 'changes')) as pending
     from applications where kind = 'national_certificate' group by profile_id
   ) y on y.profile_id = p.id
   where p.kind = 'athlete' and $1::int > 0
   on conflict do nothing`,
  `insert into user_words (user_id, words) select id, words_of_user(name, email, phone) from users where $1::int > 0 on conflict do nothing`,
  `insert into national_certificates (application_id, year, service_id, status, paid, words)
   select id, year, service_id, status, paid and refund_transaction_id is null, national_words(id)
   from applications where kind = 'national_certificate' and $1::int > 0 on conflict do nothing`,
];
