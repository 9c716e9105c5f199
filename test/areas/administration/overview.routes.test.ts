import { setTimeout } from 'node:timers/promises';
import { query } from '../../../src/platform/commands/command.ts';
import { mergeTallies } from '../../../src/platform/database/tallies.ts';
import { differingTotals } from '../../support/invariants.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Compares the overview's totals with plain counts. */

const { api, make, administrator } = await useRegistry();

const overview = async () => administrator.expect(200, await administrator.get('/admin/overview')).body.data;

/** Counts states and money from the tables, the slow way. */
const counted = `
  with records (kind, state) as (
    select 'application', status from applications
    union all select 'document', status from documents
    union all select 'profile', status from profiles
    union all select 'event', status from events
    union all select 'registration', status from registrations
    union all select 'contract', status from contracts
    union all select 'invoice', status from invoices
    union all select 'national_export', status from national_exports
    union all select 'status_list', status from status_lists),
  living as (
    select 1 from applications where status not in ('cancelled', 'closed')
    union all select 1 from documents where status in ('pending', 'changes') or (status = 'approved' and expires_at is not null)
    union all select 1 from profiles where status in ('pending', 'changes') or photo_status in ('pending', 'changes')
    union all select 1 from invoices where next_ask_at is not null
    union all select 1 from events where status not in ('completed', 'cancelled')
    union all select 1 from contracts where status in ('generated', 'pending', 'rejected')
    union all select 1 from registrations where due_at is not null
    union all select 1 from national_exports where due_at is not null
    union all select 1 from status_lists)
  select
    (select json_object_agg(kind, states) from (
      select kind, json_object_agg(state, n) as states from (select kind, state, count(*) as n from records group by 1, 2) s group by 1) k) as states,
    (select count(*)::int from living) as living,
    json_build_object(
      'wallets_minor', (select coalesce(sum(balance_minor), 0) from wallets),
      'income_minor', (select coalesce(sum(amount_minor), 0) from ledger_entries where account like 'income:%'),
      'premium_minor', (select coalesce(sum(amount_minor), 0) from ledger_entries where account = 'insurance:premium'),
      'today', (select json_build_object(
          'paid_in_minor', coalesce(sum(amount_minor) filter (where type = 'invoice_payment' and amount_minor > 0), 0),
          'income_minor', coalesce(sum(amount_minor) filter (where type = 'application_payment' and account like 'income:%'), 0),
          'premium_minor', coalesce(sum(amount_minor) filter (where type = 'application_payment' and account = 'insurance:premium'), 0),
          'refunded_minor', coalesce(sum(amount_minor) filter (where type = 'application_refund' and account like 'wallet:%'), 0))
        from ledger_entries join ledger_transactions t on t.id = transaction_id
        where (at at time zone interval '5 hours')::date = (now() at time zone interval '5 hours')::date)) as money`;

interface Counted {
  states: Record<string, Record<string, number>>;
  living: number;
  money: Record<string, number | Record<string, number>>;
}

/** Inserts an export as a row, without its process. */
async function insertExport(): Promise<{ id: number }> {
  const [made] = await api.sql<{ id: number }>(
    `with file as (
       insert into files (id, owner_id, purpose, name, mime, size, sha256, storage_key, created_at)
       values (gen_random_uuid(), $1, 'national_print', 'list.zip', 'application/zip', 1, repeat('a', 64), 'overview/list', now())
       returning id, owner_id)
     insert into national_exports (administrator_id, list, count, file_id, request_id, requested_at, due_at)
     select owner_id, 'print', 1, id, 'overview', now(), now() + interval '1 hour' from file returning id`,
    [administrator.userId],
  );
  return made as { id: number };
}

/** Waits until no delivery is active: a mail waits some seconds for others, and its delivery could end between two counts. */
async function everyMailSent(): Promise<void> {
  await waitFor(
    () => api.sql('select id from notification_deliveries'),
    (left) => left.length === 0,
    'the mails',
  );
}

async function expectExact(): Promise<void> {
  await everyMailSent();
  const [{ states, living, money }] = (await api.sql<Counted>(counted)) as [Counted];
  const shown = await overview();
  expect(shown.states).toEqual(states);
  expect(shown.money).toEqual(money);
  const { running, waiting, stuck, failed } = shown.processes;
  expect(running + waiting + stuck + failed).toBe(living);
}

test('is empty for an empty registry', async () => {
  const today = { paid_in_minor: 0, income_minor: 0, premium_minor: 0, refunded_minor: 0 };
  expect(await overview()).toMatchObject({
    oldest: null,
    waiting_since: {},
    money: { wallets_minor: 0, income_minor: 0, premium_minor: 0, today },
  });
});

test('counts waiting records by kind, and shows the oldest of each', async () => {
  const owner = await api.user();
  const profileId = await make.profile(owner);
  const id = await make.document(owner, profileId);
  owner.expect(200, await owner.post(`/profiles/${profileId}/submit`));
  const { queue, oldest, waiting_since } = await overview();
  expect(queue).toMatchObject({ document: 1, profile: 1, photo: 1, incident: 0, contact_message: 0, application: 0 });
  const rows: { kind: string; title: string; waiting_since: string }[] = administrator.expect(200, await administrator.get('/admin/queue'))
    .body.data;
  const [first] = rows;
  expect(oldest).toEqual({ kind: 'document', id, title: first?.title, waiting_since: first?.waiting_since });
  expect(waiting_since).toEqual(Object.fromEntries(rows.map((row) => [row.kind, row.waiting_since])));
  expect(Object.keys(waiting_since).toSorted()).toEqual(['document', 'photo', 'profile']);
  const earlier = await make.document(owner, profileId);
  const since = '2026-01-09T12:00:00+05:00';
  await api.sql('update documents set status_since = $2 where id = $1', [earlier, since]);
  const later = await overview();
  expect(later.oldest).toMatchObject({ id: earlier, waiting_since: since });
  expect(later.waiting_since).toEqual({ ...waiting_since, document: since });
});

test('the totals match plain counts during and after mixed load, while two merges run at once', async () => {
  const mixture = { isBusy: true };
  const differences: unknown[] = [];
  // Without pauses, both would take the processors from the load.
  const watching = (async () => {
    for (; mixture.isBusy; await setTimeout(100)) differences.push(...(await api.sql(differingTotals)));
  })();
  const merge = () => query(api.platform, (db) => mergeTallies(db, 100));
  const merging = (async () => {
    for (; mixture.isBusy; await setTimeout(100)) await Promise.all([merge(), merge()]);
  })();
  await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      const person = await api.user();
      const { id } = await make.application(person, { status: index % 2 === 0 ? 'approved' : 'submitted' });
      if (index % 2 === 1) person.expect(200, await person.post(`/applications/${id}/cancel`, { reason: 'No longer needed' }));
      const profileId = await make.profile(person);
      const documentId = await make.document(person, profileId, { status: index % 2 === 0 ? 'changes' : 'cancelled' });
      person.expect(200, await person.get(`/documents/${documentId}`));
      person.expect(200, await person.delete(`/profiles/${await make.profile(person)}`));
    }),
  );
  mixture.isBusy = false;
  await Promise.all([watching, merging]);
  expect(differences).toEqual([]);
  await expectExact();
  await api.platform.processes.sweep('tallies');
  const [{ left }] = (await api.sql<{ left: number }>('select count(*)::int as left from tally_changes')) as [{ left: number }];
  await expectExact();
  expect(left).toBeLessThan(20);
  const { money } = await overview();
  expect(money.premium_minor).toBeGreaterThan(0);
});

test('sums what was booked today in UTC+5; no refund, reversal or correction lowers a sum (ADM-10)', async () => {
  const before = (await overview()).money.today;
  const wallet = `wallet:${administrator.userId}`;
  const midnight = "(date_trunc('day', now() at time zone interval '5 hours') at time zone interval '5 hours')";
  // The wallet ends as it began.
  for (const [type, to, from, amount, at] of [
    ['invoice_payment', wallet, 'bank:clearing', 700_00, midnight],
    ['application_payment', 'income:document', wallet, 300_00, 'now()'],
    ['application_payment', 'insurance:premium', wallet, 200_00, 'now()'],
    ['application_refund', wallet, 'insurance:premium', 200_00, 'now()'],
    ['reversal', 'bank:clearing', wallet, 700_00, 'now()'],
    ['correction', wallet, 'adjustments', 300_00, 'now()'],
    ['application_payment', 'income:document', 'adjustments', 900_00, `${midnight} - interval '1 second'`],
  ] as const)
    await api.sql(
      `with made as (
         insert into ledger_transactions (type, reference, flags, request_id, at)
         values ($1, gen_random_uuid()::text, '{}', 'overview', ${at}) returning id)
       insert into ledger_entries (transaction_id, account, amount_minor)
       select id, account, amount from made, (values ($2::text, $4::bigint), ($3::text, -$4::bigint)) leg (account, amount)`,
      [type, to, from, amount],
    );
  expect((await overview()).money.today).toEqual({
    paid_in_minor: before.paid_in_minor + 700_00,
    income_minor: before.income_minor + 300_00,
    premium_minor: before.premium_minor + 200_00,
    refunded_minor: before.refunded_minor + 200_00,
  });
  await expectExact();
});

test('an export counts while its file is generated or kept', async () => {
  const { id } = await insertExport();
  await expectExact();
  expect((await overview()).states.national_export).toEqual({ pending: 1 });
  await api.sql(
    `update national_exports set status = 'failed', failure = 'export_not_possible', finished_at = now(), due_at = null where id = $1`,
    [id],
  );
  await expectExact();
  expect((await overview()).states.national_export).toEqual({ failed: 1 });
});

test('counts changes of many rows by one statement, and no rolled back changes', async () => {
  await api.sql(`update documents set status = 'expired', updated_at = updated_at + interval '1 ms'`);
  await expectExact();
  await api.sql(`begin; update documents set status = 'pending', updated_at = updated_at + interval '1 ms'; rollback`);
  await expectExact();
  const before = await overview();
  expect(before.states.document).toEqual({ expired: expect.any(Number) });
});
