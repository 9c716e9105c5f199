import { sql } from 'kysely';
import { countUpTo } from '../../platform/database/bounded-queries.ts';
import { ageOf, defineStateGauges, mostCounted } from '../../platform/metrics/state-gauges.ts';
import type { ChangedRecord } from '../changes/index.ts';
import { type QueueRow, queueSources } from './queue-sources.ts';

/**
 * Records that wait for an administrator. Each kind reads the first thousand entries of an index of waiting records, in the order of the
 * waiting; kinds with few records sort them. Without the order, the planner would read the table.
 */
export const queueGauges = defineStateGauges(
  {
    registry_review_queue: { help: `Records that wait for an administrator, by kind, counted up to ${mostCounted}`, labels: ['kind'] },
    registry_review_queue_oldest_seconds: {
      help: 'Age of the record that waits longest, by kind',
      labels: ['kind'],
    },
    registry_incidents_open: { help: `Incidents that no administrator has resolved, counted up to ${mostCounted}`, labels: [] },
  },
  async ({ extensions }, db, now) => {
    const values = [];
    for (const { kind, waiting, select } of extensions.of(queueSources)) {
      const some = db
        .selectFrom(sql<QueueRow>`(${select(db, waiting)})`.as('q'))
        .select('q.waitingSince')
        .orderBy('q.waitingSince')
        .orderBy('q.id')
        .limit(sql.lit(mostCounted + 1))
        .as('w');
      const { n, since } = await db
        .selectFrom(some)
        .select(({ fn }) => [fn.countAll<number>().as('n'), fn.min('w.waitingSince').as('since')])
        .executeTakeFirstOrThrow();
      values.push(
        { name: 'registry_review_queue' as const, labels: { kind }, value: Math.min(n, mostCounted) },
        { name: 'registry_review_queue_oldest_seconds' as const, labels: { kind }, value: ageOf(since, now) },
      );
    }
    const incidents = await countUpTo(db, db.selectFrom('incidents').where('resolvedAt', 'is', null), mostCounted);
    return [...values, { name: 'registry_incidents_open' as const, value: incidents.total }];
  },
);

/** Incidents in the log of changes. */
export const incidentChanges: readonly ChangedRecord[] = [{ record: 'incident', path: ({ id }) => `/admin/incidents/${id}` }];
