import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { cappedPage } from '../../../http/response/reply.ts';
import { cappedListMeta } from '../../../http/schemas.ts';
import { query as runQuery } from '../../../platform/commands/command.ts';
import { exportMimes, exportRules, sendExport } from '../export-file.ts';
import { exportAthletes } from './export-athletes.ts';
import { listAthletes } from './list-athletes.ts';
import { athletesQuery, athletesResponse, exportQuery, presentAthlete } from './wire.ts';

const tag = 'Administration';

/** Routes for all athletes, as a list and as a file. */
export const athleteRoutes: Route[] = [
  defineRoute({
    name: 'listAthletes',
    method: 'GET',
    path: '/admin/athletes',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List all athletes, newest first',
    description:
      '`certificate` refers to the present year of the registry; GET /verify/{token} shows whether a certificate is valid now. `meta.total` counts up to 100,000 athletes, with `q` up to 10,000; `meta.total_is_capped` is true if there are more.',
    request: { query: athletesQuery },
    response: { data: athletesResponse, meta: cappedListMeta },
    handler: async ({ platform, query }) => {
      const { athletes, ...counted } = await runQuery(platform, (db, now) => listAthletes(db, now, query));
      return cappedPage(athletes.map(presentAthlete), counted, query);
    },
  }),
  defineRoute({
    name: 'exportRecords',
    method: 'GET',
    path: '/admin/export',
    access: access.administrator('admin:read'),
    tag,
    summary: 'Export athletes as a CSV or an XLSX, with the columns and filters of the list',
    description: `${exportRules} Days are dates, counts numbers, phones texts.`,
    request: { query: exportQuery },
    response: { content: exportMimes },
    handler: ({ platform, caller, query: { kind, format, delimiter, ...filter } }) =>
      runQuery(platform, async (db, now) =>
        sendExport(await exportAthletes({ caller, db, now }, filter, { format, delimiter }), kind, format, now),
      ),
  }),
];
