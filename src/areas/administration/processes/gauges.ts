import { defineStateGauges, mostCounted } from '../../../platform/metrics/state-gauges.ts';
import { listStuck } from '../../../platform/workflows/process-troubles.ts';
import { findFailed, listedWork, listFailuresIfKnown } from './find-processes.ts';
import { overdueMs } from './process-status.ts';

/** Processes that need support (ADM-3). A process may count as stuck and as overdue. */
export const processGauges = defineStateGauges(
  {
    registry_processes: {
      help: `Processes that are stuck, failed or five minutes overdue, by kind, counted up to ${mostCounted}; none are failed while Temporal is away`,
      labels: ['kind', 'state'],
    },
  },
  async (platform, db, now) => {
    const works = listedWork(platform);
    const byKind = new Map(works.map((work) => [work.kind, work]));
    const troubles = await listStuck(db, [...byKind.keys()], mostCounted);
    const stuck = new Map(troubles.map(({ process, kind }) => [process, kind]));
    const failures = await listFailuresIfKnown(platform, works);
    const failed = failures === null ? null : await findFailed(db, byKind, failures.byProcess, now);
    const values = [];
    for (const { kind, listDue } of works) {
      const overdue = await listDue(db, new Date(now.getTime() - overdueMs), null, mostCounted);
      const counts = {
        stuck: [...stuck.values()].filter((other) => other === kind).length,
        overdue: overdue.length,
        ...(failed === null ? {} : { failed: failed.filter(({ process }) => process.kind === kind).length }),
      };
      for (const [state, value] of Object.entries(counts))
        values.push({ name: 'registry_processes' as const, labels: { kind, state }, value });
    }
    return values;
  },
);
