import type { Database } from '../../../platform/database/database.ts';
import { findNames } from '../../accounts/index.ts';
import type { ListedEvent } from '../../audit/index.ts';

/** An event with the present names of its accounts, which the audit itself does not store (AUD-3). */
export interface NamedEvent extends ListedEvent {
  actorName: string | null;
  impersonatedUserName: string | null;
}

/** Adds the names of both accounts of each event, in one statement. */
export async function nameActors(db: Database, events: readonly ListedEvent[]): Promise<NamedEvent[]> {
  const nameOf = await findNames(
    db,
    events.flatMap(({ actorId, impersonatedUserId }) => [actorId, impersonatedUserId]),
  );
  return events.map((event) => ({ ...event, actorName: nameOf(event.actorId), impersonatedUserName: nameOf(event.impersonatedUserId) }));
}
