import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { eventFixtures } from './events.ts';
import { insertAthletes, insertRegistrations } from './registrations.ts';
import { insertUsers } from './rows.ts';

export interface CrowdOptions {
  events: number;
  /** In each event; approved. */
  registrations: number;
  startsAt: Date;
  /** The same instant for all: their results are due from then on. */
  endsAt: Date;
}

/**
 * Published events of as many organizers that end in the same second, with their regulations approved and with athletes who take part; as
 * rows, whose processes are not started. @returns the ids of the events and of the registrations
 */
export async function insertEndingEvents(
  platform: Pick<Platform, 'orm' | 'clock'>,
  { events, registrations, startsAt, endsAt }: CrowdOptions,
): Promise<{ eventIds: number[]; registrationIds: number[] }> {
  const db = databaseOf(platform.orm.em.fork());
  const at = await platform.clock.now(db);
  const organizers = await insertUsers(db, events, at);
  const athletes = await insertAthletes(db, await insertUsers(db, registrations, at), at);
  const fixtures = eventFixtures(platform);
  const eventIds: number[] = [];
  for (const userId of organizers) {
    const stages = { regulations: 'approved', results: 'open' } as const;
    const intakeIsOver = { openedAt: at, closedAt: at };
    const { id } = await fixtures.event({ userId }, { startsAt, endsAt, stages, settings: intakeIsOver, columns: { dueAt: endsAt } });
    eventIds.push(id);
  }
  // Reminders of future events are not sent yet.
  await db.updateTable('event_stages').set({ remindedAt: null }).where('eventId', 'in', eventIds).where('stage', '=', 'results').execute();
  const rows = eventIds.flatMap((eventId) =>
    athletes.map(({ applicationId, ownerId, profileId }) => ({
      eventId,
      ownerId,
      profileId,
      applicationIds: [applicationId],
      status: 'approved' as const,
      dueAt: endsAt,
    })),
  );
  return { eventIds, registrationIds: await insertRegistrations(db, rows, at) };
}
