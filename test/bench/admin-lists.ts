import { createFirstAdministrator } from '../../src/areas/accounts/users/create-first-administrator.ts';
import { allRoutes } from '../../src/routes.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { insertRegistry } from '../support/factories/registries.ts';
import { withPlatform } from './support/bench-stack.ts';
import { type Child, startChild } from './support/child.ts';
import { makeDatabase } from './support/make-database.ts';
import { describeLatencies, percentile, timed } from './support/measure.ts';
import { say, type Verdict } from './support/report.ts';

const goalMs = 100;
const warmUps = 10;
const asksInRound = 10;

const year = new Date().getFullYear();
/** Of each list the ways in which it is asked, beside the plain one. */
const questions: Record<string, readonly string[]> = {
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

/** An API beside the stack, over a database of its own with so many athletes in it, and its administrator. */
export interface Registry {
  api: Child;
  client: TestClient;
}

export async function startRegistry(stack: Stack, name: string, athletes: number): Promise<Registry> {
  const url = await makeDatabase(stack, name);
  await withPlatform(stack, (platform) => createFirstAdministrator(platform, administrator), {
    DATABASE_URL: url.application,
  });
  say(`  inserting ${athletes} athletes with ${3 * athletes} applications`);
  await insertRegistry(url.owner, athletes);
  const [port] = await freePorts(1);
  const api = await startChild(
    '../../src/api.ts',
    { ...stack.env, DATABASE_URL: url.application, PORT: String(port) },
    { tellsHeldMemory: true },
  );
  const client = new TestClient(`http://127.0.0.1:${port}`);
  await client.login(administrator.email, administrator.password);
  return { api, client };
}

/**
 * The administrators' lists among so many athletes, with three applications each: p95 of the slowest question to each list. One after
 * another; a list that this service does not have is left out.
 */
export async function benchAdminLists(stack: Stack, rounds: number, athletes: number): Promise<Verdict[]> {
  const { api, client } = await startRegistry(stack, 'bench_admin_lists', athletes);
  const published = allRoutes({ sandbox: false, ownMetricsPort: false, baseUrl: 'http://localhost' });
  try {
    const verdicts: Verdict[] = [];
    for (const [path, queries] of Object.entries(questions)) {
      if (!published.some((route) => route.method === 'GET' && route.path === path)) {
        say(`  ${path}: is not there`);
        continue;
      }
      let slowest = 0;
      for (const query of ['', ...queries]) {
        const seen: number[] = [];
        for (let turn = -warmUps; turn < rounds * asksInRound; turn += 1) {
          const millis = await timed(async () => client.expect(200, await client.get(encodeURI(path + query).replace('+', '%2B'))));
          if (turn >= 0) seen.push(millis);
        }
        say(`  ${path}${query}: ${describeLatencies(seen)}`);
        slowest = Math.max(slowest, percentile(seen, 0.95));
      }
      const isMet = slowest <= goalMs;
      const measured = `${slowest.toFixed(1)} ms`;
      verdicts.push({ what: `${path} among ${athletes} athletes: p95 of its slowest question`, goal: `<= ${goalMs} ms`, measured, isMet });
    }
    return verdicts;
  } finally {
    await api.stop();
  }
}
