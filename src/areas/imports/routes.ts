import contentDisposition from 'content-disposition';
import type { Readable } from 'node:stream';
import { DomainError, fieldProblem } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { chooseLanguage } from '../../http/language.ts';
import type { UploadedFile } from '../../http/request/read-upload.ts';
import { accepted, body as bodyReply, ok } from '../../http/response/reply.ts';
import { idParams } from '../../http/schemas.ts';
import { commit, query } from '../../platform/commands/command.ts';
import { actingUserId, type Caller } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { xlsxMime } from '../../platform/spreadsheet/stream-spreadsheet.ts';
import { countAttempt, exportsOf } from '../accounts/index.ts';
import type { Reading } from '../audit/index.ts';
import { type EventRecord, findEvent, requireEventOwner, requireEventReader } from '../competitions/index.ts';
import type { ImportKind } from './entities.ts';
import { importRows, type ImportTarget, rowsOfBatch } from './import-rows.ts';
import { streamParticipantTemplate } from './participants/template.ts';
import { requireImportReader } from './policy.ts';
import { findImport, listOutcomes } from './queries.ts';
import { receiveFile } from './receive-file.ts';
import { streamRegistrationTemplate } from './registrations/template.ts';
import { startImport } from './start-import.ts';
import { importBody, importResponse, participantImportBody, presentImport, presentRows, templateQuery } from './wire.ts';

const tag = 'Competitions';

const fileText =
  'The `file` is an XLSX, or a CSV in UTF-8 or windows-1251 with commas, semicolons or tabs, of at most 2,000 rows; its content decides. ' +
  'A row of titles in any of the three languages comes first. Each row is taken or refused by itself, each wrong cell is named, and the same file sent again changes nothing. ' +
  'Up to 100 rows are answered at once. More are taken a hundred at a time: 202, and the outcome at `Location`; 409 `invalid_state` while another import of the account runs. ' +
  '422 `file_rejected` has `details.reason`: `unsupported_type`, `sheet_unreadable`, `sheet_protected`, `sheet_has_macros`, `sheet_too_large`, `columns_missing`, `column_repeated`, `no_rows` or `too_many_rows`.';

const importErrors = [
  'payload_too_large',
  'unsupported_media_type',
  'file_rejected',
  'invalid_state',
  'rate_limited',
  'service_unavailable',
] as const;
/** Paths of imports with a process. */
const pathOf: Record<ImportKind, string> = { registrations: '/registration-imports', participants: '/participant-imports' };

const longStatus = (kind: ImportKind) => [
  { status: 202, description: 'More than 100 rows: they are taken one after another', location: `${pathOf[kind]}/:id` },
];

interface SentFile {
  platform: Platform;
  caller: Caller;
  upload: UploadedFile | null;
  signal: AbortSignal;
}

/** @throws {DomainError} what `receiveFile` and `startImport` refuse */
async function takeFile({ platform, caller, upload: file, signal }: SentFile, event: EventRecord, target: ImportTarget) {
  if (file === null) throw fieldProblem('body.file', 'required', 'is required');
  const ownerId = actingUserId(caller.actor);
  if (ownerId === null) throw new DomainError('not_found');
  const vehicleFields = event.settings?.vehicleFields ?? [];
  const read = await receiveFile(platform, { file, ownerId, ip: caller.ip, signal }, target.kind, vehicleFields);
  const { entries, ignoredColumns } = read;
  if (entries.length <= rowsOfBatch) {
    const rows = await commit(platform, caller, (ctx) => importRows(ctx, target, entries));
    return ok(presentRows({ mode: target.mode, total: entries.length, ignoredColumns }, rows));
  }
  const { id } = await commit(platform, caller, async (ctx) => ({ id: (await startImport(ctx, target, read)).id }));
  const started = await query(platform, (db) => findImport(db, id));
  if (started === null) throw new Error(`import ${id} was not found after its own command`);
  return accepted(presentImport(started, []), `${pathOf[target.kind]}/${id}`);
}

/** @throws {DomainError} not_found, also for an import of another account or list */
async function showImport(reading: Reading, id: number, kind: ImportKind) {
  const found = await findImport(reading.db, id);
  const record = await requireImportReader(reading, found?.kind === kind ? found : null);
  return ok(presentImport(record, await listOutcomes(reading.db, id)));
}

/** @throws {DomainError} not_found, unless the event is published */
async function requirePublished(db: Database, id: number): Promise<EventRecord> {
  const record = await findEvent(db, id);
  if (record?.event.status !== 'published') throw new DomainError('not_found');
  return record;
}

function sendTemplate(content: Readable, name: string) {
  return bodyReply(content, {
    'Content-Type': xlsxMime,
    'Content-Disposition': contentDisposition(name, { type: 'attachment' }),
    'Cache-Control': 'no-store',
  });
}

export const importRoutes: Route[] = [
  defineRoute({
    name: 'getRegistrationTemplate',
    method: 'GET',
    path: '/events/:id/registrations/template.xlsx',
    access: access.scope('applications:read'),
    tag,
    summary: 'Get the sheet for an import of own registrations',
    description:
      'An XLSX with a row for each living registration of the account for the event, and for each other athlete; classes and licences are offered as lists, and each vehicle field has a column. ' +
      'Sent back as it is, it changes nothing. Limited by the hour, as exports: 429 `rate_limited`. 404 unless the event is published.',
    request: { params: idParams, query: templateQuery },
    response: { content: [xlsxMime] },
    errors: ['rate_limited'],
    async handler({ platform, principal, params, query: { lang }, header }) {
      const content = await query(platform, async (db, now) => {
        const event = await requirePublished(db, params.id);
        await countAttempt(platform, exportsOf(platform.config, principal.user.id));
        return streamRegistrationTemplate(
          db,
          { event, ownerId: principal.user.id, language: chooseLanguage(lang, header('accept-language')) },
          now,
        );
      });
      return sendTemplate(content, `registrations-${params.id}.xlsx`);
    },
  }),
  defineRoute({
    name: 'importRegistrations',
    method: 'POST',
    path: '/events/:id/registrations/import',
    access: access.scope('applications:write'),
    tag,
    summary: 'Save or submit own registrations from a sheet',
    description: `${fileText} A row means the registration of its number, else that of its athlete and class; columns that the sheet does not have keep what is saved. A check does not count the places of classes from one hundred rows to the next. 404 unless the event is published.`,
    bodyKind: 'upload',
    fileText: 'XLSX or CSV, at most 5 MB',
    request: { params: idParams, body: importBody, example: { mode: 'check' } },
    response: { data: importResponse, otherStatuses: longStatus('registrations') },
    errors: [...importErrors],
    async handler({ platform, caller, params, body: { mode }, upload, signal }) {
      const event = await query(platform, (db) => requirePublished(db, params.id));
      return takeFile({ platform, caller, upload, signal }, event, { kind: 'registrations', mode, eventId: params.id });
    },
  }),
  defineRoute({
    name: 'getRegistrationImport',
    method: 'GET',
    path: '/registration-imports/:id',
    access: access.scope('applications:read'),
    tag,
    summary: 'Get the progress and the outcome of an import of registrations',
    request: { params: idParams },
    response: { data: importResponse },
    handler: ({ platform, principal, caller, params }) =>
      query(platform, (db, now) => showImport({ principal, caller, db, now }, params.id, 'registrations')),
  }),
  defineRoute({
    name: 'getParticipantTemplate',
    method: 'GET',
    path: '/events/:id/participants/template.xlsx',
    access: access.scope('events:read'),
    auditsReads: true,
    tag,
    summary: 'Get the sheet for an import of results',
    description:
      'An XLSX with the participants, then the approved registrations that are none yet; classes and statuses are offered as lists. Sent back as it is, it changes nothing. ' +
      'Limited by the hour, as exports: 429 `rate_limited`.',
    request: { params: idParams, query: templateQuery },
    response: { content: [xlsxMime] },
    errors: ['rate_limited'],
    async handler({ platform, principal, caller, params, query: { lang }, header }) {
      const content = await query(platform, async (db, now) => {
        const event = await requireEventReader({ principal, caller, db, now }, await findEvent(db, params.id), 'participants/template');
        await countAttempt(platform, exportsOf(platform.config, principal.user.id));
        return streamParticipantTemplate({ caller, db, now }, event, chooseLanguage(lang, header('accept-language')));
      });
      return sendTemplate(content, `results-${params.id}.xlsx`);
    },
  }),
  defineRoute({
    name: 'importParticipants',
    method: 'POST',
    path: '/events/:id/participants/import',
    access: access.scope('events:write'),
    tag,
    summary: 'Add or change participants from a sheet of results',
    description: `${fileText} A row means the athlete of its licence, else of its start number: of a participant, or of an approved registration. Columns that the sheet does not have keep what is saved. With a column for place or result, a row without either adds no participant.`,
    bodyKind: 'upload',
    fileText: 'XLSX or CSV, at most 5 MB',
    request: { params: idParams, body: participantImportBody, example: { mode: 'check' } },
    response: { data: importResponse, otherStatuses: longStatus('participants') },
    errors: [...importErrors],
    async handler({ platform, caller, params, body: { mode }, upload, signal }) {
      const event = await query(platform, (db) => findEvent(db, params.id));
      requireEventOwner(caller.actor, event?.event ?? null);
      if (event === null) throw new DomainError('not_found');
      return takeFile({ platform, caller, upload, signal }, event, { kind: 'participants', mode, eventId: params.id });
    },
  }),
  defineRoute({
    name: 'getParticipantImport',
    method: 'GET',
    path: '/participant-imports/:id',
    access: access.scope('events:read'),
    tag,
    summary: 'Get the progress and the outcome of an import of results',
    request: { params: idParams },
    response: { data: importResponse },
    handler: ({ platform, principal, caller, params }) =>
      query(platform, (db, now) => showImport({ principal, caller, db, now }, params.id, 'participants')),
  }),
];
