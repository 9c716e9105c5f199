import { reviewInBulk } from '../../../src/areas/national/lists/review-in-bulk.ts';
import { required } from '../../../src/registry/config.ts';
import { DomainError } from '../../../src/errors.ts';
import { IdempotentRequest } from '../../../src/platform/commands/idempotent-request.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { Processes } from '../../../src/platform/workflows/processes.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { TestClient } from '../../support/client.ts';
import { fixturesIn } from '../../support/factories.ts';
import { insertNational } from '../../support/factories/national.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Bulk review of national certificates. */

const { api, administrator } = await useRegistry();
const make = fixturesIn(api.platform);
const colleague = await api.user();
const owner = await make.person();

beforeAll(async () => {
  await api.sql("update users set role = 'administrator' where id = $1", [colleague.userId]);
});

const path = '/admin/national/lists/review/review';
const submitted = async () => (await make.application(owner, { status: 'submitted' })).id;
/** Ids of rows that can be returned for changes; their processes start with that command. */
const manySubmitted = async (count: number) => {
  const row = { ownerId: owner.userId, status: 'submitted', payment: 'none', printedName: null } as const;
  const rows = Array.from({ length: count }, () => row);
  return (await insertNational(databaseOf(api.platform.orm.em.fork()), rows, new Date())).map(({ id }) => id);
};
const issued = async () => (await make.application(owner, { status: 'approved' })).id;
const note = 'the scan cannot be read';

async function review(body: unknown, key?: string) {
  return administrator.expect(200, await administrator.post(path, body, key === undefined ? {} : { 'idempotency-key': key })).body.data;
}
async function listed(client: TestClient): Promise<number[]> {
  return client.expect(200, await client.get('/admin/national?limit=1')).body.meta.lists.review;
}
const standing = async (ids: readonly number[]) =>
  api.sql<{ id: number; status: string; review_note: string | null; paid: boolean; refund: number | null }>(
    'select id, status, review_note, paid, refund_transaction_id as refund from applications where id = any($1) order by id',
    [ids],
  );
const decisionsOn = async (ids: readonly number[]) =>
  (
    await api.sql<{ subject_id: number }>(
      "select subject_id from review_decisions where subject_kind = 'application' and subject_id = any($1) order by subject_id",
      [ids],
    )
  ).map(({ subject_id }) => subject_id);

describe('a request', () => {
  test('needs an administrator with admin:write', async () => {
    const body = { ids: [1], decision: 'approve' };
    expect((await colleague.post(path, { ...body, ids: [] })).status).toBe(422);
    const person = await api.user();
    expect(await person.post(path, body)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect((await (await administrator.program(['admin:read'])).post(path, body)).body.error.code).toBe('insufficient_scope');
  });

  test.each<[string, unknown, string[]]>([
    ['ids', { decision: 'approve' }, ['body.ids']],
    ['200 ids at the most', { ids: Array.from({ length: 201 }, (_, index) => index + 1), decision: 'approve' }, ['body.ids']],
    ['a decision', { ids: [1] }, ['body.decision']],
    ['a note to return', { ids: [1], decision: 'changes' }, ['body.note']],
    ['a note of five characters to refuse, and ids', { decision: 'cancel', note: ' no  ' }, ['body.ids', 'body.note']],
    ['no revision', { ids: [1], decision: 'approve', revision: 1 }, ['body.revision']],
  ])('has %s', async (_, body, paths) => {
    const answer = await administrator.post(path, body);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_failed']);
    expect(answer.body.error.details.fields.map((field: { path: string }) => field.path).sort()).toEqual(paths);
  });
});

describe('a bulk decision', () => {
  test('applies where possible and names the reason for each other record (NAT-7)', async () => {
    const [waiting, paid, draft] = [await submitted(), await issued(), (await make.application(owner)).id];
    const licence = (await make.application(owner, { serviceId: 20 })).id;
    const ids = [waiting, draft, paid, 2_000_000_000, licence, waiting];
    await administrator.post('/admin/national/lists/review', { operation: 'add', ids: [waiting, paid] });
    await colleague.post('/admin/national/lists/review', { operation: 'add', ids: [waiting, paid] });
    const answer = administrator.expect(200, await administrator.post(path, { ids, decision: 'cancel', note })).body;
    expect(answer.data).toEqual({
      succeeded: [waiting, paid],
      failed: [
        { id: draft, code: 'invalid_state', message: expect.any(String) },
        { id: 2_000_000_000, code: 'not_found', message: expect.any(String) },
        { id: licence, code: 'not_found', message: expect.any(String) },
      ],
    });
    expect(await standing([waiting, paid, draft])).toEqual([
      { id: waiting, status: 'cancelled', review_note: note, paid: false, refund: null },
      // A rejection refunds no money.
      { id: paid, status: 'cancelled', review_note: note, paid: true, refund: null },
      { id: draft, status: 'draft', review_note: null, paid: false, refund: null },
    ]);
    expect(await decisionsOn(ids)).toEqual([waiting, paid]);
    expect(await listed(administrator)).toEqual([]);
    // The list of another administrator is unchanged.
    expect(await listed(colleague)).toEqual([waiting, paid]);
    const audited = await api.sql<{ action: string; subject_id: string }>(
      "select action, subject_id from audit_events where request_id = $1 and subject_kind = 'national_list'",
      [answer.request_id],
    );
    expect(audited).toEqual([{ action: 'national_list.reviewed', subject_id: 'review' }]);
    const steps = await api.sql<{ subject_id: string }>(
      "select subject_id from audit_events where request_id = $1 and action = 'application.cancelled' and actor_id = $2 order by id",
      [answer.request_id, administrator.userId],
    );
    expect(steps.map(({ subject_id }) => Number(subject_id)).toSorted((a, b) => a - b)).toEqual([waiting, paid]);
  });

  test('does not approve a record with unmet conditions and leaves it in the list', async () => {
    const [unpaid, paid] = [await submitted(), await issued()];
    await administrator.post('/admin/national/lists/review', { operation: 'add', ids: [unpaid, paid] });
    expect(await review({ ids: [unpaid, paid], decision: 'approve' })).toEqual({
      // An issued certificate stays unchanged.
      succeeded: [paid],
      failed: [{ id: unpaid, code: 'not_ready', message: expect.any(String) }],
    });
    expect(await listed(administrator)).toEqual([unpaid]);
    await administrator.post('/admin/national/lists/review', { operation: 'clear' });
  });

  test('repeated with its key decides nothing twice and gets the same answer', async () => {
    const [first, second] = [await submitted(), await submitted()];
    const draft = await make.application(owner);
    const body = { ids: [first, draft.id, second], decision: 'changes', note };
    const answer = await review(body, 'many-at-once');
    expect(answer).toMatchObject({ succeeded: [first, second], failed: [{ id: draft.id, code: 'invalid_state' }] });
    const before = await api.sql('select id, revision from applications where id = any($1) order by id', [[first, second]]);
    expect(await review(body, 'many-at-once')).toEqual(answer);
    expect(await api.sql('select id, revision from applications where id = any($1) order by id', [[first, second]])).toEqual(before);
    expect(await decisionsOn([first, second])).toEqual([first, second]);
    const another = await administrator.post(path, { ...body, note: 'something else entirely' }, { 'idempotency-key': 'many-at-once' });
    expect([another.status, another.body.error.code]).toEqual([409, 'idempotency_key_conflict']);
    // Without a key the same decision is also a repeat; a different decision is not.
    expect(await review(body)).toEqual(answer);
    const [row] = await api.sql<{ revision: number }>('select revision from applications where id = $1', [first]);
    const single = { kind: 'application', id: first, decision: 'changes', note, revision: row?.revision };
    administrator.expect(200, await administrator.post('/admin/review', single));
    expect(await api.sql('select id, revision from applications where id = any($1) order by id', [[first, second]])).toEqual(before);
    expect(await decisionsOn([first, second])).toEqual([first, second]);
    const others = (await review({ ...body, note: 'something else entirely' })).failed;
    expect(others.map(({ code }: { code: string }) => code)).toEqual(Array(3).fill('invalid_state'));
  });

  test('uses the revision of the record at the time of its decision', async () => {
    const id = await submitted();
    await api.sql('update applications set revision = revision + 5 where id = $1', [id]);
    expect(await review({ ids: [id], decision: 'changes', note })).toEqual({ succeeded: [id], failed: [] });
  });
});

/** A platform that calls `before` each command with the application and the number of commands so far. */
function watching(before: (applicationId: number, sent: number) => Promise<void>): { platform: Platform; sent: () => number } {
  let sent = 0;
  const command: Processes['command'] = async (ref, ...rest) => {
    sent += 1;
    await before(Number(ref.split('/')[1]), sent);
    await api.platform.processes.command(ref, ...rest);
  };
  const processes = new Proxy(api.platform.processes, {
    get: (target, name) => (name === 'command' ? command : Reflect.get(target, name, target)),
  });
  return { platform: { ...api.platform, processes }, sent: () => sent };
}

// NAT-7
describe('when Temporal stops answering', () => {
  const losing = (isLost: (applicationId: number, sent: number) => boolean) =>
    watching(async (...command) => {
      if (isLost(...command)) throw new DomainError('workflow_unavailable');
    });
  const caller = () => ({
    actor: { kind: 'user', userId: administrator.userId, isAdministrator: true, impersonatedUserId: null } as const,
    requestId: 'in-the-middle',
    ip: null,
  });

  test('the rest fails, is soon no longer sent, and stays in the list', async () => {
    const ids = await manySubmitted(30);
    await administrator.post('/admin/national/lists/review', { operation: 'add', ids });
    const { platform, sent } = losing((_, count) => count > 5);
    const body = { ids, decision: 'changes', note } as const;
    const request = new IdempotentRequest(
      { credential: `user:${administrator.userId}`, rightsNarrowedAt: null },
      'through-the-outage',
      required(api.platform.config, 'SESSION_SECRET'),
    );
    request.identify({ method: 'POST', url: '/api/v1/admin/national/lists/review/review', body, fileSha256: null });
    const { succeeded, failed } = await reviewInBulk(platform, body, { ...caller(), idempotency: request });
    expect(succeeded).toHaveLength(5);
    expect(new Set(failed.map(({ refusal }) => refusal.code))).toEqual(new Set(['workflow_unavailable']));
    expect([...succeeded, ...failed.map(({ id }) => id)].toSorted((a, b) => a - b)).toEqual(ids);
    expect(sent()).toBeLessThan(25);
    expect((await standing(ids)).filter(({ status }) => status === 'changes').map(({ id }) => id)).toEqual(succeeded);
    expect(await listed(administrator)).toEqual(failed.map(({ id }) => id));
    // A repeat once Temporal answers decides nothing twice.
    expect(await review(body, 'through-the-outage')).toEqual({ succeeded: ids, failed: [] });
    expect(await decisionsOn(ids)).toEqual(ids);
    expect(await listed(administrator)).toEqual([]);
  });

  test('a few unanswered commands do not stop the others', async () => {
    const ids = await manySubmitted(12);
    const stuck = new Set(ids.slice(0, 3));
    const { platform } = losing((id) => stuck.has(id));
    const body = { ids, decision: 'changes', note } as const;
    const outcome = await reviewInBulk(platform, body, caller());
    expect(outcome.succeeded).toEqual(ids.slice(3));
  });
});

// NAT-7
describe('when the administrator loses the right during the review', () => {
  test.each<[string, string, string | null]>([
    ['is blocked', "update users set status = 'blocked' where id = $1", null],
    ['is demoted', "update users set role = 'user' where id = $1", null],
    [
      'has the API key revoked',
      'update api_keys set revoked_at = now() where user_id = $1',
      `insert into api_keys (user_id, name, prefix, key_hash, scopes, created_at, expires_at)
       values ($1, 'program', 'fsk_', $2, array['admin:write'], now(), now() + interval '1 day') returning id`,
    ],
  ])('who %s, the rest is refused and no longer sent', async (_, change, key) => {
    const person = await api.user();
    await api.sql("update users set role = 'administrator' where id = $1", [person.userId]);
    const [row] =
      key === null ? [] : await api.sql<{ id: number }>(key, [person.userId, 'a'.repeat(64 - 8) + String(person.userId).padStart(8)]);
    const actor = { kind: 'user', userId: person.userId, isAdministrator: true, impersonatedUserId: null } as const;
    const caller = { actor: row === undefined ? actor : { ...actor, apiKeyId: row.id }, requestId: 'lost-in-the-middle', ip: null };
    const ids = await manySubmitted(20);
    let changed: Promise<unknown> | undefined;
    const { platform, sent } = watching(async (_application, count) => {
      if (count >= 4) await (changed ??= api.sql(change, [person.userId]));
    });
    const { succeeded, failed } = await reviewInBulk(platform, { ids, decision: 'changes', note }, caller);
    // Two commands are sent concurrently.
    expect(succeeded.length).toBeLessThanOrEqual(4);
    expect(succeeded).toEqual(await decisionsOn(ids));
    expect(new Set(failed.map(({ refusal }) => refusal.code))).toEqual(new Set(['forbidden']));
    expect(failed).toHaveLength(ids.length - succeeded.length);
    expect(sent()).toBeLessThan(8);
  });
});
