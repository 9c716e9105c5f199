import { Client } from 'pg';
import { extensions } from '../../src/registry/areas.ts';
import { audit } from '../../src/areas/audit/index.ts';
import type { Position } from '../../src/areas/changes/cursor.ts';
import { type ChangesWanted, readChanges } from '../../src/areas/changes/read-changes.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { commit } from '../../src/platform/commands/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { makeDatabase } from './support/bench-stack.ts';
import { atMost, interleaved, median, say, secondsSince, timed, type Verdict } from './support/measure.ts';

const few = 100_000;
/** Changes of one transaction, of one account and of a rare type: in each log the same, so that pages have the same number of changes. */
const [ofTransaction, ofAccount, ofRareType] = [4, 100, 100];
const batch = 1_000_000;
const readsOfRound = 200;
/** Most changes of a page of `GET /changes`. */
const pageOfReader = 100;
const roundsFactor = 4;

/** `changes`: time of a page of `GET /changes` and of a command's change among many changes, to a hundred thousand. */
export async function benchChanges(stack: Stack, rounds: number, many: number): Promise<Verdict[]> {
  const small = await openLog(stack, 'bench_changes_few', few);
  const large = await openLog(stack, 'bench_changes_many', many);
  try {
    const verdicts: Verdict[] = [];
    for (const name of Object.keys(small.work)) {
      const [ours, theirs] = [large.work[name], small.work[name]];
      if (!ours || !theirs) continue;
      const seen = await interleaved(roundsFactor * rounds, { ours: () => timed(ours), theirs: () => timed(theirs) });
      const millis = (values: readonly number[]) => (median(values) / readsOfRound).toFixed(2);
      say(`  ${name}: ${millis(seen.ours)} ms among ${many}, ${millis(seen.theirs)} ms among ${few}`);
      verdicts.push(atMost(1.2, `${name} among ${many} changes, to ${few}`, median(seen.ours) / median(seen.theirs)));
    }
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1) rates.push(await large.readThrough());
    say(`  read through, ${pageOfReader} a page: ${median(rates).toFixed(0)} changes a second`);
    return verdicts;
  } finally {
    await Promise.all([small.close(), large.close()]);
  }
}

interface Log {
  /** Each does its work `readsOfRound` times. */
  work: Record<string, () => Promise<void>>;
  /** Reads a million changes, or all, from the beginning, page after page. @returns changes a second */
  readThrough(): Promise<number>;
  close(): Promise<void>;
}

async function openLog(stack: Stack, name: string, count: number): Promise<Log> {
  const url = await makeDatabase(stack, name);
  const startedAt = performance.now();
  await insertChanges(url.owner, count);
  say(`  ${count} changes inserted in ${secondsSince(startedAt)} s`);
  const orm = await openRegistry(url.application, 2);
  const db = databaseOf(orm.em.fork());
  // The same share of the log is behind each reader.
  const places = Array.from({ length: readsOfRound }, (_, n): Position => ({
    ...beginning,
    place: Math.floor((count / ofTransaction) * 0.9 * (n / readsOfRound)),
  }));
  const reading = (wanted: Pick<ChangesWanted, 'audience' | 'actions'>) => async () => {
    for (const [n, after] of places.entries()) {
      const audience = wanted.audience === 'all' ? 'all' : { userId: 1 + ((n * 37) % (count / ofAccount)) };
      await readChanges(db, { ...wanted, audience, after, limit: 50, now: new Date() });
    }
  };
  const platform = { orm, clock: systemClock, extensions, outbox: relayOnlyOutbox };
  const caller = { actor: { kind: 'process' }, requestId: 'bench', ip: null } as const;
  return {
    work: {
      'a page of all changes': reading({ audience: 'all', actions: null }),
      'a page of a rare type': reading({ audience: 'all', actions: ['incident.resolved'] }),
      'a page of an account': reading({ audience: { userId: 1 }, actions: null }),
      'a page of an account and a record': reading({ audience: { userId: 1 }, actions: ['application.approved', 'application.paid'] }),
      'a command with a change': async () => {
        for (let n = 0; n < readsOfRound; n += 1)
          await commit(platform, caller, (ctx) => audit(ctx, 'incident.resolved', { kind: 'incident', id: n }));
      },
    },
    async readThrough() {
      const startedAt = performance.now();
      let [read, after] = [0, beginning];
      for (let isMore = true; isMore && read < batch;) {
        const { rows, next } = await readChanges(db, { audience: 'all', after, limit: pageOfReader, actions: null, now: new Date() });
        read += rows.length;
        after = next;
        isMore = rows.length === pageOfReader;
      }
      return read / ((performance.now() - startedAt) / 1000);
    },
    close: () => orm.close(true),
  };
}

const beginning: Position = { place: 0, id: 0, at: new Date() };

/** Inserts changes of ninety days in the order of time, below the present transaction. */
async function insertChanges(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const months of [2, 1]) await client.query(`select keep_change_partitions(now() - make_interval(months => $1))`, [months]);
    for (let from = 0; from < count; from += batch)
      await client.query(
        `insert into changes (place, id, written_at, at, action, subject_kind, subject_id, owner_id, organizer_id, status)
         select n / $3, n, t, t, case when n % $5 = 0 then 'incident.resolved' else a.actions[1 + n % 7] end, 'application', n,
           1 + (n * 7919::bigint) % $4, case when n % 10 = 0 then 1 + (n * 104729::bigint) % $4 end, 'approved'
         from generate_series($1::int, $2::int) n
         cross join lateral (select now() - interval '85 days' * (1 - n::float8 / $6) as t) d
         cross join (select array['application.created', 'application.submitted', 'application.paid', 'application.approved',
           'document.created', 'document.approved', 'registration.submitted'] as actions) a`,
        [from, Math.min(from + batch, count) - 1, ofTransaction, count / ofAccount, Math.floor(count / ofRareType), count],
      );
    await client.query('select setval($1, $2)', ['change_numbers', count]);
    await client.query('vacuum analyze changes');
  } finally {
    await client.end();
  }
}
