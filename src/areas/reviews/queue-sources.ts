import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';

/** Something that waits for an administrator, as `GET /admin/queue` lists it. */
export interface QueueRow {
  kind: string;
  id: number;
  status: string;
  title: string;
  waitingSince: Date;
  profileId: number | null;
  ownerId: number | null;
  flags: string[];
  /** What a search looks through. */
  sought: string;
}

/** One kind of what waits for an administrator; the area that owns it enters it. Each reads the partial index of what waits. */
export interface QueueSource {
  kind: string;
  /** The status of what waits. */
  waiting: string;
  /** Whether what was returned to its owners (`changes`) can be listed too. */
  canBeReturned: boolean;
  /**
   * The items of a status; the columns of `QueueRow` in its order, since the sources are put together by `union all`.
   * `flags` is of the type `json` (`noFlags`), `profileId` and `ownerId` are integers, also where they are null (`noRecord`).
   * What only its words stand on is joined by `leftJoin`, also where it is always there: counting and putting in order leave it out then.
   */
  select(db: Database, status: string): Expression<QueueRow>;
}

export const queueSources = definePoint<QueueSource>('what waits for an administrator');

/** The `flags` of what has none. */
export const noFlags: RawBuilder<string[]> = sql<string[]>`'[]'::json`;
/** The `profileId` or `ownerId` of what belongs to no profile or to nobody. */
export const noRecord: RawBuilder<number | null> = sql<number | null>`null::int`;
