import { z } from 'zod';
import { baseUrl } from '../../registry/config.ts';
import { access, mayReadOthers } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { ok } from '../../http/response/reply.ts';
import { query } from '../../platform/commands/command.ts';
import { changedRecords } from './changed-records.ts';
import { keptDays, writeCursor } from './cursor.ts';
import { readChanges, requireInLog } from './read-changes.ts';
import * as wire from './wire.ts';

export const changeRoutes: Route[] = [
  defineRoute({
    name: 'listChanges',
    method: 'GET',
    path: '/changes',
    access: access.scope('changes:read'),
    tag: 'Changes',
    summary: 'List what has changed since the last request',
    description:
      'Oldest first. Without `after` there are no changes, and `meta.next` begins now; it may repeat changes of the last moments. Continue with `after` = `meta.next`: no change is left out or out of order. ' +
      `Changes are kept for ${keptDays} days. An account reads the changes of its own records, an organizer also those of registrations for own events, an administrator with \`admin:read\` all.`,
    request: { query: wire.changesQuery },
    response: { data: z.array(wire.changeResponse), meta: wire.changesMeta },
    errors: ['cursor_expired'],
    async handler({ principal, query: { after = null, limit, types = null }, platform: { config, extensions, ...platform } }) {
      const { rows, next } = await query(platform, async (db, now) => {
        if (after !== null) await requireInLog(db, after, now, 'query.after');
        const audience = mayReadOthers(principal) ? 'all' : { userId: principal.user.id };
        return readChanges(db, { audience, after, limit, actions: types, now });
      });
      const presenting = { records: extensions.of(changedRecords).flat(), baseUrl: baseUrl(config), userId: principal.user.id };
      return ok(
        rows.map((row) => wire.presentChange(row, presenting)),
        { next: writeCursor(next) },
      );
    },
  }),
];
