import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { UserEntity } from '../accounts/index.ts';
import { ApplicationEntity, type ApplicationStatus } from '../applications/index.ts';
import { StoredFileEntity } from '../files/index.ts';
import { type ExportList, exportLists, type ExportStatus, exportStatuses, type NationalList, nationalLists } from './lists.ts';
import type { ExportProblem } from './lists/fitness.ts';

/** A national certificate in a personal list of an administrator (service.md "National certificate lists"). */
export const NationalListEntryEntity = defineEntity({
  name: 'NationalListEntry',
  tableName: 'national_list_entries',
  primaryKeys: ['administratorId', 'list', 'applicationId'],
  properties: {
    administratorId: () =>
      p
        .manyToOne(UserEntity)
        .mapToPk()
        .primary()
        .fieldName('administrator_id')
        .deleteRule('cascade')
        .foreignKeyName('national_list_entries_administrator_fk'),
    list: p.string().length(20).primary().$type<NationalList>(),
    applicationId: () =>
      p
        .manyToOne(ApplicationEntity)
        .mapToPk()
        .primary()
        .fieldName('application_id')
        .deleteRule('cascade')
        .foreignKeyName('national_list_entries_application_fk'),
    addedAt: p.datetime(),
  },
  // When an application is deleted; a list itself is read by the key.
  indexes: [{ name: 'national_list_entries_application_index', properties: ['applicationId'] }],
  checks: [{ name: 'national_list_entries_list_known', expression: `list in (${literalText(nationalLists)})` }],
});
export type NationalListEntry = InferEntity<typeof NationalListEntryEntity>;

/** A file made of a list, from the request until the file's time is over. */
export const NationalExportEntity = defineEntity({
  name: 'NationalExport',
  tableName: 'national_exports',
  properties: {
    id: p.integer().primary().autoincrement(),
    administratorId: () =>
      p.manyToOne(UserEntity).mapToPk().fieldName('administrator_id').foreignKeyName('national_exports_administrator_fk'),
    list: p.string().length(20).$type<ExportList>(),
    status: p.string().length(20).$type<ExportStatus>().default('pending'),
    // Of the records in it.
    count: p.integer(),
    // Of the file that is there once it is ready: settled with the request, which tells its address.
    fileId: p.uuid(),
    // A code of `errors.ts`: why there is no file.
    failure: p.string().length(60).strictNullable(),
    requestId: p.string().length(64),
    requestedAt: p.datetime(),
    finishedAt: p.datetime().strictNullable(),
    // How far the making of its file has ever come (`progress.ts`).
    progress: p.integer().default(0),
    // When its process must look at it next by itself; while its file is made, when that last came further. Null once nothing is left to wait for.
    dueAt: p.datetime().strictNullable(),
  },
  uniques: [{ name: 'national_exports_file_unique', properties: ['fileId'] }],
  indexes: [
    { name: 'national_exports_administrator_index', properties: ['administratorId', 'id'] },
    // For the sweeper: the earliest first, behind the one before; for the rolling audit: those that have a process.
    { name: 'national_exports_due_index', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'national_exports_live_index', properties: ['id'], where: 'due_at is not null' },
  ],
  checks: [
    { name: 'national_exports_list_known', expression: `list in (${literalText(exportLists)})` },
    { name: 'national_exports_status_known', expression: `status in (${literalText(exportStatuses)})` },
    { name: 'national_exports_failure_of_failed', expression: "(failure is not null) = (status = 'failed')" },
  ],
});
export type NationalExport = InferEntity<typeof NationalExportEntity>;

/**
 * The records of an export in the order of its file. Once the file is ready those that still fit are marked: the marks are the history of a certificate's
 * exports, and none is ever taken back.
 */
export const NationalExportRecordEntity = defineEntity({
  name: 'NationalExportRecord',
  tableName: 'national_export_records',
  primaryKeys: ['exportId', 'applicationId'],
  properties: {
    exportId: () =>
      p
        .manyToOne(NationalExportEntity)
        .mapToPk()
        .primary()
        .fieldName('export_id')
        .deleteRule('cascade')
        .foreignKeyName('national_export_records_export_fk'),
    applicationId: () =>
      p
        .manyToOne(ApplicationEntity)
        .mapToPk()
        .primary()
        .fieldName('application_id')
        .foreignKeyName('national_export_records_application_fk'),
    list: p.string().length(20).$type<ExportList>(),
    // From 1.
    position: p.integer(),
    // Null until the file is ready: the mark.
    exportedAt: p.datetime().strictNullable(),
    // Codes of what was found wrong with it while the file was made; null where nothing was.
    problems: p.array().$type<ExportProblem[]>().strictNullable(),
  },
  indexes: [
    { name: 'national_export_records_application_index', properties: ['applicationId'] },
    // What has been exported, by list.
    { name: 'national_export_records_marks_index', properties: ['list', 'applicationId'], where: 'exported_at is not null' },
  ],
  checks: [{ name: 'national_export_records_list_known', expression: `list in (${literalText(exportLists)})` }],
});
export type NationalExportRecord = InferEntity<typeof NationalExportRecordEntity>;

/**
 * What was made of some records of an export, one behind the other in the order of its file, until the file is there or there will be none: a
 * try that was cut off goes on behind it (`export-parts.ts`).
 */
export const NationalExportPartEntity = defineEntity({
  name: 'NationalExportPart',
  tableName: 'national_export_parts',
  properties: {
    fileId: () => p.manyToOne(StoredFileEntity).mapToPk().primary().fieldName('file_id').foreignKeyName('national_export_parts_file_fk'),
    exportId: () =>
      p
        .manyToOne(NationalExportEntity)
        .mapToPk()
        .fieldName('export_id')
        .deleteRule('cascade')
        .foreignKeyName('national_export_parts_export_fk'),
    // Of its first record and of its last.
    firstPosition: p.integer(),
    lastPosition: p.integer(),
    // Bytes of its pieces, the photo and the QR of each record.
    sizes: p.json<number[]>(),
  },
  indexes: [{ name: 'national_export_parts_export_index', properties: ['exportId', 'firstPosition'] }],
});
export type NationalExportPart = InferEntity<typeof NationalExportPartEntity>;

/**
 * What the list of national certificates finds an application by; one row for each application for one. Written by the database itself with
 * the application, its certificate, the name of its profile and the marks of exports (triggers of the migration `national_certificates`), so
 * no command can forget it. The applications themselves are wide, and neither the names nor the marks are among their columns.
 */
export const NationalCertificateEntity = defineEntity({
  name: 'NationalCertificate',
  tableName: 'national_certificates',
  properties: {
    applicationId: () =>
      p
        .manyToOne(ApplicationEntity)
        .mapToPk()
        .primary()
        .fieldName('application_id')
        .deleteRule('cascade')
        .foreignKeyName('national_certificates_application_fk'),
    year: p.integer(),
    serviceId: p.integer(),
    status: p.string().length(20).$type<ApplicationStatus>(),
    // Paid and not refunded.
    paid: p.boolean(),
    // Whether a file with it was ever made.
    insuranceExported: p.boolean().default(false),
    printExported: p.boolean().default(false),
    // The words of its names, the printed one and the present one, as `calendar_words` of the database makes them.
    words: p.string().columnType('tsvector'),
  },
  indexes: [
    // Applications that are alike in all that is filtered by stand together in the order of the list (`listing-queries.ts`).
    {
      name: 'national_certificates_group_index',
      properties: ['year', 'serviceId', 'status', 'paid', 'insuranceExported', 'printExported', 'applicationId'],
    },
    // Words that stand everywhere are sought in the order of the list: of one year by this, of all by the key.
    { name: 'national_certificates_year_index', properties: ['year', 'applicationId'] },
    { name: 'national_certificates_words_index', properties: ['words'], type: 'gin' },
  ],
});
export type NationalCertificate = InferEntity<typeof NationalCertificateEntity>;
