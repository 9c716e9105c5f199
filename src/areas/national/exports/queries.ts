import { sql } from 'kysely';
import { type Database, inList } from '../../../platform/database/database.ts';
import type { FileMime } from '../../files/index.ts';
import type { NationalExport } from '../entities.ts';
import type { ExportList, ExportProblem } from '../lists/fitness.ts';
import type { ExportedCertificate } from './sheets.ts';

/** SQL: the file id of the photo that certificate `c` was issued with (NAT-9). */
export const photoOf = sql<string>`(c.snapshot->>'photoFileId')::uuid`;

/**
 * SQL: whether the bytes of file `f` still exist. A certificate names one file forever; after a transfer, a copy of it can outlive the
 * original file. Uses files_storage_key_index.
 */
export const isKept = sql<boolean>`exists (select from files kept where kept.storage_key = f.storage_key
  and kept.deleted_at is null and kept.purged_at is null)`;

/** An export and whether its file exists. */
export type ExportRecord = Readonly<NationalExport> & { isFileStored: boolean };

/** Finds exports, in the order of their ids. */
export function findExports(db: Database, ids: readonly number[]): Promise<ExportRecord[]> {
  return selectExports(db).where('e.id', '=', inList(ids)).orderBy('e.id').execute();
}

function selectExports(db: Database) {
  return db
    .selectFrom('national_exports as e')
    .leftJoin('files as f', (join) => join.onRef('f.id', '=', 'e.fileId').on('f.deletedAt', 'is', null))
    .selectAll('e')
    .select((eb) => eb('f.id', 'is not', null).$castTo<boolean>().as('isFileStored'));
}

/** Lists exports, newest first. @param after `next` of the page before */
export async function listExports(
  db: Database,
  { list, after, limit }: { list?: ExportList | undefined; after?: number | undefined; limit: number },
): Promise<{ rows: ExportRecord[]; next: number | null }> {
  let wanted = selectExports(db);
  if (list !== undefined) wanted = wanted.where('e.list', '=', list);
  if (after !== undefined) wanted = wanted.where('e.id', '<', after);
  const rows = await wanted.orderBy('e.id', 'desc').limit(limit).execute();
  return { rows, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
}

export async function findExport(db: Database, id: number): Promise<ExportRecord | null> {
  return (await findExports(db, [id]))[0] ?? null;
}

/** A record of an export as its file shows it. */
export interface ExportRow extends ExportedCertificate {
  applicationId: number;
  token: string;
  /** The photo that the certificate was issued with; null without one. */
  photo: { id: string; storageKey: string; mime: FileMime; size: number; sha256: string } | null;
}

/** Lists the records of an export in the order of its file. */
export async function listExportRows(db: Database, exportId: number): Promise<ExportRow[]> {
  const rows = await db
    .selectFrom('national_export_records as r')
    .innerJoin('applications as a', 'a.id', 'r.applicationId')
    .innerJoin('profiles as p', 'p.id', 'a.profileId')
    .innerJoin('certificates as c', 'c.applicationId', 'r.applicationId')
    .leftJoin('files as f', (join) => join.on('f.id', '=', photoOf).on(isKept))
    .where('r.exportId', '=', exportId)
    .orderBy('r.position')
    .select(['r.applicationId', 'p.iin', 'c.number', 'c.token', 'c.validFrom', 'c.validUntil', 'c.snapshot'])
    .select(['f.id', 'f.storageKey', 'f.mime', 'f.size', 'f.sha256'])
    .execute();
  return rows.map(({ id, storageKey, mime, size, sha256, ...row }) => ({
    ...row,
    photo:
      id === null || storageKey === null || mime === null || size === null || sha256 === null
        ? null
        : { id, storageKey, mime, size, sha256 },
  }));
}

/** Lists number and photo size in bytes of issued certificates, in the order of their numbers. */
export async function listNumbers(db: Database, ids: readonly number[]): Promise<{ id: number; number: string; photoSize: number }[]> {
  return db
    .selectFrom('certificates as c')
    .leftJoin('files as f', (join) => join.on('f.id', '=', photoOf).on(isKept))
    .where('c.applicationId', '=', inList(ids))
    .orderBy('c.series')
    .orderBy('c.year')
    .orderBy('c.sequence')
    .select((eb) => ['c.applicationId as id', 'c.number', eb.fn.coalesce('f.size', eb.lit(0)).as('photoSize')])
    .execute();
}

/** A record that cannot be exported, with its problems. */
export interface UnfitRecord {
  id: number;
  /** Null without an issued certificate. */
  number: string | null;
  problems: ExportProblem[];
}

/** Lists the records that made an export fail, or that it did not mark. */
export async function listUnfit(db: Database, exportId: number): Promise<UnfitRecord[]> {
  const rows = await db
    .selectFrom('national_export_records as r')
    .leftJoin('certificates as c', 'c.applicationId', 'r.applicationId')
    .where('r.exportId', '=', exportId)
    .where('r.problems', 'is not', null)
    .orderBy('r.position')
    .select(['r.applicationId as id', 'c.number', 'r.problems'])
    .execute();
  return rows.map(({ problems, ...row }) => ({ ...row, problems: problems ?? [] }));
}
