import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { idParams } from '../../../http/schemas.ts';
import { query } from '../../../platform/commands/command.ts';
import { authorizeReading } from '../../audit/index.ts';
import { readUser } from './read-user.ts';
import { presentUserRecord, userRecordResponse } from './wire.ts';

/** The account above its records; `src/areas/accounts/` has the list, the changes, the sessions and the requests. */
export const userRoute = defineRoute({
  name: 'getUser',
  method: 'GET',
  path: '/admin/users/:id',
  access: access.administrator('admin:read'),
  tag: 'Administration',
  summary: 'Get an account with its profiles and its balance',
  description:
    "The fields of GET /admin/users, the profiles without their data, the wallet's balance, and how far the last export of its data is. The read of another account is audited.",
  request: { params: idParams },
  response: { data: userRecordResponse },
  handler: ({ platform, principal, caller, params: { id } }) =>
    query(platform, async (db, now) => {
      const found = await readUser(db, id, now);
      if (!found) throw new DomainError('not_found');
      await authorizeReading({ principal, caller, db, now }, { kind: 'user', id }, id);
      return ok(presentUserRecord(found));
    }),
});
