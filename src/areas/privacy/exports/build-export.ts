import { Readable } from 'node:stream';
import { streamArchive, type ArchiveEntry, zipMime } from '../../../platform/archive/stream-archive.ts';
import { query } from '../../../platform/commands/command.ts';
import type { Caller, CommandContext } from '../../../platform/commands/context.ts';
import { databaseOf } from '../../../platform/database/database.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { DomainError } from '../../../errors.ts';
import { type Account, personalRecords } from '../../../platform/personal-data.ts';
import type { Platform } from '../../../platform/platform.ts';
import { readObject } from '../../../platform/storage/storage.ts';
import { spool } from '../../../platform/storage/spool.ts';
import { dayOf, formatDateTime } from '../../../platform/time/date-time.ts';
import { audit } from '../../audit/index.ts';
import { accountExportPurpose, isForAdministrators, keepMadeFile } from '../../files/index.ts';
import { notify } from '../../notifications/index.ts';
import { AccountExportEntity } from '../entities.ts';
import { privacyNotifications } from '../notifications.ts';
import { mostShown, type Section, writePage } from './archive-page.ts';
import { keptUntil } from './process.ts';
import { findExport } from './queries.ts';
import { type ArchivedFile, isShown, readRows, type ShownRow, showRow } from './read-data.ts';
import { writeSchema } from './schema.ts';
import { kindTitles } from './texts.ts';

/**
 * Builds the archive of an export and stores it with its state in one transaction (PRV-2).
 *
 * Idempotent: an export that has ended stays unchanged, and the first of two concurrent attempts wins. An interrupted attempt leaves no
 * partial archive; the next one starts again.
 * @param caller the process
 * @param signal stops the work between two rows or files
 * @throws {DomainError} not_found. Any other error is temporary and may be retried
 */
export async function buildAccountExport(platform: Platform, caller: Caller, id: number, signal: AbortSignal): Promise<void> {
  const record = await query(platform, (db) => findExport(db, id));
  if (record === null) throw new DomainError('not_found');
  if (record.status !== 'preparing') return;
  const { userId, fileId, requestedAt } = record;
  const files: ArchivedFile[] = [];
  const sections: Section[] = [];
  await spool(Readable.from(writeData(platform, userId, { files, sections }, signal)), async (data) => {
    const { language } = await query(platform, (db) =>
      db.selectFrom('users').select('language').where('id', '=', userId).executeTakeFirstOrThrow(),
    );
    const filled = sections.filter(({ count }) => count > 0);
    const page = writePage(language, formatDateTime(requestedAt), filled);
    const entries = archiveEntries(platform, { data: data.open(), page, files }, signal);
    await spool(await streamArchive(entries, requestedAt), async ({ size, sha256, open }) => {
      const name = `account-${userId}-${dayOf(requestedAt)}.zip`;
      const file = { id: fileId, ownerId: userId, purpose: accountExportPurpose, name, mime: zipMime, size, sha256 } as const;
      await keepMadeFile(platform, caller, file, open, (ctx) => finishExport(ctx, id, size));
    });
  });
}

/**
 * Writes `data.json`: all rows of the account by the kind of their record, read one after the other.
 * @param found filled with the files of the archive and the sections of its page
 */
async function* writeData(
  platform: Platform,
  userId: number,
  found: { files: ArchivedFile[]; sections: Section[] },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const records = platform.extensions.of(personalRecords).flat();
  const account: Account = { userId, records };
  const db = databaseOf(platform.orm.em.fork());
  yield `{"$schema": "./data.schema.json", "account": ${userId}, "records": {`;
  const places = Object.keys(kindTitles);
  const shownRecords = records.filter(isShown).toSorted((left, right) => places.indexOf(left.kind) - places.indexOf(right.kind));
  for (const record of shownRecords) {
    yield `${found.sections.length === 0 ? '' : ','}\n${JSON.stringify(record.kind)}: [`;
    const section = { kind: record.kind, rows: [] as ShownRow[], count: 0 };
    found.sections.push(section);
    for await (const row of readRows(db, record, account)) {
      signal.throwIfAborted();
      const shown = showRow(record, row, (file) => found.files.push(file));
      yield `${section.count === 0 ? '' : ','}\n${JSON.stringify(shown)}`;
      section.count += 1;
      if (section.rows.length < mostShown) section.rows.push(shown);
    }
    yield ']';
  }
  yield '\n}}\n';
}

/** Yields the entries of an archive. A file whose bytes are lost is left out, and so are marks of the federation (FIL-7); their records stay. */
async function* archiveEntries(
  { orm, extensions, storage, log }: Platform,
  { data, page, files }: { data: Readable; page: string; files: readonly ArchivedFile[] },
  signal: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  yield { name: 'index.html', bytes: Buffer.from(page) };
  yield { name: 'data.json', content: data };
  yield { name: 'data.schema.json', bytes: Buffer.from(writeSchema(orm, extensions.of(personalRecords).flat())) };
  const db = databaseOf(orm.em.fork());
  for (const { path, storageKey, fileId } of files) {
    signal.throwIfAborted();
    if (fileId !== null && (await isForAdministrators(db, extensions, fileId))) continue;
    const bytes = await readObject(storage, storageKey);
    if (bytes === null) log.warn({ path }, 'a file of an account is not in the storage; its archive is made without it');
    else yield { name: path, bytes };
  }
}

/** @returns whether the archive is needed: not when a concurrent attempt was first */
async function finishExport(ctx: CommandContext, id: number, bytes: number): Promise<boolean> {
  const record = await lockForChange(ctx.em, AccountExportEntity, { id });
  if (record?.status !== 'preparing') return false;
  record.status = 'ready';
  record.finishedAt = ctx.now;
  record.dueAt = keptUntil(ctx.now);
  const { userId, requestId, requestIp: ip } = record;
  const actor = { kind: 'user', userId, isAdministrator: false, impersonatedUserId: null } as const;
  const subject = { kind: 'account_export', id };
  await audit({ ...ctx, actor, requestId, ip }, 'account_export.made', subject, { bytes });
  await notify(ctx, userId, privacyNotifications['account_export.made'], subject, {});
  return true;
}
