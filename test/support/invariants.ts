import { Client } from 'pg';

/** One thing that must hold of the record at all times: a statement that finds what breaks it. */
interface Invariant {
  name: string;
  /** Returns a row for each violation; its columns are shown. */
  sql: string;
}

const statesOf = [
  'application',
  'document',
  'profile',
  'event',
  'registration',
  'contract',
  'invoice',
  'national_export',
  'account_export',
  'account_erasure',
  'import',
  'status_list',
  'webhook',
];

/** Which records have a process, written apart from the triggers that keep the totals, which it checks. */
const living = {
  application: "applications where status not in ('cancelled', 'closed')",
  document: "documents where status in ('pending', 'changes') or (status = 'approved' and expires_at is not null)",
  profile: "profiles where status in ('pending', 'changes') or photo_status in ('pending', 'changes')",
  event: "events where status not in ('completed', 'cancelled')",
  registration: 'registrations where due_at is not null',
  agreement: "contracts where status in ('generated', 'pending', 'rejected') and closed_at is null",
  invoice: 'invoices where next_ask_at is not null',
  'national-export': 'national_exports where due_at is not null',
  'account-export': 'account_exports where due_at is not null',
  'account-erasure': 'account_erasures where due_at is not null',
  import: 'imports where due_at is not null',
  'status-list': 'status_lists',
  webhook: "webhooks where status = 'enabled'",
};

/** Name, key and number of every total, counted from what is there. */
export const countedTotals = `
    ${statesOf.map((kind) => `select '${kind}' as name, status as key, count(*) as n from ${kind}s group by 2`).join(' union all ')}
    union all ${Object.entries(living)
      .map(([kind, rows]) => `select 'living', '${kind}', count(*) from ${rows}`)
      .join(' union all ')}
    union all select 'money', split_part(account, ':', 1), sum(amount_minor)::bigint from ledger_entries group by 2
    union all select 'list:users', role || '.' || status, count(*) from users group by 2
    union all select 'list:ledger', type, count(*) from ledger_transactions group by 2
    union all select 'list:national', format('%s.%s.%s.%s.%s.%s', year, service_id, status, paid, insurance_exported, print_exported), count(*)
      from national_certificates group by 2`;

/** Totals that are not what is there, both as one statement sees them, so that nothing comes in between. */
export const differingTotals = `
  with kept as (
    select name, key, sum(n)::bigint as n from (select name, key, n from tallies union all select name, key, n from tally_changes) t group by 1, 2),
  counted as (${countedTotals})
  select coalesce(k.name, c.name) as name, coalesce(k.key, c.key) as key, k.n as kept, c.n as counted
  from (select * from kept where n <> 0) k full join (select * from counted where n <> 0) c on c.name = k.name and c.key = k.key
  where k.n is distinct from c.n`;

const invariants: Invariant[] = [
  { name: 'the totals are what is there', sql: differingTotals },
  {
    name: 'every ledger transaction sums to zero',
    sql: 'select transaction_id, sum(amount_minor) from ledger_entries group by transaction_id having sum(amount_minor) <> 0',
  },
  {
    name: 'a wallet holds what its entries sum to',
    sql: `select w.user_id, w.balance_minor, coalesce(sum(e.amount_minor), 0) as booked from wallets w
          left join ledger_entries e on e.account = 'wallet:' || w.user_id group by w.user_id, w.balance_minor having w.balance_minor <> coalesce(sum(e.amount_minor), 0)`,
  },
  { name: 'no wallet is below zero', sql: 'select user_id, balance_minor from wallets where balance_minor < 0' },
  {
    name: 'a paid invoice is booked once, for its amount; no other is booked',
    sql: `select i.id, i.status, count(t.id) as booked, coalesce(sum(e.amount_minor), 0) as amount from invoices i
          left join ledger_transactions t on t.invoice_id = i.id and t.type = 'invoice_payment'
          left join ledger_entries e on e.transaction_id = t.id and e.account = 'wallet:' || i.owner_id
          group by i.id, i.status, i.amount_minor
          having (i.status = 'paid' and (count(t.id) <> 1 or coalesce(sum(e.amount_minor), 0) <> i.amount_minor)) or (i.status <> 'paid' and count(t.id) > 0)`,
  },
  {
    name: 'a bank reference pays one invoice',
    sql: 'select bank_reference, count(*) from invoices where bank_reference is not null group by 1 having count(*) > 1',
  },
  {
    name: 'an application is charged once, for its amount, exactly when it is paid',
    sql: `select a.id, a.paid, a.amount_minor, count(t.id) as charges from applications a
          left join ledger_transactions t on t.application_id = a.id and t.type = 'application_payment'
          left join ledger_entries e on e.transaction_id = t.id and e.account like 'wallet:%'
          group by a.id having (a.paid and a.amount_minor > 0 and (count(t.id) <> 1 or sum(e.amount_minor) <> -a.amount_minor))
            or (not a.paid and count(t.id) > (select count(*) from ledger_transactions r where r.application_id = a.id and r.type = 'application_refund'))`,
  },
  {
    name: 'certificate numbers of a series and year run from 1 without gap or double, up to the counter',
    sql: `select s.series, s.year, s.last, count(c.sequence), max(c.sequence) from number_series s left join certificates c on c.series = s.series and c.year = s.year
          where s.series like 'KZ-%' group by s.series, s.year, s.last having count(c.sequence) <> s.last or max(c.sequence) <> s.last or count(distinct c.sequence) <> s.last`,
  },
  {
    name: 'an approved application has its certificate, unless it is the fee of an event',
    sql: `select a.id from applications a left join certificates c on c.application_id = a.id where a.status = 'approved' and a.kind <> 'event_fee' and c.application_id is null`,
  },
  {
    name: 'a certificate belongs to an application that was paid',
    sql: `select c.application_id from certificates c join applications a on a.id = c.application_id where not a.paid and a.refund_transaction_id is null`,
  },
  {
    name: 'a certificate was issued once, by an approval that the audit tells of',
    sql: `select c.application_id, count(e.id) from certificates c
          left join audit_events e on e.action = 'application.approved' and e.subject_kind = 'application' and e.subject_id = c.application_id::text
            and e.data->>'reissued' = 'false'
          group by c.application_id having count(e.id) <> 1`,
  },
  {
    name: 'a payment and its entry in the audit belong together',
    sql: `select a.id from applications a where
          (select count(*) from ledger_transactions t where t.application_id = a.id and t.type = 'application_payment')
          <> (select count(*) from audit_events e where e.action = 'application.paid' and e.subject_kind = 'application' and e.subject_id = a.id::text
              and e.data->>'transaction_id' is not null)`,
  },
  {
    name: 'a payment that stands is the one the application names; a refund undoes it once',
    sql: `select a.id from applications a join ledger_transactions t on t.id = a.payment_transaction_id
          where t.application_id is distinct from a.id or t.type <> 'application_payment'
          union all
          select r.application_id from ledger_transactions r left join ledger_transactions t on t.id = r.reversal_of
          where r.type = 'application_refund' and (t.id is null or t.application_id is distinct from r.application_id)`,
  },
  {
    name: 'a document is what the last decision made of it, unless its owner, a correction or the calendar changed it since',
    sql: `select d.id, d.status, r.to_status from documents d
          join lateral (select to_status, at from review_decisions where subject_kind = 'document' and subject_id = d.id order by id desc limit 1) r on true
          where d.status <> r.to_status and d.status not in ('expired', 'pending')`,
  },
  {
    name: 'a certificate waits for a submission exactly when its documents were replaced after the last one',
    sql: `select a.id, a.resubmission_due_since from applications a
          left join lateral (select e.action from audit_events e
            where e.subject_kind = 'application' and e.subject_id = a.id::text
              and (e.action = 'application.submitted' or e.action = 'application.updated' and e.data->>'resubmission_due' = 'true')
            order by e.id desc limit 1) last on true
          where (a.resubmission_due_since is not null) <> (last.action is not distinct from 'application.updated')`,
  },
  {
    name: 'the history of an application ends with what the application is',
    sql: `select a.id, a.revision, a.status, h.revision as recorded_revision, h.status as recorded from applications a
          left join lateral (select * from application_history h where h.application_id = a.id order by h.id desc limit 1) h on true
          where (h.revision, h.status, h.is_settled, h.is_resubmission_due, h.document_ids) is distinct from
            (a.revision, a.status, a.paid or a.amount_minor = 0, a.resubmission_due_since is not null,
             array(select l.document_id from application_documents l where l.application_id = a.id order by l.document_id))`,
  },
  {
    name: 'what is kept of how documents, profiles and photos stood ends with how they stand',
    sql: `select now.kind, now.id, now.status, s.status as recorded from (
            select 'document' as kind, id, status from documents union all select 'profile', id, status from profiles
            union all select 'photo', id, photo_status from profiles) now
          left join lateral (select * from review_standings s where s.subject_kind = now.kind and s.subject_id = now.id order by s.id desc limit 1) s on true
          where s.status is distinct from now.status`,
  },
  {
    name: 'no two active applications for one profile, service, discipline and year',
    sql: `select profile_id, service_id, discipline_id, year, count(*) from applications where status not in ('cancelled', 'closed') group by 1, 2, 3, 4 having count(*) > 1`,
  },
  {
    name: 'an event has its four stages',
    sql: `select e.id, count(s.stage) from events e left join event_stages s on s.event_id = e.id group by e.id having count(s.stage) <> 4`,
  },
  {
    name: 'a published event has approved details, a completed one has all its stages approved',
    sql: `select e.id, e.status, e.published_at, s.stage, s.status as stage_status from events e join event_stages s on s.event_id = e.id
          where (e.status = 'published' and s.stage = 'details' or e.status = 'completed') and (s.status <> 'approved' or e.published_at is null)`,
  },
  {
    name: 'no stage was handed in before the one ahead of it was approved, unless the agreement came to an end since',
    sql: `select s.event_id, s.stage, s.status, ahead.stage as ahead, ahead.status as ahead_status from event_stages s
          join event_stages ahead on ahead.event_id = s.event_id
            and (ahead.stage, s.stage) in (('agreement', 'details'), ('details', 'regulations'), ('regulations', 'results'))
          where s.status <> 'locked' and ahead.status <> 'approved'
            and not (ahead.stage = 'agreement' and exists (select from audit_events a
              where a.action = 'event.agreement_reopened' and a.subject_kind = 'event' and a.subject_id = s.event_id::text))`,
  },
  {
    name: 'a draft has no approved agreement, an event in progress has one',
    sql: `select e.id, e.status, s.status as agreement from events e join event_stages s on s.event_id = e.id and s.stage = 'agreement'
          where e.status in ('draft', 'in_progress') and (s.status = 'approved') <> (e.status = 'in_progress')`,
  },
  {
    name: 'the agreement of a living event is approved exactly while its contract is confirmed',
    sql: `select e.id, e.status, s.status as agreement from events e join event_stages s on s.event_id = e.id and s.stage = 'agreement'
          where e.agreement_flow = 3 and e.status in ('draft', 'in_progress', 'published')
            and (s.status = 'approved') <> exists (select from contracts c where c.event_id = e.id and c.status = 'confirmed')`,
  },
  {
    name: 'an event has one fee from the first submission of its details on, and a fee has one event',
    sql: `select a.id as fee, e.id as event from applications a left join events e on e.fee_application_id = a.id
          where a.kind = 'event_fee' and (e.id is null or e.owner_id <> a.owner_id)
          union all
          select e.fee_application_id, e.id from events e join event_stages s on s.event_id = e.id and s.stage = 'details'
          where s.status in ('submitted', 'changes', 'approved') and e.fee_application_id is null`,
  },
  {
    name: 'approved details stand on a fee that is settled; the fee of an event that is over is closed',
    sql: `select e.id, e.status, f.id as fee, f.status as fee_status, f.paid from events e
          join applications f on f.id = e.fee_application_id join event_stages s on s.event_id = e.id and s.stage = 'details'
          where (s.status = 'approved' and not f.paid and f.amount_minor > 0)
            or (e.status in ('completed', 'cancelled') and f.status not in ('closed', 'cancelled'))`,
  },
  {
    name: 'an organizer is reminded of a stage once, unless its date was moved',
    sql: `select a.subject_id, a.data->>'stage' as stage, a.data->>'due_on' as due_on, count(*) from audit_events a where a.action = 'event.reminded' group by 1, 2, 3 having count(*) > 1`,
  },
  {
    name: 'an entry in the audit of a reminder or an intake has its notification',
    sql: `select e.subject_id, e.reminded, n.recorded from
            (select subject_id, count(*) as reminded from audit_events where action = 'event.reminded' and subject_kind = 'event' group by 1) e
          left join (select subject_id, count(*) as recorded from notifications where type = 'event_stage.reminder' group by 1) n
            on n.subject_id::text = e.subject_id
          where n.recorded is distinct from e.reminded`,
  },
  {
    name: 'an event has at most one live contract',
    sql: `select event_id, count(*) from contracts where status in ('generated', 'pending', 'confirmed', 'rejected') group by 1 having count(*) > 1`,
  },
  {
    name: 'contract numbers of a year run from 1 without gap or double, up to the counter',
    sql: `select s.year, s.last, count(c.id), max(c.sequence) from number_series s left join contracts c on c.year = s.year
          where s.series = 'A' group by s.year, s.last having count(c.id) <> s.last or max(c.sequence) <> s.last or count(distinct c.sequence) <> s.last
          union all
          select c.year, null, count(*), max(c.sequence) from contracts c
          where not exists (select from number_series s where s.series = 'A' and s.year = c.year) group by 1`,
  },
  {
    name: 'a contract number says its year and its sequence',
    sql: `select id, number from contracts where number <> 'A-' || year || '-' || lpad(sequence::text, 5, '0')`,
  },
  {
    name: 'a contract that was replaced and the one in its place name each other',
    sql: `select c.id, c.status, c.replaced_by_id, next.replaces_id from contracts c left join contracts next on next.id = c.replaced_by_id
          where (c.status = 'replaced') <> (next.id is not null)
            or next.id is not null and (next.replaces_id is distinct from c.id or next.version <> c.version + 1 or next.event_id <> c.event_id)
          union all
          select c.id, c.status, c.replaces_id, before.replaced_by_id from contracts c join contracts before on before.id = c.replaces_id
          where before.replaced_by_id is distinct from c.id`,
  },
  {
    name: 'a contract has its whole PDF, or none of it; one that was scanned has both',
    sql: `select id, status from contracts
          where num_nulls(original_storage_key, original_sha256, original_size, pages) not in (0, 4)
            or num_nulls(scan_storage_key, scan_sha256, scan_size, scan_pages, scan_uploaded_at) not in (0, 5)
            or status in ('pending', 'confirmed', 'rejected') and (original_storage_key is null or scan_storage_key is null)`,
  },
  {
    name: 'a contract was created, drawn and signed, confirmed and ended once each, as the audit tells',
    sql: `select c.id, c.status, a.* from contracts c left join lateral (
            select count(*) filter (where action = 'contract.created') as created,
              count(*) filter (where action = 'contract.generated') as generated,
              count(*) filter (where action = 'contract.generated' and data->>'sha256' = c.original_sha256) as generated_these_bytes,
              count(*) filter (where action = 'contract.signature_applied') as signed,
              count(*) filter (where action = 'contract.confirmed') as confirmed,
              count(*) filter (where action in ('contract.replaced', 'contract.cancelled')) as ended
            from audit_events where subject_kind = 'contract' and subject_id = c.id::text) a on true
          where a.created <> 1 or a.generated <> (c.original_storage_key is not null)::int or a.generated_these_bytes <> a.generated or a.signed <> a.generated
            or a.confirmed <> (c.status = 'confirmed' or c.status in ('replaced', 'cancelled') and c.decided_at is not null)::int
            or a.ended <> (c.status in ('replaced', 'cancelled'))::int`,
  },
  {
    name: 'a contract is what the last decision made of it, unless a scan or its end came since',
    sql: `select c.id, c.status, r.to_status from contracts c
          join lateral (select to_status from review_decisions where subject_kind = 'contract' and subject_id = c.id order by id desc limit 1) r on true
          where c.status in ('confirmed', 'rejected', 'generated') and c.status <> r.to_status`,
  },
  {
    name: 'a start number belongs to one approved registration of its event',
    sql: `select event_id, start_number, count(*), min(status) as status from registrations where start_number is not null group by 1, 2
          having count(*) > 1 or min(status) <> 'approved'`,
  },
  {
    name: 'a profile has one live registration in a class of an event, which is or was public',
    sql: `select r.event_id, r.profile_id, r.class, count(*) from registrations r join events e on e.id = r.event_id
          where r.status not in ('rejected', 'withdrawn') group by 1, 2, 3 having count(*) > 1 or bool_or(e.published_at is null)`,
  },
  {
    name: 'no place of a class is free while a registration waits and offers are made (REG-21)',
    sql: `select s.event_id, l.name, l.capacity, c.taken, c.waiting from registration_settings s
          join events e on e.id = s.event_id
          cross join (select now() + make_interval(secs => offset_seconds) as now from sandbox_clock) clock
          cross join jsonb_to_recordset(s.class_limits) as l (name text, capacity int)
          cross join lateral (select count(*) filter (where status in ('submitted', 'returned', 'approved', 'offered')) as taken,
            count(*) filter (where status = 'waiting') as waiting from registrations where event_id = s.event_id and class = l.name) c
          where e.status = 'published' and clock.now < e.starts_at and clock.now < coalesce(s.closes_at, e.starts_at)
            and c.waiting > 0 and c.taken < l.capacity`,
  },
  {
    name: 'the history of a registration ends with its status, and says no status twice running',
    sql: `select r.id, r.status, h.status as recorded from registrations r
          left join lateral (select status from registration_history where registration_id = r.id order by id desc limit 1) h on true
          where h.status is distinct from r.status
          union all
          select h.registration_id, h.status, h.before from
            (select registration_id, status, lag(status) over (partition by registration_id order by id) as before from registration_history) h
          where h.status = h.before`,
  },
  {
    name: 'each change of a registration that the history has is in the audit, and the other way round',
    sql: `select h.registration_id, h.status, h.changes, a.entries from
            (select registration_id, status, count(*) as changes from registration_history where status <> 'draft' group by 1, 2) h
          full join (select subject_id::int as id, case split_part(action, '.', 2) when 'accepted' then 'submitted' when 'queued' then 'waiting'
                when 'requeued' then 'waiting' else split_part(action, '.', 2) end as status, count(*) as entries from audit_events
            where subject_kind = 'registration' and action in ('registration.submitted', 'registration.accepted', 'registration.queued',
              'registration.requeued', 'registration.offered', 'registration.approved', 'registration.returned', 'registration.rejected',
              'registration.withdrawn') group by 1, 2) a
            on a.id = h.registration_id and a.status = h.status
          where h.changes is distinct from a.entries`,
  },
  {
    name: 'a lapse of a registration notifies its athlete once, and again only after it was mended',
    sql: `select s.subject_id, s.action, s.before from
            (select subject_id, action, lag(action) over (partition by subject_id order by id) as before from audit_events
             where subject_kind = 'registration' and action in
               ('registration.created', 'registration.updated', 'registration.submitted', 'registration.lapsed', 'registration.eligible_again')) s
          where s.action in ('registration.lapsed', 'registration.eligible_again') and s.action = s.before
          union all
          select r.id::text, 'notified ' || coalesce(n.recorded, 0), 'lapsed ' || coalesce(a.lapsed, 0) from registrations r
          left join (select subject_id, count(*) as lapsed from audit_events
            where subject_kind = 'registration' and action = 'registration.lapsed' group by 1) a on a.subject_id = r.id::text
          left join lateral (select count(*) as recorded from notifications t
            where t.subject_kind = 'registration' and t.type = 'registration.lapsed' and t.subject_id = r.id::text
              and (t.user_id = r.owner_id or t.user_id in (select from_user_id from ownership_transfers o where o.profile_id = r.profile_id))) n on true
          where coalesce(n.recorded, 0) <> coalesce(a.lapsed, 0)
          union all
          select r.id::text, 'ineligible', 'lapsed' from registrations r
          join lateral (select action from audit_events where subject_kind = 'registration' and subject_id = r.id::text
            and action in ('registration.submitted', 'registration.lapsed', 'registration.eligible_again') order by id desc limit 1) last on true
          where (last.action = 'registration.lapsed') <> (r.ineligible_since is not null) and r.status not in ('draft', 'returned')`,
  },
  {
    name: 'what stands on a profile has its owner',
    sql: `select 'application' as kind, a.id::text, a.owner_id, p.owner_id as of_profile from applications a join profiles p on p.id = a.profile_id where a.owner_id <> p.owner_id
          union all
          select 'event', e.id::text, e.owner_id, p.owner_id from events e join profiles p on p.id = e.profile_id where e.owner_id <> p.owner_id
          union all
          select 'registration', r.id::text, r.owner_id, p.owner_id from registrations r join profiles p on p.id = r.profile_id where r.owner_id <> p.owner_id
          union all
          select 'contract', c.id::text, c.owner_id, e.owner_id from contracts c join events e on e.id = c.event_id where c.owner_id <> e.owner_id
          union all
          select n.kind, f.id::text, f.owner_id, p.owner_id from (
            select 'photo' as kind, id as profile_id, photo_id as file_id from profiles
            union select 'document', profile_id, file_id from documents
            union select 'registration document', r.profile_id, d.file_id from registration_documents d join registrations r on r.id = d.registration_id
            union select 'stage', e.profile_id, s.file_id from event_stages s join events e on e.id = s.event_id
            union select 'additional document', e.profile_id, d.file_id from additional_documents d join events e on e.id = d.event_id) n
          join files f on f.id = n.file_id and f.deleted_at is null join profiles p on p.id = n.profile_id where f.owner_id <> p.owner_id`,
  },
  {
    name: 'what an agreement or a certificate was made with is a file of its owner, by its bytes',
    sql: `select 'scan' as kind, c.id from contracts c where c.scan_storage_key is not null
            and exists (select from files f where f.storage_key = c.scan_storage_key)
            and not exists (select from files f where f.storage_key = c.scan_storage_key and f.owner_id = c.owner_id and f.deleted_at is null)
          union all
          select 'printed photo', a.id from certificates c join applications a on a.id = c.application_id
          join files f on f.id = (c.snapshot->>'photoFileId')::uuid
          where not exists (select from files own where own.storage_key = f.storage_key and own.owner_id = a.owner_id and own.deleted_at is null)`,
  },
  {
    name: 'a transfer of a profile is once in the audit and notifies each owner once, and the last one says whose the profile is',
    sql: `select t.id, t.profile_id from ownership_transfers t where
            (select count(*) from audit_events a where a.action = 'profile.transferred' and a.subject_kind = 'profile' and a.subject_id = t.profile_id::text
              and a.request_id = t.request_id and a.at = t.at and a.data = jsonb_build_object('from', t.from_user_id, 'to', t.to_user_id)) <> 1
            or (select count(*) from notifications n where n.type = 'profile.transferred' and n.subject_id = t.profile_id::text and n.created_at = t.at
              and n.user_id in (t.from_user_id, t.to_user_id)) <> 2
          union all
          select t.id, t.profile_id from (select distinct on (profile_id) * from ownership_transfers order by profile_id, id desc) t
          join profiles p on p.id = t.profile_id where p.owner_id <> t.to_user_id`,
  },
  {
    name: 'a conversation counts its messages, its unread ones and its last one as they are',
    sql: `select c.id, c.message_count, c.athlete_unread, c.counterpart_unread, c.last_message_id, m.* from conversations c
          left join lateral (
            select count(*) as counted, count(*) filter (where read_at is null and side <> 'athlete') as by_counterpart,
              count(*) filter (where read_at is null and side = 'athlete') as by_athlete, max(id) as last, max(created_at) as last_at
            from messages where conversation_id = c.id) m on true
          where (c.message_count, c.athlete_unread, c.counterpart_unread) <> (m.counted, m.by_counterpart, m.by_athlete)
            or (c.last_message_id, c.last_message_at) is distinct from (m.last, m.last_at)`,
  },
  {
    name: 'every registration that was submitted has its conversation, of its owner with the organizer, and no other has',
    sql: `select r.id, r.owner_id, e.owner_id as organizer_id, c.athlete_id, c.organizer_id as converses from registrations r
          join events e on e.id = r.event_id left join conversations c on c.registration_id = r.id
          where (r.submitted_at is not null) <> (c.id is not null) or c.athlete_id <> r.owner_id or c.organizer_id <> e.owner_id`,
  },
  {
    name: 'a message is of a side of its conversation and once in the audit, without a word of it',
    sql: `select m.id, m.side, c.kind, (select count(*) from audit_events a where a.action = case c.kind when 'federation' then 'chat.message_sent' else 'messenger.message_sent' end
              and a.data = jsonb_build_object('message_id', m.id, 'side', m.side, 'length', char_length(m.text))) as recorded
          from messages m join conversations c on c.id = m.conversation_id
          where m.side = case c.kind when 'federation' then 'organizer' else 'federation' end
            or (select count(*) from audit_events a where a.action = case c.kind when 'federation' then 'chat.message_sent' else 'messenger.message_sent' end
              and a.data = jsonb_build_object('message_id', m.id, 'side', m.side, 'length', char_length(m.text))) <> 1`,
  },
  {
    name: 'an answer of the federation makes one notification, any other message none',
    sql: `select m.id, m.side, count(n.id) from messages m left join notifications n on n.type = 'chat.reply' and n.subject_id = m.id::text
          group by m.id having count(n.id) <> (m.side = 'federation')::int`,
  },
  {
    name: 'a reminder is set for what is in force alone, on one of its days, and for none that was sent',
    sql: `select r.* from (
            select 'document' as kind, id, status, expires_at as last_day, remind_at from documents
            union all
            select 'application', a.id, case when a.status in ('cancelled', 'closed') then a.status else 'approved' end, c.valid_until, a.remind_at
            from applications a left join certificates c on c.application_id = a.id) r
          where r.remind_at is not null and (r.status <> 'approved' or r.last_day is null
            or r.remind_at not in (select (r.last_day - days)::timestamp at time zone interval '5 hours' from unnest(array[60, 30, 7]) days)
            or r.remind_at <= (select max(at) from audit_events
              where action = r.kind || '.reminded' and subject_kind = r.kind and subject_id = r.id::text))`,
  },
  {
    name: 'no reminder was forgotten: none is older than a day by the clock of the registry, while there is something to remind of',
    sql: `select r.* from (
            select 'document' as kind, id, expires_at as last_day, remind_at from documents where status = 'approved'
            union all
            select 'application', a.id, c.valid_until, a.remind_at from applications a join certificates c on c.application_id = a.id
            where a.status in ('submitted', 'changes', 'approved')) r
          cross join (select now() + make_interval(secs => offset_seconds) as at from sandbox_clock) clock
          where r.remind_at < clock.at - interval '1 day' and r.last_day > (clock.at at time zone interval '5 hours')::date`,
  },
  {
    name: 'each reminder in the audit has one notification, no two on one day of one last day, and with the days that were left',
    sql: `select e.subject_kind, e.subject_id, e.last_day, e.days, count(*), min(n.recorded) as recorded from (
            select id, subject_kind, subject_id, at, coalesce(data->>'expires_at', data->>'valid_until') as last_day, (data->>'days')::int as days
            from audit_events where action in ('document.reminded', 'application.reminded')
              -- The notifications of an erased account go.
              and not exists (select from users u join profiles p on p.owner_id = u.id where u.erased_at is not null and p.id = coalesce(
                (select profile_id from applications where subject_kind = 'application' and id::text = subject_id),
                (select profile_id from documents where subject_kind = 'document' and id::text = subject_id)))) e
          left join lateral (select count(*) as recorded from notifications n
            where n.type = e.subject_kind || '.expiring' and n.subject_kind = e.subject_kind and n.subject_id = e.subject_id
              and n.created_at = e.at and (n.facts->>'days')::int = e.days) n on true
          group by 1, 2, 3, 4
          having count(*) > 1 or min(n.recorded) <> 1
            or bool_or(e.last_day::date - (e.at at time zone interval '5 hours')::date <> e.days or e.days not between 0 and 60)
          union all
          select n.subject_kind, n.subject_id, null, null, count(*), null from notifications n
          where n.type in ('document.expiring', 'application.expiring') and not exists (select from audit_events e
            where e.action = n.subject_kind || '.reminded' and e.subject_id = n.subject_id and e.subject_kind = n.subject_kind and e.at = n.created_at)
          group by 1, 2`,
  },
  {
    name: 'those in a vehicle are registered for the same event',
    sql: `select c.registration_id, c.member_id from registration_crew c join registrations r on r.id = c.registration_id
          join registrations m on m.id = c.member_id where r.event_id <> m.event_id or r.id = m.id`,
  },
];

/** Runs every invariant. @returns a line for each violation; empty when the record is whole */
export async function findBrokenInvariants(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const broken: string[] = [];
    for (const { name, sql } of invariants) {
      const { rows } = await client.query(sql);
      for (const row of rows) broken.push(`${name}: ${JSON.stringify(row)}`);
    }
    return broken;
  } finally {
    await client.end();
  }
}
