import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { accepted, ok } from '../../../http/response/reply.ts';
import { idParams } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { refusalOf } from '../../../platform/logging/security-log.ts';
import type { Platform } from '../../../platform/platform.ts';
import { confirmInPerson } from '../../accounts/index.ts';
import { type ExportRecord, findExport } from './queries.ts';
import { requestExport } from './request-export.ts';
import { exportBody, exportResponse, presentExport } from './wire.ts';

const tag = 'Own data';

export const accountExportRoutes: Route[] = [
  defineRoute({
    name: 'exportAccount',
    method: 'POST',
    path: '/account/exports',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Request an archive of all your data',
    description:
      'A ZIP with `data.json` (every record of the account by its kind; `data.schema.json` describes it), your files in `files/`, and `index.html`, which shows the same for people. It is made in the background, usually within a minute; a notification tells when. It is kept for seven days. An account may request one a day: 429 `rate_limited`.',
    request: { body: exportBody, example: { password: 'Tulpar-1994-Altai' } },
    response: { status: 202, location: '/account/exports/:id', data: exportResponse },
    links: { getAccountExport: { id: 'id' } },
    errors: ['password_confirmation_failed', 'second_factor_required', 'second_factor_failed', 'rate_limited'],
    async handler({ platform, principal, caller, body, signal }) {
      const confirmed = await confirmInPerson(platform, { principal, caller, signal }, body);
      const userId = principal.user.id;
      const { id } = await commit(platform, confirmed, (ctx) => requestExport(ctx, userId));
      return accepted(presentExport(await readOwn(platform, id, userId)), `/account/exports/${id}`);
    },
  }),
  defineRoute({
    name: 'getAccountExport',
    method: 'GET',
    path: '/account/exports/:id',
    access: access.inPerson(access.browser),
    tag,
    summary: 'Get the state of an archive of your data',
    request: { params: idParams },
    response: { data: exportResponse },
    async handler({ platform, principal, params }) {
      return ok(presentExport(await readOwn(platform, params.id, principal.user.id)));
    },
  }),
];

/** @throws {DomainError} not_found, also for an export of another account */
async function readOwn(platform: Platform, id: number, userId: number): Promise<ExportRecord> {
  const record = await query(platform, (db) => findExport(db, id));
  if (record === null || record.userId !== userId) throw refusalOf('not_found', { kind: 'account_export', id });
  return record;
}
