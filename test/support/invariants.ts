import { Client } from 'pg';

/** One thing that must hold of the record at all times: a statement that finds what breaks it. */
interface Invariant {
  name: string;
  /** Returns a row for each violation; its columns are shown. */
  sql: string;
}

const invariants: Invariant[] = [
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
          left join ledger_entries e on e.transaction_id = t.id and e.account = 'wallet:' || a.owner_id
          group by a.id having (a.paid and a.amount_minor > 0 and (count(t.id) <> 1 or sum(e.amount_minor) <> -a.amount_minor))
            or (not a.paid and count(t.id) > (select count(*) from ledger_transactions r where r.application_id = a.id and r.type = 'application_refund'))`,
  },
  {
    name: 'certificate numbers of a series and year run from 1 without gap or double, up to the counter',
    sql: `select s.series, s.year, s.last, count(c.sequence), max(c.sequence) from number_series s left join certificates c on c.series = s.series and c.year = s.year
          where s.series like 'KZ-%' group by s.series, s.year, s.last having count(c.sequence) <> s.last or max(c.sequence) <> s.last or count(distinct c.sequence) <> s.last`,
  },
  {
    name: 'an approved application has its certificate',
    sql: `select a.id from applications a left join certificates c on c.application_id = a.id where a.status = 'approved' and c.application_id is null`,
  },
  {
    name: 'a certificate belongs to an application that was paid',
    sql: `select c.application_id from certificates c join applications a on a.id = c.application_id where not a.paid and a.refund_transaction_id is null`,
  },
  {
    name: 'a certificate was issued once, by an approval that the journal tells of',
    sql: `select c.application_id, count(e.id) from certificates c
          left join audit_events e on e.action = 'application.approved' and e.subject_kind = 'application' and e.subject_id = c.application_id::text
            and e.data->>'reissued' = 'false'
          group by c.application_id having count(e.id) <> 1`,
  },
  {
    name: 'a payment and its journal entry belong together',
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
    name: 'no two active applications for one profile, service, discipline and year',
    sql: `select profile_id, service_id, discipline_id, year, count(*) from applications where status not in ('cancelled', 'closed') group by 1, 2, 3, 4 having count(*) > 1`,
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
