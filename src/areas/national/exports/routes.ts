import contentDisposition from 'content-disposition';
import { DomainError, isDomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { body as bodyReply, created, ok } from '../../../http/response/reply.ts';
import { idParams } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { xlsxMime } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { awaitLongWork } from '../../../platform/workflows/send-command.ts';
import { describeProcess } from '../../../platform/workflows/describe-process.ts';
import { countAttempt, exportsOf } from '../../accounts/index.ts';
import type { ExportList } from '../lists.ts';
import { streamSheet } from './build-export.ts';
import { describeExport } from './describe-export.ts';
import { nationalExportProcess } from './process.ts';
import { type ExportRecord, findExport, listUnfit } from './queries.ts';
import { requestExport } from './request-export.ts';
import { exportBody, exportDetailResponse, exportResponse, presentExport } from './wire.ts';

/** Shorter than the one-minute timeout of common proxies. */
const longestWaitMs = 45_000;
/** Unanswered requests to the process, of at most ten seconds each, after which the route stops waiting. */
const mostUnanswered = 2;

/**
 * Waits until an export has ended, at most 45 seconds and only while the client is connected. Otherwise returns the pending export, which
 * the process still finishes.
 */
export async function awaitExport(platform: Platform, id: number, requestId: string, gone: AbortSignal): Promise<ExportRecord> {
  const until = performance.now() + longestWaitMs;
  let unanswered = 0;
  for (;;) {
    if (!(await ask(platform, id, requestId))) unanswered += 1;
    const record = await query(platform, (db) => findExport(db, id));
    if (record === null) throw new Error(`export ${id} vanished under its own request`);
    if (record.made.status !== 'pending' || unanswered >= mostUnanswered || gone.aborted || performance.now() > until) return record;
  }
}

/** @returns whether the process answered */
async function ask(platform: Platform, id: number, requestId: string): Promise<boolean> {
  try {
    await awaitLongWork(platform, nationalExportProcess, id, requestId);
    return true;
  } catch (error) {
    if (isDomainError(error)) return false;
    throw error;
  }
}

const tag = 'National certificate lists';

const about: Record<ExportList, { export: string; template: string; what: string; sheet: string }> = {
  insurance: {
    export: 'exportInsuranceList',
    template: 'getInsuranceTemplate',
    what: 'Make the XLSX for the insurer of your list',
    sheet: 'number, last, first and middle name, birth date, IIN, category, territory, coverage in tenge, validity',
  },
  print: {
    export: 'exportPrintList',
    template: 'getPrintTemplate',
    what: 'Make the ZIP for the printer of your list',
    sheet: 'number, last, first and middle name, birth date, category, discipline, validity, and where photo and QR lie in the archive',
  },
};

function exportRoute(list: ExportList): Route {
  return defineRoute({
    name: about[list].export,
    method: 'POST',
    path: `/admin/national/lists/${list}/export`,
    access: access.administrator('admin:write'),
    tag,
    summary: about[list].what,
    description:
      (list === 'insurance'
        ? `An XLSX with ten columns: ${about.insurance.sheet}. `
        : `A ZIP with \`document.xlsx\` (${about.print.sheet}), \`foto/<number>.jpg\` (the photo that the certificate was issued with) and \`qr/<number>.png\`. `) +
      'First each record is judged: 422 `export_not_possible` with `details.records` where one fits no more. Then `ids` must be your list, all of it, in any order: 409 `selection_changed` with its `ids`. ' +
      (list === 'print' ? 'Then the photos may have 300 MB together: 422 `photos_too_large`. ' : '') +
      'Answers when the file is there, as a rule within seconds; what takes longer than 45 seconds is answered as `pending` and is made all the same: `download_url` is the same then and answers 404 before, and `GET /admin/national/exports/{id}` says how it stands. ' +
      'A photo that turns out to be lost or broken while the file is made is told as 422 `export_not_possible` too; there is no file then, and nothing is marked as exported. A certificate that is annulled while the file is made is in the file and not marked; `not_marked` names it. ' +
      'The file is yours and is kept for 30 days. Every other administrator may read it; it counts in no quota. The list stays unchanged. More than twenty requests an hour, failed ones included: 429 `rate_limited`.',
    request: { body: exportBody },
    response: { status: 201, location: '/admin/national/exports/:id', data: exportResponse },
    links: { getNationalExport: { id: 'id' } },
    errors: ['export_not_possible', 'selection_changed', ...(list === 'print' ? (['photos_too_large'] as const) : []), 'rate_limited'],
    async handler({ platform, principal, caller, body, gone }) {
      // NAT-5: at most 20 exports an hour.
      await countAttempt(platform, exportsOf(platform.config, principal.user.id));
      const { id } = await commit(platform, caller, (ctx) => requestExport(ctx, list, body.ids));
      const record = await awaitExport(platform, id, caller.requestId, gone);
      const unfit = record.made.status === 'pending' ? [] : await query(platform, (db) => listUnfit(db, id));
      if (record.made.failure !== null) throw new DomainError(record.made.failure, { records: unfit, export_id: id });
      return created(presentExport(record, unfit), `/admin/national/exports/${id}`);
    },
  });
}

function templateRoute(list: ExportList): Route {
  return defineRoute({
    name: about[list].template,
    method: 'GET',
    path: `/admin/national/templates/${list}`,
    access: access.administrator('admin:read'),
    tag,
    summary: `The empty sheet of the ${list} export`,
    description: `An XLSX with the titles alone: ${about[list].sheet}.`,
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
    return { record: found, unfit: found.made.status === 'pending' ? [] : await listUnfit(db, id), now: instant };
  });
  return {
    ...presentExport(record, unfit),
    administrator_id: record.made.administratorId,
    process: await describeProcess(platform, refOf(nationalExportProcess, id), describeExport(record, now), now),
  };
}

export const nationalExportRoutes: Route[] = [
  exportRoute('insurance'),
  exportRoute('print'),
  defineRoute({
    name: 'getNationalExport',
    method: 'GET',
    path: '/admin/national/exports/:id',
    access: access.administrator('admin:read'),
    tag,
    summary: 'How an export stands',
    description:
      'For every administrator: `pending` while its file is made, `ready`, or `failed` with the records that are at fault, or with `forbidden` where its administrator was blocked or demoted before it was ready.',
    request: { params: idParams },
    response: { data: exportDetailResponse },
    handler: async ({ platform, params }) => ok(await showExport(platform, params.id)),
  }),
  templateRoute('insurance'),
  templateRoute('print'),
];
