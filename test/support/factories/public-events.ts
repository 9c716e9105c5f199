import type { AdditionalDocument, Event, Participant } from '../../../src/areas/competitions/entities.ts';
import { type StageName, stageNames, type StageStatus } from '../../../src/areas/competitions/events/states.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import type { Storage } from '../../../src/platform/storage/storage.ts';
import { makeScan } from '../papers/scans.ts';
import { insertFiles, insertProfiles, insertUsers } from './rows.ts';

/** An event as it would stand in the calendar; what is left out is the usual. */
export interface PublicEventOptions extends Partial<Event> {
  /** Statuses of the stages that differ from the usual: agreement and details approved, regulations open, results locked. */
  stages?: Partial<Record<StageName, StageStatus>>;
  /** Of stages that have one: a text that its page shows. */
  files?: Partial<Record<StageName, string>>;
  additional?: (Partial<AdditionalDocument> & { text?: string })[];
}

/** Rows of events, with an organizer of their own. Files are kept in `storage`. */
export function publicEventsIn(db: Database, storage: Storage) {
  const at = new Date();
  const fileOf = async (ownerId: number, text: string) =>
    only(await insertFiles(db, [ownerId], { kind: 'scan', bytes: await makeScan(text), storage }, at));

  /** @returns the ids of the account and of its approved profile */
  async function organizer(name: string): Promise<{ ownerId: number; profileId: number }> {
    const ownerId = only(await insertUsers(db, 1, at));
    const photoId = await fileOf(ownerId, 'photo');
    const columns = { kind: 'organizer', name } as const;
    return { ownerId, profileId: only(await insertProfiles(db, [{ ownerId, photoId, status: 'approved', columns }], at)) };
  }

  /** Published a day ago by default. @returns its id */
  async function event(by: { ownerId: number; profileId: number }, options: PublicEventOptions = {}): Promise<number> {
    const { stages = {}, files = {}, additional = [], ...columns } = options;
    const startsAt = columns.startsAt ?? new Date('2027-03-06T04:00:00Z');
    const row = {
      ...by,
      serviceId: 30,
      disciplineId: 1,
      title: 'Кубок',
      location: 'Алматы',
      startsAt,
      endsAt: new Date(startsAt.getTime() + 9 * 3_600_000),
      status: 'published' as const,
      publishedAt: new Date(at.getTime() - 86_400_000),
      createdAt: at,
      updatedAt: at,
      ...columns,
    };
    const { id } = await db.insertInto('events').values(row).returning('id').executeTakeFirstOrThrow();
    const usual = { agreement: 'approved', details: 'approved', regulations: 'open', results: 'locked' } as const;
    for (const stage of stageNames) {
      const text = files[stage];
      const fileId = text === undefined ? null : await fileOf(by.ownerId, text);
      await db
        .insertInto('event_stages')
        .values({ eventId: id, stage, status: stages[stage] ?? usual[stage], fileId })
        .execute();
    }
    for (const { text = 'additional', ...document } of additional) await additionalDocument(by.ownerId, id, text, document);
    return id;
  }

  async function additionalDocument(ownerId: number, eventId: number, text: string, columns: Partial<AdditionalDocument>): Promise<number> {
    const row = {
      eventId,
      fileId: await fileOf(ownerId, text),
      title: 'Bulletin 1',
      kind: 'bulletin' as const,
      status: 'approved' as const,
      createdAt: at,
      updatedAt: at,
      ...columns,
    };
    return (await db.insertInto('additional_documents').values(row).returning('id').executeTakeFirstOrThrow()).id;
  }

  /** A participant with an existing application. */
  async function participant(
    by: Pick<Participant, 'eventId' | 'applicationId' | 'profileId'>,
    columns: Partial<Participant>,
  ): Promise<void> {
    const row = { name: 'Participant', certificateNumber: 'KZ-N-2026-000001', createdAt: at, updatedAt: at, ...by, ...columns };
    await db.insertInto('participants').values(row).execute();
  }

  return { organizer, event, additionalDocument, participant };
}

function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new RangeError(`${items.length} instead of one`);
  return item;
}
