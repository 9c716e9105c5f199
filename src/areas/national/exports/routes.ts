import contentDisposition from 'content-disposition';
import { DomainError, isDomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { body as bodyReply, created, ok } from '../../../http/response/reply.ts';
import { idParams, nextMeta } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { xlsxMime } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import { awaitLongWork } from '../../../platform/workflows/send-command.ts';
import { describeProcess } from '../../../platform/workflows/describe-process.ts';
import { countAttempt, exportsOf } from '../../accounts/index.ts';
import type { ExportList } from '../lists/fitness.ts';
import { streamSheet } from './build-export.ts';
import { nationalExportProcess } from './process.ts';
import { type ExportRecord, findExport, listExports, listUnfit } from './queries.ts';
import { requestExport } from './request-export.ts';
import {
  exportBody,
  exportDetailResponse,
  exportResponse,
  exportsQuery,
  listedExportsResponse,
  presentExport,
  presentListedExport,
} from './wire.ts';

/** Shorter than the one-minute timeout of common proxies. */
const longestWaitMs = 45_000;
/** Unanswered requests to the process, of at most ten seconds each, after which the route stops waiting. */
const mostUnanswered = 2;

/**
 * Waits until an export has ended, at most 45 seconds and only while the client is connected. Otherwise returns the pending export, which
 * the process still finishes.
 */
async function awaitExport(platform: Platform, id: number, requestId: string, signal: AbortSignal): Promise<ExportRecord> {
  const until = performance.now() + longestWaitMs;
  let unanswered = 0;
  for (;;) {
    if (!(await awaitAnswer(platform, id, requestId))) unanswered += 1;
    const record = await query(platform, (db) => findExport(db, id));
    if (record === null) throw new Error(`export ${id} was not found after its own command`);
    if (record.status !== 'pending' || unanswered >= mostUnanswered || signal.aborted || performance.now() > until) return record;
  }
}

/** @returns whether the process answered */
async function awaitAnswer(platform: Platform, id: number, requestId: string): Promise<boolean> {
  try {
    await awaitLongWork(platform, nationalExportProcess, id, requestId);
    return true;
  } catch (error) {
    if (isDomainError(error)) return false;
    throw error;
  }
}

const tag = 'National certificate lists';

const texts: Record<ExportList, { export: string; template: string; summary: string; sheet: string }> = {
  insurance: {
    export: 'exportInsuranceList',
    template: 'getInsuranceTemplate',
    summary: 'Export your list as an XLSX for the insurer',
    sheet: 'number, last, first and middle name, birth date, IIN, category, territory, coverage in tenge, validity',
  },
  print: {
    export: 'exportPrintList',
    template: 'getPrintTemplate',
    summary: 'Export your list as a ZIP for the printer',
    sheet: 'number, last, first and middle name, birth date, category, discipline, validity, and the paths of photo and QR in the archive',
  },
};

function exportRoute(list: ExportList): Route {
  return defineRoute({
    name: texts[list].export,
    method: 'POST',
    path: `/admin/national/lists/${list}/export`,
    access: access.administrator('admin:write'),
    tag,
    summary: texts[list].summary,
    description:
      (list === 'insurance'
        ? `An XLSX with ten columns: ${texts.insurance.sheet}. `
        : `A ZIP with \`document.xlsx\` (${texts.print.sheet}), \`foto/<number>.jpg\` (the photo that the certificate was issued with) and \`qr/<number>.png\`. `) +
      'Each record is checked first: 422 `export_not_possible` with `details.records` if one no longer fits. Then `ids` must be exactly your list, in any order: else 409 `selection_changed` with its `ids`. ' +
      (list === 'print' ? 'The photos may have 300 MB in total: else 422 `photos_too_large`. ' : '') +
      'Answers when the file exists, usually within seconds. After 45 seconds it answers `pending`, and the export continues: `download_url` stays the same and answers 404 until the file exists; `GET /admin/national/exports/{id}` shows the status. ' +
      'A photo that is found lost or damaged during the export is also 422 `export_not_possible`; no file is created and no record is marked as exported. A certificate that is annulled during the export is in the file but not marked; `not_marked` names it. ' +
      'The file belongs to you and is deleted after 30 days. Every administrator may read it; it counts towards no quota. The list stays unchanged. After twenty requests in an hour, also failed ones: 429 `rate_limited`.',
    request: { body: exportBody, example: { ids: [12, 15] } },
    response: { status: 201, location: '/admin/national/exports/:id', data: exportResponse },
    links: { getNationalExport: { id: 'id' } },
    errors: ['export_not_possible', 'selection_changed', ...(list === 'print' ? (['photos_too_large'] as const) : []), 'rate_limited'],
    async handler({ platform, principal, caller, body, signal }) {
      // NAT-5: at most 20 exports an hour.
      await countAttempt(platform, exportsOf(platform.config, principal.user.id));
      const { id } = await commit(platform, caller, (ctx) => requestExport(ctx, list, body.ids));
      const record = await awaitExport(platform, id, caller.requestId, signal);
      const unfit = record.status === 'pending' ? [] : await query(platform, (db) => listUnfit(db, id));
      if (record.failure !== null) throw new DomainError(record.failure, { records: unfit, export_id: id });
      return created(presentExport(record, unfit), `/admin/national/exports/${id}`);
    },
  });
}

function templateRoute(list: ExportList): Route {
  return defineRoute({
    name: texts[list].template,
    method: 'GET',
    path: `/admin/national/templates/${list}`,
    access: access.administrator('admin:read'),
    tag,
    summary: `Get the empty sheet of the ${list} export`,
    description: `An XLSX with only the column titles: ${texts[list].sheet}.`,
    response: { content: [xlsxMime] },
    async handler({ platform }) {
      const at = await query(platform, async (_db, now) => now);
      return bodyReply(await streamSheet(list, [], at), {
        'Content-Type': xlsxMime,
        'Content-Disposition': contentDisposition(`national-${list}-template.xlsx`, { type: 'attachment' }),
      });
    },
  });
}

/** @throws {DomainError} not_found */
async function showExport(platform: Platform, id: number) {
  const { record, unfit, now } = await query(platform, async (db, instant) => {
    const found = await findExport(db, id);
    if (found === null) throw new DomainError('not_found');
    return { record: found, unfit: found.status === 'pending' ? [] : await listUnfit(db, id), now: instant };
  });
  return {
    ...presentExport(record, unfit),
    process: await describeProcess(platform, nationalExportProcess, record, now),
  };
}

export const nationalExportRoutes: Route[] = [
  exportRoute('insurance'),
  exportRoute('print'),
  defineRoute({
    name: 'listNationalExports',
    method: 'GET',
    path: '/admin/national/exports',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List the exports of all administrators, newest first',
    request: { query: exportsQuery },
    response: { data: listedExportsResponse, meta: nextMeta },
    async handler({ platform, query: filter }) {
      const { rows, next } = await query(platform, (db) => listExports(db, filter));
      return ok(rows.map(presentListedExport), { next });
    },
  }),
  defineRoute({
    name: 'getNationalExport',
    method: 'GET',
    path: '/admin/national/exports/:id',
    access: access.administrator('admin:read'),
    tag,
    summary: 'Get the status of an export',
    description:
      'For every administrator: `pending` until its file exists, then `ready`, or `failed` with the faulty records, or with `forbidden` if its administrator was blocked or demoted before the end.',
    request: { params: idParams },
    response: { data: exportDetailResponse },
    handler: async ({ platform, params }) => ok(await showExport(platform, params.id)),
  }),
  templateRoute('insurance'),
  templateRoute('print'),
];
