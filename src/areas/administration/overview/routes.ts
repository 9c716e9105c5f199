import { sql } from 'kysely';
import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { dateTimeResponse, id, tiyn } from '../../../http/schemas.ts';
import { query } from '../../../platform/commands/command.ts';
import type { Database } from '../../../platform/database/database.ts';
import { readTallies, type Tally } from '../../../platform/database/tallies.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { QueueRow, QueueSource } from '../../reviews/index.ts';
import { type DaySums, sumDay } from '../../wallet/index.ts';
import { countWaiting, findSections, listedWork, listFailuresIfKnown, nothingFailed } from '../processes/find-processes.ts';

type OldestRecord = Pick<QueueRow, 'kind' | 'id' | 'title' | 'waitingSince'>;

/** Totals of the registry for administrators. */
interface Overview {
  at: Date;
  /** Number of records that wait for an administrator, by kind. */
  queue: Record<string, number>;
  /** Number of records by kind and state. */
  states: Record<string, Record<string, number>>;
  /** The record of each kind that has waited longest, the oldest first; kinds without one are absent. */
  oldest: OldestRecord[];
  /** Tiyn. */
  money: { wallets: number; income: number; premium: number; today: DaySums };
  /** `failed` is null while Temporal is unavailable. */
  processes: { running: number; waiting: number; stuck: number; failed: number | null };
}

/**
 * Reads the overview. Its cost does not grow with the number of records: the database keeps the totals of states and money, and partial
 * indexes hold the waiting and due records. Only the sums of today read each transaction of the day (ADM-10).
 */
async function readOverview(platform: Platform, sources: readonly QueueSource[]): Promise<Overview> {
  const processes = listedWork(platform);
  const failures = await listFailuresIfKnown(platform, processes);
  return query(platform, async (db, now) => {
    const [queue, oldest, tallies, today, sections] = await Promise.all([
      countQueue(db, sources),
      findOldest(db, sources),
      readTallies(db),
      sumDay(db, now),
      findSections(db, processes, failures?.byProcess ?? nothingFailed, now),
    ]);
    const totalOf = (name: string, key: string) => tallies.find((tally) => tally.name === name && tally.key === key)?.n ?? 0;
    return {
      at: now,
      queue,
      states: statesOf(tallies),
      oldest,
      money: { wallets: totalOf('money', 'wallet'), income: totalOf('money', 'income'), premium: totalOf('money', 'insurance'), today },
      processes: {
        running: sections.running.length,
        waiting: await countWaiting(db, processes, sections, tallies),
        stuck: sections.stuck.length,
        failed: failures === null ? null : sections.failed.length,
      },
    };
  });
}

/** Totals that are not states of a kind. */
const otherTallies: ReadonlySet<string> = new Set(['living', 'money']);

function statesOf(tallies: readonly Tally[]): Overview['states'] {
  const states: Overview['states'] = {};
  for (const { name, key, n } of tallies.toSorted((left, right) => (left.key < right.key ? -1 : 1)))
    if (!otherTallies.has(name) && n !== 0) states[name] = { ...states[name], [key]: n };
  return states;
}

async function countQueue(db: Database, sources: readonly QueueSource[]): Promise<Record<string, number>> {
  const counts = sources.map(
    (source) => sql`select ${sql.lit(source.kind)} as kind, count(*)::int as n from (${source.select(db, source.waiting)}) as q`,
  );
  if (counts.length === 0) return {};
  const { rows } = await sql<{ kind: string; n: number }>`${sql.join(counts, sql` union all `)}`.execute(db);
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
}

/** Finds the oldest waiting record of each kind by the index of the kind, the oldest of all first. */
async function findOldest(db: Database, sources: readonly QueueSource[]): Promise<OldestRecord[]> {
  if (sources.length === 0) return [];
  const firsts = sources.map(
    (source) => sql`(select * from (${source.select(db, source.waiting)}) as s order by waiting_since, id limit 1)`,
  );
  return db
    .selectFrom(sql<QueueRow>`(${sql.join(firsts, sql` union all `)})`.as('q'))
    .select(['q.kind', 'q.id', 'q.title', 'q.waitingSince'])
    .orderBy('q.waitingSince')
    .orderBy('q.kind')
    .orderBy('q.id')
    .execute();
}

const count = z.int().min(0);

const overviewResponse = z
  .object({
    at: dateTimeResponse.describe('Time of these totals by the clock of the registry, which is ahead of others in a sandbox'),
    queue: z.record(z.string(), count).describe('Number of records that wait for an administrator, by the kinds of GET /admin/queue'),
    states: z
      .record(z.string(), z.record(z.string(), count))
      .describe('Number of records by kind and state; states without records are omitted'),
    oldest: z
      .object({ kind: z.string().describe('Kind of the record'), id, title: z.string(), waiting_since: dateTimeResponse })
      .nullable()
      .describe('The record that has waited longest for an administrator; null for an empty queue'),
    waiting_since: z
      .record(z.string(), dateTimeResponse)
      .describe('Since when the oldest record of each kind waits; kinds without a waiting record are omitted'),
    money: z.object({
      wallets_minor: tiyn.describe('Sum of all wallets, tiyn'),
      income_minor: tiyn.describe("Income of the federation's services without refunds, tiyn"),
      premium_minor: tiyn.describe('Insurance premiums of national certificates, tiyn'),
      today: z
        .object({
          paid_in_minor: tiyn.describe('Paid invoices, tiyn'),
          income_minor: tiyn.describe("Payments for the federation's services before refunds, tiyn"),
          premium_minor: tiyn.describe('Payments for national certificates before refunds, tiyn'),
          refunded_minor: tiyn.describe('Refunds of applications to wallets, tiyn'),
        })
        .describe('Booked since midnight in UTC+5. No sum is lowered by another; corrections and reversals of invoices are in none'),
    }),
    processes: z
      .object({
        running: count.describe('A step runs or is due'),
        waiting: count.describe('For a person or a date'),
        stuck: count.describe('Counts up to 10,000 of each kind'),
        failed: count.nullable().describe('Null while Temporal is unavailable'),
      })
      .describe('Number of processes by their state in GET /admin/processes'),
  })
  .meta({ id: 'Overview' });

/** @param sources the kinds of records that wait for an administrator */
export function createOverviewRoute(sources: readonly QueueSource[]): Route {
  return defineRoute({
    name: 'getOverview',
    method: 'GET',
    path: '/admin/overview',
    access: access.administrator('admin:read'),
    tag: 'Administration',
    summary: 'Get the totals of the registry: queue, records by state, money, processes',
    description:
      'The database keeps exact totals, so the response time does not grow with the number of records, but with the transactions of the day. While Temporal is unavailable, `processes.failed` is null; failed processes are then counted by the state of their record.',
    response: { data: overviewResponse },
    handler: async ({ platform }) => {
      const { at, queue, states, oldest, money, processes } = await readOverview(platform, sources);
      const [first] = oldest;
      return ok({
        at: formatDateTime(at),
        queue,
        states,
        oldest:
          first === undefined
            ? null
            : { kind: first.kind, id: first.id, title: first.title, waiting_since: formatDateTime(first.waitingSince) },
        waiting_since: Object.fromEntries(oldest.map(({ kind, waitingSince }) => [kind, formatDateTime(waitingSince)])),
        money: {
          wallets_minor: money.wallets,
          income_minor: money.income,
          premium_minor: money.premium,
          today: {
            paid_in_minor: money.today.paidIn,
            income_minor: money.today.income,
            premium_minor: money.today.premium,
            refunded_minor: money.today.refunded,
          },
        },
        processes,
      });
    },
  });
}
