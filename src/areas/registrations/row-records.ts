import type { CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';
import { lockAllForChange, type Locked } from '../../platform/database/lock.ts';
import type { Document } from '../documents/index.ts';
import { type CertificateValidity, readValidityOf } from '../verification/index.ts';
import { applicationIdsOf, type SentRow } from './check-row.ts';
import { type Registration, RegistrationEntity } from './entities.ts';
import { living, type RegistrationFacts } from './queries.ts';

/** Records that the rows of a batch name, the caller's own only, locked until the transaction ends. */
export interface RowRecords {
  /** Registrations of the event, locked for a change. */
  registrations: ReadonlyMap<number, Locked<Registration>>;
  applications: ReadonlyMap<number, { profileId: number; isIssued: boolean }>;
  licences: ReadonlyMap<number, CertificateValidity>;
  /** Documents that the rows name, and those of their licences. */
  documents: ReadonlyMap<number, Pick<Document, 'id' | 'profileId' | 'type' | 'number' | 'expiresAt' | 'status' | 'fileId'>>;
  profiles: ReadonlyMap<number, RegistrationFacts['profile'] & { kind: string }>;
  /** Ids of registrations that may be crew (REG-14). */
  crew: ReadonlySet<number>;
  /** Live registrations of these profiles in the event, by class (REG-2). */
  places: readonly Place[];
}

export interface Place {
  id: number;
  profileId: number;
  class: string;
}

/**
 * Reads and locks the records that the rows of a batch name, one statement for each kind (REG-7).
 *
 * Lock order: registrations, applications, documents, profiles. The profile lock serializes registrations of a profile, so its places stay
 * as read until the transaction ends.
 */
export async function readRowRecords(ctx: CommandContext, eventId: number, ownerId: number, rows: readonly SentRow[]): Promise<RowRecords> {
  const named = (pick: (row: SentRow) => readonly number[]) => [...new Set(rows.flatMap(pick))];
  const registrations = await lockOwn(
    ctx,
    eventId,
    ownerId,
    named(({ form }) => (form.id === undefined ? [] : [form.id])),
  );
  const applications = await holdApplications(ctx, ownerId, named(applicationIdsOf));
  const documents = await holdDocuments(
    ctx,
    ownerId,
    named(({ form }) => form.document_ids ?? []),
    [...applications.keys()],
  );
  const profiles = await holdProfiles(
    ctx,
    ownerId,
    named(({ form }) => (form.profile_id === undefined ? [] : [form.profile_id])),
  );
  // Read after all locks, so that no fact changes after it is judged.
  const licences = await readValidityOf(ctx.db, [...applications.keys()]);
  const members = named(({ form }) => (form.crew ?? []).map(({ registration_id: member }) => member));
  return {
    registrations: byId(registrations),
    applications: new Map([...applications].map(([id, profileId]) => [id, { profileId, isIssued: licences.has(id) }])),
    licences,
    documents: byId(documents),
    profiles: byId(profiles),
    crew: await findCrew(ctx, eventId, ownerId, members),
    places: await findPlaces(
      ctx,
      eventId,
      profiles.map(({ id }) => id),
    ),
  };
}

async function lockOwn(ctx: CommandContext, eventId: number, ownerId: number, ids: number[]): Promise<Locked<Registration>[]> {
  if (ids.length === 0) return [];
  return lockAllForChange(ctx.em, RegistrationEntity, { id: { $in: ids }, eventId, ownerId }, { id: 'asc' });
}

/** Locks the caller's applications; returns the profile id of each. */
async function holdApplications({ db }: CommandContext, ownerId: number, ids: number[]): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('applications')
    .select(['id', 'profileId'])
    .where('id', '=', inList(ids))
    .where('ownerId', '=', ownerId)
    .orderBy('id')
    .forShare()
    .execute();
  return new Map(rows.map(({ id, profileId }) => [id, profileId]));
}

async function holdDocuments({ db }: CommandContext, ownerId: number, ids: number[], applicationIds: number[]) {
  if (ids.length === 0 && applicationIds.length === 0) return [];
  return db
    .selectFrom('documents as d')
    .innerJoin('profiles as p', 'p.id', 'd.profileId')
    .select(['d.id', 'd.profileId', 'd.type', 'd.number', 'd.expiresAt', 'd.status', 'd.fileId'])
    .where('p.ownerId', '=', ownerId)
    .where((eb) =>
      eb(
        'd.id',
        'in',
        eb
          .selectFrom('documents as n')
          .where('n.id', '=', inList(ids))
          .select('n.id')
          .union(
            eb
              .selectFrom('application_documents as ad')
              .where('ad.applicationId', '=', inList(applicationIds))
              .select('ad.documentId as id'),
          ),
      ),
    )
    .orderBy('d.id')
    .forShare('d')
    .execute();
}

async function holdProfiles({ db }: CommandContext, ownerId: number, ids: number[]) {
  if (ids.length === 0) return [];
  return db
    .selectFrom('profiles')
    .select(['id', 'name', 'status', 'kind'])
    .where('id', '=', inList(ids))
    .where('ownerId', '=', ownerId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

async function findCrew({ db }: CommandContext, eventId: number, ownerId: number, ids: number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('registrations')
    .select('id')
    .where('id', '=', inList(ids))
    .where('eventId', '=', eventId)
    .where('status', 'in', living)
    .where((eb) => eb.or([eb('ownerId', '=', ownerId), eb('submittedAt', 'is not', null)]))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Uses registrations_live_unique. */
export async function findPlaces({ db }: Pick<CommandContext, 'db'>, eventId: number, profileIds: readonly number[]): Promise<Place[]> {
  if (profileIds.length === 0) return [];
  return db
    .selectFrom('registrations')
    .select(['id', 'profileId', 'class'])
    .where('eventId', '=', eventId)
    .where('profileId', '=', inList(profileIds))
    .where('status', 'in', living)
    .execute();
}

function byId<Row extends { id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
