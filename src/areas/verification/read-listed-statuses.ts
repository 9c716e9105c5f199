import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { dayOf } from '../../platform/time/date-time.ts';
import { type ListedStatus, listedStatus, type StatusReader } from '../credentials/index.ts';
import { readValidityOf } from './read-validity.ts';
import { stateOn, type ValidityFacts } from './validity.ts';

/**
 * Returns the value of a certificate in its status list on a day, by the rule of the online answer (VER-12).
 *
 * The credential has the dates, so the list leaves them out: before and after them the nearest day of the validity counts.
 */
export function listedStatusOn(facts: ValidityFacts, day: string): ListedStatus {
  if (facts.status === 'closed') return listedStatus.invalid;
  const { validFrom, validUntil } = facts;
  const state = stateOn(facts, day < validFrom ? validFrom : day > validUntil ? validUntil : day);
  switch (state) {
    case 'valid':
      return listedStatus.valid;
    case 'annulled':
    case 'draft':
    // Only with dates that are the wrong way round.
    case 'expired':
    case 'not_started':
      return listedStatus.invalid;
    case 'under_correction':
    case 'under_review':
    case 'unpaid':
    case 'incomplete':
      return listedStatus.suspended;
  }
}

/** Reads the present statuses of a list's places in pages, each by one statement for its places and one for its facts. */
export const presentStatuses: StatusReader = {
  async readPage(db: Database, listId, after, limit, now) {
    const { rows } = await sql<{ applicationId: number; place: number }>`
      select application_id, place from credentials where list_id = ${listId} and place > ${after} order by place limit ${limit}`.execute(
      db,
    );
    const facts = await readValidityOf(
      db,
      rows.map(({ applicationId }) => applicationId),
    );
    const day = dayOf(now);
    return rows.map(({ applicationId, place }) => {
      const found = facts.get(applicationId);
      return { place, status: found ? listedStatusOn(found.validity, day) : listedStatus.invalid };
    });
  },
};
