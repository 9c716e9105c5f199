import { randomBytes, randomUUID } from 'node:crypto';
import type { CertificateSnapshot } from '../../../src/areas/applications/index.ts';
import type { ApplicationStatus } from '../../../src/areas/applications/states.ts';
import type { ExportList } from '../../../src/areas/national/lists/fitness.ts';
import { type Database, json } from '../../../src/platform/database/database.ts';
import { lastDayOfYear } from '../../../src/platform/time/date-time.ts';
import { insertFiles, insertProfiles } from './rows.ts';

/** A row of an application for a national certificate; by default approved, paid and issued. */
export interface NationalRow {
  ownerId: number;
  /** Of the profile. */
  name?: string;
  iin?: string | null;
  year?: number;
  serviceId?: number;
  status?: ApplicationStatus;
  payment?: 'none' | 'paid' | 'refunded';
  /** The name on the certificate, by default of the profile; null without an issued certificate. */
  printedName?: string | null;
}

export interface InsertedNational {
  id: number;
  profileId: number;
  photoId: string;
  number: string | null;
}

/** Inserts applications with their own profiles in a few statements, without decisions and processes. */
export async function insertNational(db: Database, rows: readonly NationalRow[], at: Date): Promise<InsertedNational[]> {
  const bytes = Buffer.from('a photo that is never opened');
  const ownerIds = rows.map(({ ownerId }) => ownerId);
  const photoIds = await insertFiles(db, ownerIds, { kind: 'photo', bytes, storage: null }, at);
  const nameOf = ({ name = 'Ахметов Ғалым' }: NationalRow) => name;
  const profileIds = await insertProfiles(
    db,
    rows.map((row, index) => ({
      ownerId: row.ownerId,
      photoId: photoIds[index] ?? '',
      status: 'approved',
      columns: { name: nameOf(row), iin: row.iin ?? null },
    })),
    at,
  );
  const applications = await db
    .insertInto('applications')
    .values(
      rows.map(({ ownerId, serviceId = 1, status = 'approved', payment = 'paid', year = 2026 }, index) => ({
        ownerId,
        profileId: profileIds[index] ?? 0,
        serviceId,
        kind: 'national_certificate' as const,
        year,
        data: json({ insurance_territory: 'KZ' as const }),
        status,
        amountMinor: 865_000,
        insuranceCoverageMinor: 216_250_000,
        breakdown: json([]),
        paid: payment !== 'none',
        paidAt: payment === 'none' ? null : at,
        paymentTransactionId: payment === 'none' ? null : 1,
        refundTransactionId: payment === 'refunded' ? 2 : null,
        submittedAt: status === 'draft' ? null : at,
        approvedAt: status === 'approved' ? at : null,
        createdAt: at,
        updatedAt: at,
      })),
    )
    .returning('id')
    .execute();
  const made = rows.map((row, index) => {
    const { printedName = nameOf(row), year = 2026 } = row;
    const id = applications[index]?.id ?? 0;
    const number = printedName === null ? null : `KZ-F-${year}-${String(id).padStart(6, '0')}`;
    return { id, profileId: profileIds[index] ?? 0, photoId: photoIds[index] ?? '', number, printedName, year };
  });
  const issued = made.filter(({ printedName }) => printedName !== null);
  if (issued.length > 0)
    await db
      .insertInto('certificates')
      .values(
        issued.map(({ id, number, year, printedName, photoId }) => ({
          applicationId: id,
          number: number ?? '',
          // A separate series, so that the numbers of the service have no gaps.
          series: 'F',
          year,
          sequence: id,
          token: randomBytes(32).toString('base64url'),
          validFrom: `${year}-01-02`,
          validUntil: lastDayOfYear(year),
          snapshot: json(snapshotOf(printedName ?? '', photoId)),
          issuedAt: at,
        })),
      )
      .execute();
  return made.map(({ id, profileId, photoId, number }) => ({ id, profileId, photoId, number }));
}

function snapshotOf(holderName: string, photoFileId: string): CertificateSnapshot {
  return {
    holderName,
    birthDate: '1990-05-17',
    citizenship: 'KZ',
    serviceTitle: { ru: 'Сертификат', kk: 'Сертификат', en: 'Certificate' },
    serviceCategory: 'A',
    disciplineTitle: null,
    team: null,
    sport: null,
    insuranceTerritory: 'KZ',
    insuranceCoverageMinor: 216_250_000,
    photoFileId,
  };
}

/** Inserts an export of these applications, ready or pending. */
export async function insertExport(
  db: Database,
  { administratorId, list, ids, isReady = true }: { administratorId: number; list: ExportList; ids: readonly number[]; isReady?: boolean },
  at: Date,
): Promise<number> {
  const { id: exportId } = await db
    .insertInto('national_exports')
    .values({
      administratorId,
      list,
      status: isReady ? 'ready' : 'pending',
      count: ids.length,
      fileId: randomUUID(),
      requestId: 'fixtures',
      requestedAt: at,
      finishedAt: isReady ? at : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const exportedAt = isReady ? at : null;
  const records = ids.map((applicationId, index) => ({ exportId, applicationId, list, position: index + 1, exportedAt }));
  if (records.length > 0) await db.insertInto('national_export_records').values(records).execute();
  return exportId;
}
