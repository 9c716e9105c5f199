import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { ok } from '../http/reply.ts';
import { formatDateTime } from '../platform/date-time.ts';
import type { QueueSource } from '../reviews/index.ts';
import { overviewResponse } from './overview-schemas.ts';
import { readOverview } from './read-overview.ts';

/** @param sources of what waits for an administrator */
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
