import type { Database } from '../../../platform/database/database.ts';

/** What the start position needs to know about an account's events. */
interface NumberedEvents {
  /** The first and the last number of the account. */
  first: number;
  last: number;
  /** Whether the event with the first number is still kept. */
  isFirstKept: boolean;
  /** Whether the client's number is the number of a kept event of the account. */
  isGivenKept: boolean;
  /** Whether an event before the client's number is still kept. */
  isOlderKept: boolean;
}

/** Start position: the events after `behind`. `isReset`: the events that the client missed are deleted. */
export interface StreamPlace {
  behind: number;
  isReset: boolean;
}

/** Parses `Last-Event-ID`; null when it cannot be one of our numbers. */
export function readLastEventId(given: string | undefined): number | null {
  return given !== undefined && /^(0|[1-9]\d{0,14})$/.test(given) ? Number(given) : null;
}

/**
 * Decides where a stream starts (NOT-5).
 * All accounts share one sequence, so numbers of other accounts lie between the account's own. A number is foreign when it is absent while older
 * events
 * are kept, because the oldest are deleted first.
 * - Without a number, or with a foreign one: at the end; no event is repeated.
 * - 0 is before all events: the position of a stream that opened before the first.
 * - At the last number nothing was missed, whether or not its event is still kept.
 * @param account null for an account without events
 */
export function placeOf(given: number | null, account: NumberedEvents | null): StreamPlace {
  if (account === null) return { behind: 0, isReset: false };
  const { first, last, isFirstKept, isGivenKept, isOlderKept } = account;
  if (given === null) return { behind: last, isReset: false };
  if (given === 0) return isFirstKept ? { behind: 0, isReset: false } : { behind: last, isReset: true };
  if (given === last || isGivenKept) return { behind: given, isReset: false };
  const wasOwn = given >= first && given < last && !isOlderKept;
  return { behind: last, isReset: wasOwn };
}

/** Reads the account's state and decides the same. One statement, by the keys of `streams` and `stream_events_sequence_unique`. */
export async function findPlace(db: Database, userId: number, given: number | null): Promise<StreamPlace> {
  const sequence = given ?? 0;
  const account = await db
    .selectFrom('streams as s')
    .where('s.userId', '=', userId)
    .select((eb) => {
      const kept = eb.selectFrom('stream_events as e').whereRef('e.userId', '=', 's.userId');
      return [
        's.firstSequence as first',
        's.lastSequence as last',
        eb
          .exists(kept.whereRef('e.sequence', '=', 's.firstSequence').select('e.id'))
          .$castTo<boolean>()
          .as('isFirstKept'),
        eb
          .exists(kept.where('e.sequence', '=', sequence).select('e.id'))
          .$castTo<boolean>()
          .as('isGivenKept'),
        eb
          .exists(kept.where('e.sequence', '<', sequence).select('e.id'))
          .$castTo<boolean>()
          .as('isOlderKept'),
      ];
    })
    .executeTakeFirst();
  return placeOf(given, account ?? null);
}
