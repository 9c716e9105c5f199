import { randomUUID } from 'node:crypto';
import { createSecretActivities } from '../../../activities/secrets.ts';
import {
  AttemptCountEntity,
  CaptchaEntity,
  PasswordResetEntity,
  type Session,
  SessionEntity,
  UserEntity,
} from '../../../src/areas/accounts/entities.ts';
import { endImpersonationsOf } from '../../../src/areas/accounts/sessions/end-impersonations.ts';
import { clearExpiredData, countAttempt } from '../../../src/areas/accounts/index.ts';
import { hashToken, makeToken } from '../../../src/areas/accounts/secret-tokens.ts';
import { createFirstAdministrator } from '../../../src/areas/accounts/users/create-first-administrator.ts';
import { AuditEventEntity } from '../../../src/areas/audit/entities.ts';
import { isDomainError } from '../../../src/errors.ts';
import { clearExpiredRequests } from '../../../src/platform/expired-rows.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { PrivateInputEntity } from '../../../src/platform/database/entities.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { countStatements } from '../../support/count-statements.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
let platform: Platform;
let close: () => Promise<void>;
/** The registry's clock, moved by the tests. */
let now = new Date();

beforeAll(async () => {
  const started = await startTestPlatform();
  close = () => started.close();
  platform = { ...started.platform, clock: { sandbox: false, now: async () => now } };
});
afterAll(() => close());
beforeEach(() => {
  now = new Date();
});

const em = () => platform.orm.em.fork();
const activities = () => createSecretActivities(platform);
const caller = { actor: { kind: 'process' }, requestId: 'test-accounts', ip: null } as const;

async function insertUser(email = `${randomUUID()}@example.kz`): Promise<number> {
  return em().insert(UserEntity, {
    email,
    passwordHash: 'none',
    name: 'New Person',
    phone: null,
    role: 'user',
    status: 'active',
    createdAt: now,
    updatedAt: now,
  });
}
async function insertSession(fields: Partial<Session> = {}): Promise<string> {
  const id = randomUUID();
  const present = new Date();
  await em().insert(SessionEntity, {
    id,
    tokenHash: hashToken(makeToken()),
    userId: null,
    csrfToken: makeToken(),
    createdAt: present,
    lastSeenAt: present,
    expiresAt: new Date(present.getTime() + 30 * dayMs),
    impersonatedUserId: null,
    impersonationStartedAt: null,
    impersonationExpiresAt: null,
    ...fields,
  });
  return id;
}
async function insertCaptcha(sessionId: string): Promise<string> {
  const id = randomUUID();
  await em().insert(CaptchaEntity, {
    id,
    sessionId,
    purpose: 'register',
    answerHash: 'x',
    expiresAt: new Date(now.getTime() + 10 * minuteMs),
    closedAt: null,
    closedBy: null,
    createdAt: now,
  });
  return id;
}
async function insertReset(userId: number): Promise<number> {
  return em().insert(PasswordResetEntity, {
    userId,
    tokenHash: hashToken(makeToken()),
    expiresAt: new Date(now.getTime() + 30 * minuteMs),
    closedAt: null,
    closedBy: null,
    createdAt: now,
  });
}
const captcha = (id: string) => em().findOneOrFail(CaptchaEntity, { id });
const reset = (id: number) => em().findOneOrFail(PasswordResetEntity, { id });

describe('expireSecret', () => {
  test('closes a captcha only after its expiry, and once', async () => {
    const holder = await insertSession();
    const id = await insertCaptcha(holder);
    await activities().expireSecret({ kind: 'captcha', holder });
    expect(await captcha(id)).toMatchObject({ closedAt: null });
    now = new Date(now.getTime() + 10 * minuteMs);
    await activities().expireSecret({ kind: 'captcha', holder });
    const closed = await captcha(id);
    expect(closed).toMatchObject({ closedAt: now, closedBy: 'time' });
    now = new Date(now.getTime() + minuteMs);
    await activities().expireSecret({ kind: 'captcha', holder });
    expect(await captcha(id)).toEqual(closed);
  });

  test('closes a recovery link with one audit row, also when it runs again', async () => {
    const userId = await insertUser();
    const id = await insertReset(userId);
    now = new Date(now.getTime() + 31 * minuteMs);
    await Promise.all([1, 2, 3].map(() => activities().expireSecret({ kind: 'password-reset', holder: String(userId) })));
    expect(await reset(id)).toMatchObject({ closedAt: now, closedBy: 'time' });
    expect(await em().count(AuditEventEntity, { action: 'password_reset.expired', subjectId: String(userId) })).toBe(1);
  });

  test('ends an expired impersonation with one audit row that names both accounts, also when it runs again (ACC-14)', async () => {
    const [administratorId, userId] = [await insertUser(), await insertUser()];
    const expiresAt = new Date(now.getTime() + 60 * minuteMs);
    const impersonating = { impersonatedUserId: userId, impersonationStartedAt: now, impersonationExpiresAt: expiresAt };
    const holder = await insertSession({ userId: administratorId, ...impersonating });
    await activities().expireSecret({ kind: 'impersonation', holder });
    expect(await em().findOneOrFail(SessionEntity, { id: holder })).toMatchObject(impersonating);
    now = expiresAt;
    await Promise.all([1, 2, 3].map(() => activities().expireSecret({ kind: 'impersonation', holder })));
    expect(await em().findOneOrFail(SessionEntity, { id: holder })).toMatchObject({
      userId: administratorId,
      impersonatedUserId: null,
      impersonationStartedAt: null,
      impersonationExpiresAt: null,
    });
    expect(await em().find(AuditEventEntity, { action: 'impersonation.expired', subjectId: String(userId) })).toMatchObject([
      { actorId: administratorId, impersonatedUserId: userId, ip: null, data: { session_id: holder } },
    ]);
  });

  test('audits many ended impersonations in one statement, each with its own two accounts', async () => {
    const blockedId = await insertUser();
    const expiresAt = new Date(now.getTime() + 60 * minuteMs);
    const impersonation = { impersonatedUserId: blockedId, impersonationStartedAt: now, impersonationExpiresAt: expiresAt };
    const administratorIds = [await insertUser(), await insertUser(), await insertUser()];
    for (const userId of administratorIds) await insertSession({ userId, ...impersonation });
    const ending = () => commit(platform, { ...caller, requestId: 'many-ends' }, (ctx) => endImpersonationsOf(ctx, blockedId));
    const { result, statements } = await countStatements(ending);
    expect([result, statements.filter(({ text }) => text.includes('"audit_events"')).length]).toEqual([3, 1]);
    const notified = await em().find(AuditEventEntity, { action: 'impersonation.ended', subjectId: String(blockedId) });
    expect(new Set(notified.map(({ actorId }) => actorId))).toEqual(new Set(administratorIds));
    expect(notified).toHaveLength(3);
    expect(notified.every((row) => row.impersonatedUserId === blockedId && row.requestId === 'many-ends' && row.ip === null)).toBe(true);
  });

  test('does nothing for a holder that does not exist', async () => {
    await expect(activities().expireSecret({ kind: 'impersonation', holder: randomUUID() })).resolves.toBeUndefined();
    await expect(activities().expireSecret({ kind: 'captcha', holder: randomUUID() })).resolves.toBeUndefined();
    await expect(activities().expireSecret({ kind: 'password-reset', holder: '2000000000' })).resolves.toBeUndefined();
  });
});

// ACC-20
describe('clearExpiredData', () => {
  const clear = async () => {
    const [data, requests] = [await commit(platform, caller, clearExpiredData), await commit(platform, caller, clearExpiredRequests)];
    return data.changed + requests.changed;
  };

  test('closes expired secrets, deletes old sessions with captchas, counters and private inputs; the second run finds nothing', async () => {
    const present = Date.now();
    const ago = (ms: number) => new Date(present - ms);
    const kept = {
      fresh: await insertSession(),
      justEnded: await insertSession({ expiresAt: ago(minuteMs) }),
      idle: await insertSession({ lastSeenAt: ago(13 * 60 * minuteMs) }),
    };
    const gone = {
      old: await insertSession({ expiresAt: ago(dayMs + minuteMs) }),
      idle: await insertSession({ lastSeenAt: ago(1.6 * dayMs) }),
    };
    const captchas = { kept: await insertCaptcha(kept.fresh), gone: await insertCaptcha(gone.old) };
    const link = await insertReset(await insertUser());
    await em().insert(AttemptCountEntity, { key: 'over', count: 3, resetsAt: ago(1) });
    await em().insert(AttemptCountEntity, { key: 'open', count: 3, resetsAt: new Date(present + dayMs) });
    const inputs = { old: randomUUID(), fresh: randomUUID() };
    await em().insert(PrivateInputEntity, { id: inputs.old, body: {}, createdAt: ago(dayMs + minuteMs) });
    await em().insert(PrivateInputEntity, { id: inputs.fresh, body: {}, createdAt: ago(minuteMs) });

    now = new Date(present + 40 * minuteMs);
    expect(await clear()).toBeGreaterThanOrEqual(6);
    expect((await em().find(SessionEntity, { id: [...Object.values(kept), ...Object.values(gone)] })).map(({ id }) => id).sort()).toEqual(
      Object.values(kept).sort(),
    );
    expect(await captcha(captchas.kept)).toMatchObject({ closedBy: 'time' });
    expect(await em().count(CaptchaEntity, { id: captchas.gone })).toBe(0);
    expect(await reset(link)).toMatchObject({ closedBy: 'time' });
    expect((await em().find(AttemptCountEntity, { key: ['over', 'open'] })).map(({ key }) => key)).toEqual(['open']);
    expect((await em().find(PrivateInputEntity, { id: Object.values(inputs) })).map(({ id }) => id)).toEqual([inputs.fresh]);
    expect(await clear()).toBe(0);
  });

  test('frees idempotency keys after thirty days', async () => {
    for (const [id, ageDays] of [
      ['fresh', 29.9],
      ['old', 30.1],
    ] as const)
      await em().execute(
        `insert into idempotent_requests (id, fingerprint, is_committed, is_answered, created_at) values (?, '', true, false, ?::timestamptz)`,
        [id, new Date(Date.now() - ageDays * dayMs)],
      );
    expect(await clear()).toBe(1);
    expect(await em().execute('select id from idempotent_requests')).toEqual([{ id: 'fresh' }]);
  });

  test.each([
    [
      'processed commands after thirty days',
      30,
      `insert into receipts (workflow_id, command_id, at)
       select ?, gen_random_uuid()::text, ?::timestamptz from generate_series(1, ?::int)`,
      'select distinct workflow_id as name from receipts order by 1',
    ],
    [
      "security events after ninety days by the registry's clock (AUD-7)",
      90,
      `insert into security_events (action, subject_kind, subject_id, request_id, at, count, data, fingerprint)
       select 'login.failed', 'route', ?, 'request', ?::timestamptz, 1, '{}', md5(random()::text) || n from generate_series(1, ?::int) n`,
      'select distinct subject_id as name from security_events order by 1',
    ],
  ])('deletes %s, the oldest first and in batches', async (_what, days, insert, select) => {
    const insertAged = (name: string, ageDays: number, count: number) =>
      em().execute(insert, [name, new Date(now.getTime() - ageDays * dayMs), count]);
    const left = async () => (await em().execute<{ name: string }[]>(select)).map(({ name }) => name);
    await insertAged('young', days - 0.1, 1);
    await insertAged('old', days + 0.1, 1);
    await insertAged('oldest', 400, 1000);
    expect([await clear(), await left()]).toEqual([1000, ['old', 'young']]);
    expect([await clear(), await left()]).toEqual([1, ['young']]);
    if (days === 30) return;
    now = new Date(now.getTime() + dayMs);
    expect([await clear(), await left()]).toEqual([1, []]);
  });

  test('deletes expired and idle sessions in batches', async () => {
    const insertSessions = (column: 'expires_at' | 'last_seen_at', count: number) =>
      em().execute(
        `insert into sessions (id, token_hash, csrf_token, created_at, last_seen_at, expires_at)
         select gen_random_uuid(), md5(gen_random_uuid()::text) || md5(n::text), '', past,
                case when ? = 'last_seen_at' then past else now() end, case when ? = 'expires_at' then past else now() + interval '30 days' end
         from generate_series(1, ?::int) n, lateral (select now() - interval '3 days' as past) p`,
        [column, column, count],
      );
    const kept = await insertSession();
    await insertSessions('expires_at', 1002);
    await insertSessions('last_seen_at', 1001);
    expect([await clear(), await clear(), await clear()]).toEqual([2000, 3, 0]);
    expect(await em().count(SessionEntity, { id: kept })).toBe(1);
  });
});

describe('countAttempt', () => {
  test('accepts exactly the limit of concurrent attempts', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, () => countAttempt(platform, { key: 'parallel', limit: 5, windowSeconds: 60 })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refusals.every((error) => isDomainError(error) && error.code === 'rate_limited')).toBe(true);
  });

  test('counts from one again when the window is over', async () => {
    await em().insert(AttemptCountEntity, { key: 'window', count: 99, resetsAt: new Date(Date.now() - 1) });
    await countAttempt(platform, { key: 'window', limit: 1, windowSeconds: 60 });
    await expect(countAttempt(platform, { key: 'window', limit: 1, windowSeconds: 60 })).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

describe('createFirstAdministrator', () => {
  const email = 'Admin@localhost';

  test('refuses the address of a registered user, then creates one administrator for many concurrent calls', async () => {
    const squatter = await insertUser('admin@localhost');
    await expect(createFirstAdministrator(platform, { email, password: 'the-first-administrator' })).rejects.toMatchObject({
      code: 'email_taken',
    });
    // The service has no right to delete accounts.
    await em().nativeUpdate(UserEntity, { id: squatter }, { email: 'squatter@example.kz' });

    const created = await Promise.all(
      [1, 2, 3, 4].map(() => createFirstAdministrator(platform, { email, password: 'the-first-administrator' })),
    );
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await em().find(UserEntity, { role: 'administrator' })).toMatchObject([{ email: 'admin@localhost', status: 'active' }]);
    expect(await em().count(AuditEventEntity, { action: 'administrator.created' })).toBe(1);
    expect(await createFirstAdministrator(platform, { email: 'second@localhost', password: 'the-first-administrator' })).toBe(false);
  });
});
