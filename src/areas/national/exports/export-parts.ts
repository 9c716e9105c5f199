import { query } from '../../../platform/command.ts';
import type { Caller, CommandContext } from '../../../platform/context.ts';
import { type Database, json } from '../../../platform/database/database.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import type { Platform } from '../../../platform/platform.ts';
import { dropParts, keepPart, readPart } from '../../files/index.ts';
import { type NationalExport, NationalExportEntity } from '../entities.ts';

/** The photo and QR of one record of an export. */
export interface PrintedRecord {
  photo: Buffer;
  qr: Buffer;
}

/** Stores photos and QR codes until the file is ready, so that another attempt can resume. */
export interface ExportParts {
  /** Reads the stored parts in order, from the first record up to the first gap. */
  read(): AsyncIterable<readonly PrintedRecord[]>;
  /** Stores the records that follow the first `after` ones. */
  keep(after: number, records: readonly PrintedRecord[]): Promise<void>;
}

export function partsOf(platform: Platform, caller: Caller, { id, administratorId }: Readonly<NationalExport>): ExportParts {
  return {
    async *read() {
      let made = 0;
      for (const { firstPosition, lastPosition, sizes, ...file } of await query(platform, (db) => listParts(db, id))) {
        // Overlaps with a part of a concurrent attempt.
        if (firstPosition !== made + 1) continue;
        const bytes = await readPart(platform.storage, file);
        // A lost part is made again, with all parts after it.
        if (bytes === null) continue;
        yield divide(bytes, sizes);
        made = lastPosition;
      }
    },

    async keep(after, records) {
      const pieces = records.flatMap(({ photo, qr }) => [photo, qr]);
      const part = { exportId: id, firstPosition: after + 1, lastPosition: after + records.length };
      const sizes = json(pieces.map(({ length }) => length));
      const name = `national-print-${id}-${part.firstPosition}-${part.lastPosition}`;
      await keepPart(platform, caller, { ownerId: administratorId, purpose: 'national_print_part', name }, pieces, async (ctx, fileId) => {
        const made = await holdUnchanged(ctx.em, NationalExportEntity, { id });
        if (made?.status !== 'pending') return false;
        await ctx.db
          .insertInto('national_export_parts')
          .values({ fileId, ...part, sizes })
          .execute();
        return true;
      });
    },
  };
}

/** Deletes the parts of an ended export, in its transaction. @returns their file ids, to purge after the commit */
export async function endParts(ctx: CommandContext, exportId: number): Promise<string[]> {
  const parts = await ctx.db.deleteFrom('national_export_parts').where('exportId', '=', exportId).returning('fileId').execute();
  const fileIds = parts.map(({ fileId }) => fileId);
  await dropParts(ctx, fileIds);
  return fileIds;
}

/** Uses national_export_parts_export_index. */
async function listParts(db: Database, exportId: number) {
  return db
    .selectFrom('national_export_parts as p')
    .innerJoin('files as f', 'f.id', 'p.fileId')
    .where('p.exportId', '=', exportId)
    .where('f.purgedAt', 'is', null)
    .orderBy('p.firstPosition')
    .select(['p.firstPosition', 'p.lastPosition', 'p.sizes', 'f.storageKey', 'f.sha256'])
    .execute();
}

/** @param sizes byte lengths of the pieces in order */
function divide(bytes: Buffer, sizes: readonly number[]): PrintedRecord[] {
  let offset = 0;
  const pieces = sizes.map((size) => bytes.subarray(offset, (offset += size)));
  return pieces.flatMap((photo, index) => {
    const qr = pieces[index + 1];
    return index % 2 === 0 && qr !== undefined ? [{ photo, qr }] : [];
  });
}
