import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { dateTimeResponse, id, tiyn } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/date-time.ts';
import type { QueueSource } from '../../reviews/index.ts';
import { readOverview } from './read-overview.ts';

const count = z.int().min(0);

export const overviewResponse = z
  .object({
    queue: z.record(z.string(), count).meta({ description: 'What waits for an administrator, by the kinds of GET /admin/queue' }),
    states: z
      .record(z.string(), z.record(z.string(), count))
      .meta({ description: 'Records by kind and state; a state that no record is in is left out' }),
    oldest: z
      .object({ kind: z.string(), id, title: z.string(), waiting_since: dateTimeResponse })
      .nullable()
      .meta({ description: 'What has waited longest for an administrator' }),
    money: z.object({
      wallets_minor: tiyn.meta({ description: 'What all wallets hold, tiyn' }),
      income_minor: tiyn.meta({ description: "What the federation's services have earned, refunds taken off, tiyn" }),
      premium_minor: tiyn.meta({ description: 'Insurance premiums of national certificates, tiyn' }),
    }),
    processes: z
      .object({
        running: count,
        waiting: count,
        stuck: count.meta({ description: 'Counted up to 10,000 of a kind' }),
        failed: count.nullable().meta({ description: 'Null while the workflow engine cannot be asked' }),
      })
      .meta({ description: 'As GET /admin/processes lists them' }),
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
    summary: 'The registry at a glance: what waits, records by state, money, processes',
    description:
      'Exact, and as quick with a million records as with ten: the database keeps the totals. While the workflow engine is away `processes.failed` is null; those processes are counted as their records stand.',
    response: { data: overviewResponse },
    handler: async ({ platform }) => {
      const { queue, states, oldest, money, processes } = await readOverview(platform, sources);
      return ok({
        queue,
        states,
        oldest: oldest && { kind: oldest.kind, id: oldest.id, title: oldest.title, waiting_since: formatDateTime(oldest.waitingSince) },
        money: { wallets_minor: money.wallets, income_minor: money.income, premium_minor: money.premium },
        processes,
      });
    },
  });
}
