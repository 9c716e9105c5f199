import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Database } from '../../../platform/database/database.ts';
import { standingStatuses } from '../states.ts';
import type { ExportedRegistration } from './export-columns.ts';

/** Counts the approved registrations of each class; classes without any are absent. Uses registrations_event_index. */
export async function countApprovedByClass(db: Database, eventId: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('registrations')
    .where('eventId', '=', eventId)
    .where('status', '=', 'approved')
    .groupBy('class')
    .orderBy('class')
    .select((eb) => ['class', eb.fn.countAll<number>().as('count')])
    .execute();
  return new Map(rows.map(({ class: name, count }) => [name, count]));
}

/** Reads a page of approved registrations of a class after `afterId`, in one statement. Uses registrations_event_index. */
export function listApproved(
  db: Database,
  { eventId, class: name, afterId, limit }: { eventId: number; class: string; afterId: number; limit: number },
): Promise<ExportedRegistration[]> {
  return db
    .selectFrom('registrations as r')
    .innerJoin('profiles as p', 'p.id', 'r.profileId')
    .where('r.eventId', '=', eventId)
    .where('r.class', '=', name)
    .where('r.id', '>', afterId)
    .where('r.status', '=', 'approved')
    .orderBy('r.id')
    .limit(limit)
    .select((eb) => [
      'r.id',
      'r.class',
      'r.status',
      'r.startNumber',
      'r.vehicle',
      'p.name',
      fieldOf('birth_date').as('birthDate'),
      fieldOf('city').as('city'),
      fieldOf('phone').as('phone'),
      eb
        .selectFrom('registration_licences as rl')
        .innerJoin('applications as a', 'a.id', 'rl.applicationId')
        .innerJoin('certificates as c', 'c.applicationId', 'a.id')
        .whereRef('rl.registrationId', '=', 'r.id')
        .where(sql<boolean>`${sql.ref('a.data')}->>'team' is not null`)
        .select(sql<string>`${sql.ref('a.data')}->>'team'`.as('team'))
        .orderBy('c.validFrom')
        .limit(1)
        .as('team'),
      sql<string[]>`array(${eb
        .selectFrom('registration_licences as rl')
        .innerJoin('certificates as c', 'c.applicationId', 'rl.applicationId')
        .whereRef('rl.registrationId', '=', 'r.id')
        .select('c.number')
        .orderBy('c.validFrom')})`.as('licenceNumbers'),
      sql<string[]>`array(${eb
        .selectFrom('registration_documents as rd')
        .whereRef('rd.registrationId', '=', 'r.id')
        .where('rd.isAttached', '=', true)
        .where('rd.type', '=', 'foreign_naf_license')
        .where('rd.number', 'is not', null)
        .select('rd.number')
        .orderBy('rd.documentId')})`.as('foreignNumbers'),
      // Crew members who are visible to the organizer (REG-8) and still take part.
      jsonArrayFrom(
        eb
          .selectFrom('registration_crew as rc')
          .innerJoin('registrations as m', 'm.id', 'rc.memberId')
          .innerJoin('profiles as mp', 'mp.id', 'm.profileId')
          .whereRef('rc.registrationId', '=', 'r.id')
          .where('m.status', 'in', standingStatuses)
          .select(['rc.role', 'mp.name'])
          .orderBy('rc.memberId'),
      ).as('crew'),
    ])
    .execute();
}

function fieldOf(name: 'birth_date' | 'city' | 'phone') {
  return sql<string | null>`${sql.ref('p.data')}->>${sql.lit(name)}`;
}
