import type { Database } from '../../../platform/database/database.ts';
import { type PublicResult, publicResults } from '../participants/queries.ts';
import { findPublicEvent, type PublicEvent } from './queries.ts';

/** Reads an event that was published, with its results once they are approved (EVT-17); null for any other event. */
export async function readPublicEvent(db: Database, id: number): Promise<{ event: PublicEvent; results: PublicResult[] } | null> {
  const event = await findPublicEvent(db, id);
  if (!event) return null;
  const isDecided = event.stages.some(({ stage, status }) => stage === 'results' && status === 'approved');
  return { event, results: isDecided ? await publicResults(db, id) : [] };
}
