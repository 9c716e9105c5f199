import { Client } from 'pg';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { startChild } from './support/child.ts';
import { makeDatabase } from './support/make-database.ts';
import { describeLatencies, percentile, timed } from './support/measure.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const few = 100;
const warmUps = 200;
const asksInRound = 200;

/** What is asked of the calendar, by name: each is measured by itself. */
const questions: Record<string, string> = {
  'first page': '/events/public',
  'from a day': '/events/public?from=2027-06-01',
  'of a discipline': '/events/public?discipline_id=3&limit=50',
  'a word of one event in fifty': `/events/public?q=${encodeURIComponent('серия7')}`,
  'a word of all events': `/events/public?q=${encodeURIComponent('кубок')}`,
  'two words, a discipline and a day': `/events/public?q=${encodeURIComponent('кубок алматы')}&discipline_id=3&from=2027-02-01`,
  'the page for people': '/events?from=2027-01-01',
};

/**
 * The public calendar among so many events and among a hundred, of the same seasons: p95 of each question. They are asked one after
 * another, by turns of both, so that whatever slows the machine slows both.
 */
export async function benchCalendar(stack: Stack, rounds: number, many: number): Promise<Verdict[]> {
  const ports = await freePorts(2);
  const start = async (name: string, count: number, port: number | undefined) => {
    const url = await makeDatabase(stack, name);
    await insertEvents(url.owner, count);
    const api = await startChild('../../src/api.ts', { ...stack.env, DATABASE_URL: url.application, PORT: String(port) });
    const ask = (path: string) => timed(() => read(`http://127.0.0.1:${port}${path}`));
    return { api, ask };
  };
  const small = await start('bench_calendar_few', few, ports[0]);
  const large = await start('bench_calendar_many', many, ports[1]);
  try {
    const verdicts: Verdict[] = [];
    for (const [name, question] of Object.entries(questions)) {
      const path = question.startsWith('/events/public') ? apiPrefix + question : question;
      const seen = { few: [] as number[], many: [] as number[] };
      for (let turn = -warmUps; turn < rounds * asksInRound; turn += 1) {
        const [inFew, inMany] = [await small.ask(path), await large.ask(path)];
        if (turn < 0) continue;
        seen.few.push(inFew);
        seen.many.push(inMany);
      }
      say(`  ${name}: ${describeLatencies(seen.many)} among ${many}, ${describeLatencies(seen.few)} among ${few}`);
      const share = percentile(seen.many, 0.95) / percentile(seen.few, 0.95);
      verdicts.push({
        what: `calendar, ${name}: p95 among ${many} events against ${few}`,
        goal: '<= 2.00',
        measured: ratio(share),
        isMet: share <= 2,
      });
    }
    return verdicts;
  } finally {
    await Promise.all([small.api.stop(), large.api.stop()]);
  }
}

async function read(url: string): Promise<void> {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  // A benchmark of refusals measures nothing.
  if (answer.status !== 200) throw new Error(`${url} was answered with ${answer.status}`);
}

/** Published events spread over four seasons, by fifty organizers, of five disciplines; as the tables would hold them after years. */
async function insertEvents(databaseUrl: string, count: number): Promise<void> {
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
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
  } finally {
    await owner.end();
  }
}
