import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import type { AdoptOrphansInput, SweepReport } from './adopt-orphans.contract.ts';

const { sweepDue, sweepOrphans, sweepLeftovers } = proxyActivities<Activities>(bulk);

/** Documents before applications: an expired document is a reason for an application to move, never the other way round. */
const duePhases = ['document', 'invoice', 'application'] as const;
const orphanPhases = ['document', 'profile', 'invoice', 'application'] as const;

/** Drives what is due, adopts what lacks its process, clears what is past its time. */
export async function adoptOrphans(input: AdoptOrphansInput): Promise<SweepReport> {
  const driven: Record<string, number> = {};
  for (const kind of duePhases) driven[`due_${kind}`] = await sweepDue(kind, input);
  for (const kind of orphanPhases) driven[`orphan_${kind}`] = await sweepOrphans(kind, input);
  driven['leftovers'] = await sweepLeftovers(input);
  return { driven };
}
