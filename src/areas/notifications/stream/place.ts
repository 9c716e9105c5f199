import type { Database } from '../../../platform/database/database.ts';

/** What is known of an account's events, as far as it matters to a client that comes back. */
export interface NumberedEvents {
  /** The first number that the account was ever given, and the last. */
  first: number;
  last: number;
  /** Whether the event with the first number is still kept. */
  isFirstKept: boolean;
  /** Whether the client's number is that of an event of the account that is still kept. */
  isGivenKept: boolean;
  /** Whether an event before the client's number is still kept. */
  isOlderKept: boolean;
}

/** From where a stream goes on: the events after `behind`. `isReset`: what the client has missed is not kept any more. */
export interface StreamPlace {
  behind: number;
  isReset: boolean;
}

/** What a client says where it got to; null for what is no number of ours. */
export function readLastEventId(given: string | undefined): number | null {
  return given !== undefined && /^(0|[1-9]\d{0,14})$/.test(given) ? Number(given) : null;
}

/**
 * Where a stream begins (decisions.md §8 "Stream"). Numbers are given to accounts from one sequence, so another's lies between one's own: it is known by
 * this, that it is not there while older ones are. The oldest are cleared first.
 * - Without a number, or with another's: at the end; nothing is told again.
 * - 0 stands before all that was ever told: it is the place of a stream that began before that.
 * - Behind the last number nothing was missed, whether or not its event is still kept.
 * @param account null for one that was never told anything
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

/** The same of what the database has: one statement, by the keys of `streams` and `stream_events_sequence_unique`. */
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
