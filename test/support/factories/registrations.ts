import { randomBytes } from 'node:crypto';
import type { Certificate } from '../../../src/areas/applications/entities.ts';
import type { Registration } from '../../../src/areas/registrations/entities.ts';
import type { RegistrationStatus } from '../../../src/areas/registrations/states.ts';
import { type Database, json } from '../../../src/platform/database/database.ts';
import { dayOf, endOfYear, lastDayOfYear, yearOf } from '../../../src/platform/time/date-time.ts';
import { insertDocuments, insertFiles, insertProfiles } from './rows.ts';

/** A registration as it would stand; columns have defaults. */
export interface RegistrationRow {
  eventId: number;
  ownerId: number;
  profileId: number;
  /** Its certificates: one, or two for an event across New Year; none with papers of another federation. */
  applicationIds?: readonly number[];
  /** `submitted` when nothing is said. */
  status?: RegistrationStatus;
  /** `N1` when nothing is said. */
  class?: string;
  vehicle?: Registration['vehicle'];
  startNumber?: string | null;
  /** Attached papers of another federation. */
  paperIds?: readonly number[];
  crew?: readonly { role: string; memberId: number }[];
  /** Until then its process waits; without one it has none. */
  dueAt?: Date | null;
  columns?: Partial<Registration>;
}

/** PostgreSQL takes 65,535 parameters. */
const batch = 1000;

/**
 * Writes registrations as they would stand, with the snapshot of the documents behind them and a history of one row each, a handful of
 * statements for a batch. `at`: the instant they were made and submitted. Ids come back in the order given.
 */
export async function insertRegistrations(db: Database, rows: readonly RegistrationRow[], at: Date): Promise<number[]> {
  const ids: number[] = [];
  for (let start = 0; start < rows.length; start += batch) ids.push(...(await insertBatch(db, rows.slice(start, start + batch), at)));
  return ids;
}

async function insertBatch(db: Database, rows: readonly RegistrationRow[], at: Date): Promise<number[]> {
  const inserted = await db
    .insertInto('registrations')
    .values(
      rows.map(({ eventId, ownerId, profileId, status = 'submitted', startNumber = null, dueAt = null, columns, ...row }) => ({
        eventId,
        ownerId,
        profileId,
        class: row.class ?? 'N1',
        vehicle: json(columns?.vehicle ?? row.vehicle ?? {}),
        status,
        startNumber,
        submittedAt: status === 'draft' ? null : at,
        decidedAt: status === 'draft' || status === 'submitted' ? null : at,
        dueAt,
        createdAt: at,
        updatedAt: at,
        ...withoutVehicle(columns),
      })),
    )
    .returning('id')
    .execute();
  const ids = inserted.map(({ id }) => id);
  const made = rows.map((row, index) => ({ ...row, id: ids[index] ?? Number.NaN }));

  const licences = made.flatMap(({ id, applicationIds = [] }) =>
    applicationIds.map((applicationId) => ({ registrationId: id, applicationId })),
  );
  if (licences.length > 0) await db.insertInto('registration_licences').values(licences).execute();

  const attached = made.flatMap(({ id, paperIds = [] }) => paperIds.map((documentId) => ({ id, documentId })));
  const columns = ['registrationId', 'documentId', 'isAttached', 'type', 'number', 'expiresAt', 'status', 'fileId'] as const;
  await db
    .insertInto('registration_documents')
    .columns(columns)
    .expression((eb) =>
      eb
        .selectFrom('registration_licences as rl')
        .innerJoin('application_documents as ad', 'ad.applicationId', 'rl.applicationId')
        .innerJoin('documents as d', 'd.id', 'ad.documentId')
        .where('rl.registrationId', 'in', ids)
        .distinct()
        .select((row) => [
          'rl.registrationId',
          'd.id as documentId',
          row.lit(false).as('isAttached'),
          'd.type',
          'd.number',
          'd.expiresAt',
          'd.status',
          'd.fileId',
        ]),
    )
    .execute();
  for (const { id, documentId } of attached)
    await db
      .insertInto('registration_documents')
      .columns(columns)
      .expression((eb) =>
        eb
          .selectFrom('documents as d')
          .where('d.id', '=', documentId)
          .select((row) => [
            row.val(id).as('registrationId'),
            'd.id as documentId',
            row.lit(true).as('isAttached'),
            'd.type',
            'd.number',
            'd.expiresAt',
            'd.status',
            'd.fileId',
          ]),
      )
      .execute();

  const crew = made.flatMap(({ id, crew: members = [] }) => members.map((member) => ({ registrationId: id, ...member })));
  if (crew.length > 0) await db.insertInto('registration_crew').values(crew).execute();

  const history = made.map(({ id, ownerId, status = 'submitted' }) => ({
    registrationId: id,
    at,
    status,
    actor: 'athlete' as const,
    actorId: ownerId,
    requestId: 'fixtures',
  }));
  await db.insertInto('registration_history').values(history).execute();
  return ids;
}

function withoutVehicle(columns: Partial<Registration> = {}): Partial<Omit<Registration, 'vehicle'>> {
  const { vehicle: _vehicle, ...others } = columns;
  return others;
}

/** An athlete's profile with an issued national certificate of no discipline, and the one document behind it. */
export interface LicensedAthlete {
  ownerId: number;
  profileId: number;
  documentId: number;
  applicationId: number;
}

/**
 * Athletes with their licences as rows, one for each of these owners, a handful of statements for all: an approval by the service takes
 * dozens for one. The licence is valid from the day of `at` until the end of its year and costs nothing.
 */
export async function insertAthletes(
  db: Database,
  ownerIds: readonly number[],
  at: Date,
  { documentsExpireAt = '2034-01-10' }: { documentsExpireAt?: string | null } = {},
): Promise<LicensedAthlete[]> {
  const bytes = Buffer.from('a file that is never opened');
  const photoIds = await insertFiles(db, ownerIds, { kind: 'photo', bytes, storage: null }, at);
  const fileIds = await insertFiles(db, ownerIds, { kind: 'scan', bytes, storage: null }, at);
  const owners = ownerIds.map((ownerId, index) => ({ ownerId, photoId: photoIds[index] ?? '', status: 'approved' as const }));
  const profileIds = await insertProfiles(db, owners, at);
  const documents = profileIds.map((profileId, index) => ({
    profileId,
    fileId: fileIds[index] ?? '',
    type: 'medical' as const,
    status: 'approved' as const,
    expiresAt: documentsExpireAt,
  }));
  const documentIds = await insertDocuments(db, documents, at);
  const athletes: LicensedAthlete[] = [];
  for (let start = 0; start < ownerIds.length; start += batch) {
    const some = ownerIds.slice(start, start + batch).map((ownerId, index) => ({
      ownerId,
      profileId: profileIds[start + index] ?? 0,
      documentId: documentIds[start + index] ?? 0,
    }));
    athletes.push(...(await insertLicences(db, some, at)));
  }
  return athletes;
}

async function insertLicences(
  db: Database,
  holders: readonly Omit<LicensedAthlete, 'applicationId'>[],
  at: Date,
): Promise<LicensedAthlete[]> {
  const year = yearOf(at);
  const applications = await db
    .insertInto('applications')
    .values(
      holders.map(({ ownerId, profileId }) => ({
        ownerId,
        profileId,
        serviceId: 1,
        kind: 'national_certificate' as const,
        year,
        data: json({ insurance_territory: 'KZ' as const }),
        status: 'approved' as const,
        amountMinor: 0,
        breakdown: json([]),
        submittedAt: at,
        approvedAt: at,
        dueAt: endOfYear(year),
        createdAt: at,
        updatedAt: at,
      })),
    )
    .returning('id')
    .execute();
  const athletes = holders.map((holder, index) => ({ ...holder, applicationId: applications[index]?.id ?? 0 }));
  await db
    .insertInto('application_documents')
    .values(athletes.map(({ applicationId, documentId }) => ({ applicationId, documentId })))
    .execute();
  await db
    .insertInto('certificates')
    .values(
      athletes.map(({ applicationId }) => ({
        applicationId,
        // A series of its own: the numbers of the service stay without a gap.
        number: `KZ-F-${year}-${applicationId}`,
        series: 'F',
        year,
        sequence: applicationId,
        token: randomBytes(32).toString('base64url'),
        validFrom: dayOf(at),
        validUntil: lastDayOfYear(year),
        snapshot: json({} as Certificate['snapshot']),
        issuedAt: at,
      })),
    )
    .execute();
  return athletes;
}
