import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ErrorCode } from '../../errors.ts';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import { ApplicationEntity, type ApplicationStatus } from '../applications/index.ts';
import {
  type ExportList,
  exportLists,
  type ExportProblem,
  type ExportStatus,
  exportStatuses,
  type NationalList,
  nationalLists,
} from './lists/fitness.ts';

/** An entry of an administrator's personal list (NAT-1). */
export const NationalListEntryEntity = defineEntity({
  name: 'NationalListEntry',
  tableName: 'national_list_entries',
  primaryKeys: ['administratorId', 'list', 'applicationId'],
  properties: {
    administratorId: () =>
      referenceTo(UserEntity, 'administrator_id', 'national_list_entries_administrator_fk').primary().deleteRule('cascade'),
    list: p.string().length(20).primary().$type<NationalList>(),
    applicationId: () =>
      referenceTo(ApplicationEntity, 'application_id', 'national_list_entries_application_fk').primary().deleteRule('cascade'),
    addedAt: p.datetime(),
  },
  // For the cascade of a deleted application; lists are read by the primary key.
  indexes: [{ name: 'national_list_entries_application_index', properties: ['applicationId'] }],
  checks: [{ name: 'national_list_entries_list_known', expression: `list in (${literalText(nationalLists)})` }],
});
export type NationalListEntry = InferEntity<typeof NationalListEntryEntity>;

/** An export of a list, from the request until its file is deleted. */
export const NationalExportEntity = defineEntity({
  name: 'NationalExport',
  tableName: 'national_exports',
  properties: {
    id: p.integer().primary().autoincrement(),
    administratorId: () => referenceTo(UserEntity, 'administrator_id', 'national_exports_administrator_fk'),
    list: p.string().length(20).$type<ExportList>(),
    status: p.string().length(20).$type<ExportStatus>().default('pending'),
    // Number of records.
    count: p.integer(),
    // Assigned with the request, so that the response has the address of the file.
    fileId: p.uuid(),
    // Error code of `errors.ts`, set when the export failed.
    failure: p.string().length(60).$type<ErrorCode>().strictNullable(),
    // The request, for the audit of its outcome.
    requestId: p.string().length(64),
    requestIp: p.string().length(64).strictNullable(),
    requestedAt: p.datetime(),
    finishedAt: p.datetime().strictNullable(),
    // The furthest step that any attempt has reached (`progress.ts`).
    progress: p.integer().default(0),
    // When the sweeper must wake the process; until the file exists, the instant of the last progress. Null when the process is over.
    dueAt: p.datetime().strictNullable(),
  },
  uniques: [{ name: 'national_exports_file_unique', properties: ['fileId'] }],
  indexes: [
    { name: 'national_exports_administrator_index', properties: ['administratorId', 'id'] },
    { name: 'national_exports_list_index', properties: ['list', 'id'] },
    // The first for the sweeper's cursor, the second for the rebuild of exports that have a process.
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
 * The records of an export in the order of its file. `exportedAt` marks a record as exported once the file is ready; a mark is never
 * removed (NAT-10).
 */
export const NationalExportRecordEntity = defineEntity({
  name: 'NationalExportRecord',
  tableName: 'national_export_records',
  primaryKeys: ['exportId', 'applicationId'],
  properties: {
    exportId: () => referenceTo(NationalExportEntity, 'export_id', 'national_export_records_export_fk').primary().deleteRule('cascade'),
    applicationId: () => referenceTo(ApplicationEntity, 'application_id', 'national_export_records_application_fk').primary(),
    list: p.string().length(20).$type<ExportList>(),
    // From 1.
    position: p.integer(),
    // The mark; null until the file is ready.
    exportedAt: p.datetime().strictNullable(),
    // Problem codes found during the export; null without problems.
    problems: p.array().$type<ExportProblem[]>().strictNullable(),
  },
  indexes: [
    { name: 'national_export_records_application_index', properties: ['applicationId'] },
    // Finds exported records by list.
    { name: 'national_export_records_marks_index', properties: ['list', 'applicationId'], where: 'exported_at is not null' },
  ],
  checks: [{ name: 'national_export_records_list_known', expression: `list in (${literalText(exportLists)})` }],
});
export type NationalExportRecord = InferEntity<typeof NationalExportRecordEntity>;

/**
 * The search row of an application for a national certificate.
 *
 * Triggers (`guards.sql`) maintain it from the application, certificate, profile name and export marks, so a
 * command cannot forget it. Rows of `applications` are wide and hold neither names nor marks.
 */
export const NationalCertificateEntity = defineEntity({
  name: 'NationalCertificate',
  tableName: 'national_certificates',
  properties: {
    applicationId: () =>
      referenceTo(ApplicationEntity, 'application_id', 'national_certificates_application_fk').primary().deleteRule('cascade'),
    year: p.integer(),
    serviceId: p.integer(),
    status: p.string().length(20).$type<ApplicationStatus>(),
    // Paid and not refunded.
    paid: p.boolean(),
    // Whether a file ever included this record.
    insuranceExported: p.boolean().default(false),
    printExported: p.boolean().default(false),
    // Words of the printed and the current name, split by the database function `calendar_words`.
    words: p.string().columnType('tsvector'),
  },
  indexes: [
    // Groups applications by all filter columns, in the order of the list (`lists/queries.ts`).
    {
      name: 'national_certificates_group_index',
      properties: ['year', 'serviceId', 'status', 'paid', 'insuranceExported', 'printExported', 'applicationId'],
    },
    // Frequent words are searched in list order: one year by this index, all years by the primary key.
    { name: 'national_certificates_year_index', properties: ['year', 'applicationId'] },
    { name: 'national_certificates_words_index', properties: ['words'], type: 'gin' },
  ],
});
export type NationalCertificate = InferEntity<typeof NationalCertificateEntity>;
