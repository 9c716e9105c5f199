import type { Database } from '../../../platform/database/database.ts';
import { dayOf } from '../../../platform/date-time.ts';
import type { Event } from '../entities.ts';
import type { AgreementDraft } from './draft-pdf.ts';

/** Reads the facts of an agreement draft: the event, its discipline and its organizer as they are now. */
export async function findAgreementDraft(db: Database, event: Readonly<Event>): Promise<AgreementDraft> {
  const { data, discipline } = await db
    .selectFrom('events as e')
    .innerJoin('profiles as p', 'p.id', 'e.profileId')
    .innerJoin('disciplines as d', 'd.id', 'e.disciplineId')
    .where('e.id', '=', event.id)
    .select(['p.data', 'd.title as discipline'])
    .executeTakeFirstOrThrow();
  // An event belongs to an organizer profile (EVT-1), and the kind of a profile never changes.
  if (!('organization_name' in data)) throw new Error(`the profile of event ${event.id} is no organizer's`);
  return {
    eventId: event.id,
    createdAt: event.createdAt,
    title: event.title,
    location: event.location,
    discipline,
    firstDay: dayOf(event.startsAt),
    lastDay: dayOf(event.endsAt),
    reserveDay: event.reserveAt === null ? null : dayOf(event.reserveAt),
    organizer: {
      name: data.organization_name,
      bin: data.bin ?? null,
      directorName: data.director_name,
      directorPosition: data.director_position,
      address: data.legal_address,
      phone: data.phone,
      email: data.email,
    },
  };
}
