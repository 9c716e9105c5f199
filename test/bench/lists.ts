import { createFirstAdministrator } from '../../src/areas/accounts/users/create-first-administrator.ts';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import { allRoutes } from '../../src/registry/routes.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { insertRegistry } from '../support/factories/registries.ts';
import { makeDatabase, withDatabase, withPlatform } from './support/bench-stack.ts';
import { type Child, startChild } from './support/child.ts';
import { atMost, describeLatencies, percentile, say, timed, type Verdict } from './support/measure.ts';

const few = 100;
const calendarWarmUps = 200;
const calendarSamples = 200;

/** Requests to the calendar, by name; each is measured separately. */
const calendarRequests: Record<string, string> = {
  'first page': '/events/public',
  'from a day': '/events/public?from=2027-06-01',
  'one discipline': '/events/public?discipline_id=3&limit=50',
  'a word of one event in fifty': `/events/public?q=${encodeURIComponent('серия7')}`,
  'a word of all events': `/events/public?q=${encodeURIComponent('кубок')}`,
  'two words, a discipline and a day': `/events/public?q=${encodeURIComponent('кубок алматы')}&discipline_id=3&from=2027-02-01`,
  'the HTML page': '/events?from=2027-01-01',
};

/** `calendar`: p95 of each request to the public calendar, to one with a hundred events of the same seasons. Alternates both. */
export async function benchCalendar(stack: Stack, rounds: number, many: number): Promise<Verdict[]> {
  const ports = await freePorts(2);
  const start = async (name: string, count: number, port: number | undefined) => {
    const url = await makeDatabase(stack, name);
    await insertEvents(url.owner, count);
    const api = await startChild('../../src/api.ts', { ...stack.env, DATABASE_URL: url.application, PORT: String(port) });
    return { api, time: (path: string) => timed(() => read(`http://127.0.0.1:${port}${path}`)) };
  };
  const small = await start('bench_calendar_few', few, ports[0]);
  const large = await start('bench_calendar_many', many, ports[1]);
  try {
    const verdicts: Verdict[] = [];
    for (const [name, url] of Object.entries(calendarRequests)) {
      const path = url.startsWith('/events/public') ? apiPrefix + url : url;
      const seen = { few: [] as number[], many: [] as number[] };
      for (let turn = -calendarWarmUps; turn < rounds * calendarSamples; turn += 1) {
        const [inFew, inMany] = [await small.time(path), await large.time(path)];
        if (turn < 0) continue;
        seen.few.push(inFew);
        seen.many.push(inMany);
      }
      say(`  ${name}: ${describeLatencies(seen.many)} among ${many}, ${describeLatencies(seen.few)} among ${few}`);
      const share = percentile(seen.many, 0.95) / percentile(seen.few, 0.95);
      verdicts.push(atMost(2, `calendar, ${name}: p95 among ${many} events, to ${few}`, share));
    }
    return verdicts;
  } finally {
    await Promise.all([small.api.stop(), large.api.stop()]);
  }
}

/** @throws when the response is not 200: a benchmark of refusals measures nothing */
async function read(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}`);
}

/** Inserts published events of four seasons, fifty organizers and five disciplines. */
async function insertEvents(databaseUrl: string, count: number): Promise<void> {
  await withDatabase(databaseUrl, async (owner) => {
    await owner.query(
      `insert into users (id, email, password_hash, name, role, status, created_at, updated_at)
       select n, 'organizer-' || n || '@example.kz', 'not a password hash', 'Person ' || n, 'user', 'active', now(), now() from generate_series(1, 50) n`,
    );
    await owner.query(
      `insert into profiles (id, owner_id, kind, name, data, status, photo_status, ever_approved, created_at, updated_at)
       select n, n, 'organizer', 'Автоклуб ' || n, '{}', 'approved', 'approved', true, now(), now() from generate_series(1, 50) n`,
    );
    await owner.query(
      `insert into events (owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, published_at, created_at, updated_at)
       select 1 + n % 50, 1 + n % 50, 30, 1 + n % 5, 'Кубок Республики, серия' || n % 50 || ', этап ' || n, (array['Алматы', 'Астана', 'Өскемен', 'Шымкент'])[1 + n % 4],
         s, s + interval '2 days', 'published', now(), now(), now()
       from generate_series(1, $1::int) n, lateral (select timestamptz '2025-01-01 09:00+05' + (n * interval '4 years' / $1::int) as s) as start`,
      [count],
    );
    await owner.query('vacuum analyze events, calendar_entries, profiles');
  });
}

const goalMs = 100;
const listWarmUps = 10;
const listSamples = 10;

const year = new Date().getFullYear();
/** Query strings of each list, beside the empty one. */
const listQueries: Record<string, readonly string[]> = {
  '/admin/athletes': [
    '?limit=100',
    '?page=4000',
    '?status=approved',
    '?status=pending&certificate=issued',
    '?certificate=issued&limit=100',
    '?certificate=not_issued',
    '?certificate=pending&status=changes',
    '?certificate=pending&page=500',
    '?q=Редкостнович',
    '?q=Маратұлы&page=200',
    '?q=алматы&certificate=not_issued&status=approved',
    '?q=иванов сергей редкостнович',
    '?q=person-77@mail.example',
    '?q=example',
    '?q=+7 (701) 000-12-34',
    '?q=900000001234',
    '?q=777',
  ],
  '/admin/users': ['?q=person-77', '?q=person&page=50', '?role=administrator', '?status=blocked', '?page=1000'],
  '/admin/ledger': ['?user_id=777', '?type=invoice_payment', `?from=${year}-01-01&to=${year}-06-30`, '?type=correction', '?page=400'],
  '/admin/audit': ['?actor_id=1', '?action=application.submitted', '?subject=profile', `?from=${year}-01-01`, '?page=400'],
  '/admin/queue': ['?kind=document', '?status=changes', '?q=Редкостнович', '?kind=application&page=5', '?page=50'],
  '/admin/national': [
    `?year=${year}`,
    `?year=${year}&status=submitted`,
    `?year=${year}&q=Редкостнович`,
    `?year=${year}&paid=true&print=not_exported`,
    `?year=${year}&service_id=2&insurance=not_exported&page=100`,
    '?page=1000',
  ],
  '/admin/chats': ['?limit=100', '?page=1000'],
  '/admin/overview': [],
  '/admin/processes': ['?state=waiting', '?state=stuck', '?state=running', '?state=failed'],
};

const administrator = { email: 'office@example.kz', password: 'the-office-of-the-benchmark' };

/** An API on a database of its own, and its administrator's client. */
interface Registry {
  api: Child;
  client: TestClient;
}

export async function startRegistry(stack: Stack, name: string, athletes: number): Promise<Registry> {
  const url = await makeDatabase(stack, name);
  await withPlatform(stack, (platform) => createFirstAdministrator(platform, administrator), { DATABASE_URL: url.application });
  say(`  inserting ${athletes} athletes with ${3 * athletes} applications`);
  await insertRegistry(url.owner, athletes);
  const [port] = await freePorts(1);
  const env = { ...stack.env, DATABASE_URL: url.application, PORT: String(port) };
  const api = await startChild('../../src/api.ts', env, { reportsHeap: true });
  const client = new TestClient(`http://127.0.0.1:${port}`);
  await client.login(administrator.email, administrator.password);
  return { api, client };
}

/**
 * `admin-lists`: p95 of the slowest query of each of the administrators' lists, one request after another. Skips a list that the service
 * does not have.
 */
export async function benchAdminLists(stack: Stack, rounds: number, athletes: number): Promise<Verdict[]> {
  const { api, client } = await startRegistry(stack, 'bench_admin_lists', athletes);
  const published = allRoutes({ sandbox: false, ownMetricsPort: false, baseUrl: 'http://localhost' });
  try {
    const verdicts: Verdict[] = [];
    for (const [path, queries] of Object.entries(listQueries)) {
      if (!published.some((route) => route.method === 'GET' && route.path === path)) {
        say(`  ${path}: no such route`);
        continue;
      }
      let slowest = 0;
      for (const query of ['', ...queries]) {
        const seen: number[] = [];
        for (let turn = -listWarmUps; turn < rounds * listSamples; turn += 1) {
          const millis = await timed(async () => client.expect(200, await client.get(encodeURI(path + query).replace('+', '%2B'))));
          if (turn >= 0) seen.push(millis);
        }
        say(`  ${path}${query}: ${describeLatencies(seen)}`);
        slowest = Math.max(slowest, percentile(seen, 0.95));
      }
      const what = `${path} among ${athletes} athletes: p95 of its slowest query`;
      verdicts.push({ what, goal: `<= ${goalMs} ms`, measured: `${slowest.toFixed(1)} ms`, isMet: slowest <= goalMs });
    }
    return verdicts;
  } finally {
    await api.stop();
  }
}
