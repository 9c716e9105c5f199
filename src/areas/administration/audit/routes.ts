import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { cappedPage } from '../../../http/response/reply.ts';
import { cappedListMeta } from '../../../http/schemas.ts';
import { query as runQuery } from '../../../platform/commands/command.ts';
import { listAuditEvents } from '../../audit/index.ts';
import { exportMimes, exportRules, sendExport } from '../export-file.ts';
import { exportAudit, mostExported } from './export-audit.ts';
import { nameActors } from './name-actors.ts';
import * as wire from './wire.ts';

const tag = 'Administration';

/** Routes for the audit, as a list and as a file. */
export const auditRoutes: Route[] = [
  defineRoute({
    name: 'listAuditEvents',
    method: 'GET',
    path: '/admin/audit',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List audit events, newest first',
    description:
      '`category=security` lists refusals that may indicate an attack: failed logins, captchas and CSRF tokens, the first login that a limit refused in its window, refused scopes and keys, requests for records of other accounts. ' +
      'Equal refusals of one address and account in one minute are one event: `data.count` is their number, `data.others` names up to 20 further records. They are kept for 90 days, audit events permanently. ' +
      '`meta.total` counts up to 10,000 events; `meta.total_is_capped` is true if there are more.',
    request: { query: wire.auditQuery },
    response: { data: wire.auditResponse, meta: cappedListMeta },
    handler: async ({ platform, query }) => {
      const { items, ...counted } = await runQuery(platform, async (db) => {
        const listed = await listAuditEvents(db, query);
        return { ...listed, items: await nameActors(db, listed.items) };
      });
      return cappedPage(items.map(wire.presentAuditEvent), counted, query);
    },
  }),
  defineRoute({
    name: 'exportAudit',
    method: 'GET',
    path: '/admin/audit/export',
    access: access.administrator('admin:read'),
    tag,
    summary: 'Export audit events as a CSV or an XLSX, with the attributes and filters of the list',
    description: `Newest first, up to the moment of the request; the export is audited itself and not in its file. More than ${mostExported.toLocaleString('en')} events are refused with 422: narrow \`from\` and \`to\`. \`data\` is JSON. ${exportRules}`,
    request: { query: wire.auditExportQuery },
    response: { content: exportMimes },
    handler: ({ platform, caller, query: { format, delimiter, ...filter } }) =>
      runQuery(platform, async (db, now) =>
        sendExport(await exportAudit({ caller, db, now }, filter, { format, delimiter }), 'audit', format, now),
      ),
  }),
];
