import { randomUUID } from 'node:crypto';
import type { Event, RegistrationSettings } from '../../../src/areas/competitions/entities.ts';
import { defaultSettings } from '../../../src/areas/competitions/events/settings.ts';
import { type EventStatus, type StageName, stageNames, type StageStatus } from '../../../src/areas/competitions/events/states.ts';
import { type Database, databaseOf, json } from '../../../src/platform/database/database.ts';
import { yearOf } from '../../../src/platform/time/date-time.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { insertFiles, insertProfiles } from './rows.ts';

/** The owner of an event: a signed-in client, or an account known to commands. */
export interface Owner {
  userId: number;
}

export interface EventOptions {
  /** `published` when nothing is said. */
  status?: EventStatus;
  title?: string;
  location?: string;
  /** In thirty days, for two days, when nothing is said. */
  startsAt?: Date;
  endsAt?: Date;
  reserveAt?: Date | null;
  /** 1 when nothing is said. */
  disciplineId?: number;
  /** The organizer profile that holds it; a new one when nothing is said. */
  profileId?: number;
  /** 3 when nothing is said; 1: an event of the earlier flow. */
  agreementFlow?: 1 | 3;
  /** Beside the usual: two classes and an intake that opened an hour ago. Null: the organizer has set nothing. */
  settings?: Partial<Omit<RegistrationSettings, 'eventId' | 'updatedAt'>> | null;
  /** Instead of what the status brings with it. */
  stages?: Partial<Record<StageName, StageStatus>>;
  /** What stands in the row, whatever brought it there. */
  columns?: Partial<Event>;
}

export interface MadeEvent {
  id: number;
  profileId: number;
  startsAt: Date;
  endsAt: Date;
}

export const organizerData = {
  organization_name: 'Алатау автоклубы',
  director_name: 'Сергеев Сергей',
  director_position: 'Директор',
  legal_address: 'Алматы, пр. Абая, 1',
  phone: '+77010000000',
  email: 'club@example.kz',
};

/** The fee of competitions, in the catalog. */
export const eventFeeServiceId = 30;

/**
 * Organizers and events as rows, as they would stand, without the decisions that led there: for tests of what is done with them. What leads
 * there is tested by `test/areas/competitions/events.routes.test.ts`.
 */
export function eventFixtures(platform: Pick<Platform, 'orm' | 'clock'>) {
  const db = databaseOf(platform.orm.em.fork());
  const present = () => platform.clock.now(db);

  /** An approved profile of an organizer. @returns its id */
  async function organizer({ userId }: Owner, data: Record<string, unknown> = {}): Promise<number> {
    const at = await present();
    const [photoId = ''] = await insertFiles(db, [userId], { kind: 'photo', bytes: Buffer.from(randomUUID()), storage: null }, at);
    const given = { ...organizerData, ...data };
    const columns = { kind: 'organizer' as const, name: given.organization_name, photoId: null };
    const [id = 0] = await insertProfiles(db, [{ ownerId: userId, photoId, status: 'approved', columns }], at);
    await db
      .updateTable('profiles')
      .set({ data: json(given as never) })
      .where('id', '=', id)
      .execute();
    return id;
  }

  /** An event of an organizer's, published by default. */
  async function event(owner: Owner, options: EventOptions = {}): Promise<MadeEvent> {
    const at = await present();
    const { status = 'published', settings = {}, agreementFlow = 3 } = options;
    const startsAt = options.startsAt ?? new Date(at.getTime() + 30 * dayMs);
    const endsAt = options.endsAt ?? new Date(startsAt.getTime() + dayMs);
    const profileId = options.profileId ?? (await organizer(owner));
    const isPublic = status === 'published' || status === 'completed';
    const disciplineId = options.disciplineId ?? 1;
    // Its fee must not stand alone when the database is killed.
    const id = await platform.orm.em.fork().transactional(async (em) => {
      const transaction = databaseOf(em);
      const feeApplicationId = isPublic ? await insertFee(transaction, { ownerId: owner.userId, profileId, disciplineId }, at) : null;
      const made = await transaction
        .insertInto('events')
        .values({
          ownerId: owner.userId,
          profileId,
          serviceId: eventFeeServiceId,
          disciplineId,
          title: options.title ?? 'Алатау ралли',
          location: options.location ?? 'Алматы',
          startsAt,
          endsAt,
          reserveAt: options.reserveAt ?? null,
          status,
          agreementFlow,
          feeApplicationId,
          publishedAt: isPublic ? at : null,
          completedAt: status === 'completed' ? at : null,
          cancelledAt: status === 'cancelled' ? at : null,
          createdAt: at,
          updatedAt: at,
          ...options.columns,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const stages = { ...stagesOf[status], ...options.stages };
      await transaction
        .insertInto('event_stages')
        .values(stageNames.map((stage) => ({ eventId: made.id, stage, status: stages[stage], remindedAt: at })))
        .execute();
      if (settings !== null) await insertSettings(transaction, made.id, settings, at);
      return made.id;
    });
    return { id, profileId, startsAt, endsAt };
  }

  return { organizer, event };
}

const dayMs = 86_400_000;

const stagesOf: Record<EventStatus, Record<StageName, StageStatus>> = {
  draft: { agreement: 'open', details: 'locked', regulations: 'locked', results: 'locked' },
  in_progress: { agreement: 'approved', details: 'open', regulations: 'locked', results: 'locked' },
  published: { agreement: 'approved', details: 'approved', regulations: 'open', results: 'locked' },
  completed: { agreement: 'approved', details: 'approved', regulations: 'approved', results: 'approved' },
  cancelled: { agreement: 'locked', details: 'locked', regulations: 'locked', results: 'locked' },
};

async function insertSettings(db: Database, eventId: number, options: NonNullable<EventOptions['settings']>, at: Date): Promise<void> {
  const settings = { ...defaultSettings, classes: ['Абсолют', 'Юниор'], opensAt: new Date(at.getTime() - 3_600_000), ...options };
  const { classes, classLimits, crew, vehicleFields, columns, ...dates } = settings;
  await db
    .insertInto('registration_settings')
    .values({
      eventId,
      ...dates,
      classes: json(classes),
      classLimits: json(classLimits),
      crew: json(crew),
      vehicleFields: json(vehicleFields),
      columns: json(columns),
      updatedAt: at,
    })
    .execute();
}

/** A fee that costs nothing and is settled: money has its own tests. */
async function insertFee(
  db: Database,
  { ownerId, profileId, disciplineId }: { ownerId: number; profileId: number; disciplineId: number },
  at: Date,
): Promise<number> {
  const { id } = await db
    .insertInto('applications')
    .values({
      ownerId,
      profileId,
      serviceId: eventFeeServiceId,
      disciplineId,
      kind: 'event_fee',
      year: yearOf(at),
      data: json({ insurance_territory: 'KZ' as const }),
      status: 'approved',
      amountMinor: 0,
      breakdown: json([]),
      submittedAt: at,
      approvedAt: at,
      createdAt: at,
      updatedAt: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
