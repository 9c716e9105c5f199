import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { commit, query as runQuery } from '../../../platform/commands/command.ts';
import { mostInList, type NationalList, nationalLists } from './fitness.ts';
import { changeList } from './change-list.ts';
import { findLists, listNationalCertificates } from './queries.ts';
import { reviewInBulk } from './review-in-bulk.ts';
import {
  bulkReviewBody,
  bulkReviewResponse,
  changedListResponse,
  changeListBody,
  nationalMeta,
  nationalQuery,
  nationalResponse,
  presentListed,
} from './wire.ts';

const tag = 'National certificate lists';

const acceptedByList: Record<NationalList, string> = {
  review:
    'Accepts applications that can be decided: `submitted`, `changes` or `approved`. `auto` adds the oldest `submitted` ones of the year.',
  insurance: 'Accepts approved and paid applications. `auto` adds the oldest of the year that were never in an insurance file.',
  print: 'Accepts approved and paid applications with a photo. `auto` adds the oldest of the year that were never in a print file.',
};
const operationNames: Record<NationalList, string> = {
  review: 'changeReviewList',
  insurance: 'changeInsuranceList',
  print: 'changePrintList',
};

/** Routes of the certificate list, the personal lists (NAT-1) and the bulk review (NAT-7). */
export const listRoutes: Route[] = [
  defineRoute({
    name: 'listNationalCertificates',
    method: 'GET',
    path: '/admin/national',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List national certificates, newest application first, and your own lists',
    description:
      'Applications for national certificates in every status, highest id first. `meta.lists` has your personal lists with all their ids. ' +
      '`meta.total` is exact. With `q` it is exact up to 10,000; above that it is 10,000 and `meta.total_is_capped` is true.',
    request: { query: nationalQuery },
    response: { data: nationalResponse, meta: nationalMeta },
    handler: ({ platform, principal, query }) =>
      runQuery(platform, async (db) => {
        const { page, limit, service_id: serviceId } = query;
        const administratorId = principal.user.id;
        const [{ items, total, isTotalCapped }, lists] = await Promise.all([
          listNationalCertificates(db, { ...query, serviceId, administratorId }),
          findLists(db, administratorId),
        ]);
        return ok(items.map(presentListed), { total, page, limit, ...(isTotalCapped ? { total_is_capped: true } : {}), lists });
      }),
  }),
  ...nationalLists.map(createChangeRoute),
  defineRoute({
    name: 'reviewNationalCertificates',
    method: 'POST',
    path: '/admin/national/lists/review/review',
    access: access.administrator('admin:write'),
    tag,
    summary: `Decide up to ${mostInList} national certificates, each separately`,
    description:
      'Each is decided as by POST /admin/review at its current revision; the ids need not be in your list `review`. Answers 200 with the outcome of each: ' +
      'a refused one does not affect the others, for example an unknown id (`not_found`) or one with an unmet condition (`not_ready`). ' +
      'Successful ones leave your list `review`. A rejection refunds no money. The same decision again writes nothing: to retry the failed ones, send all again with another key. ' +
      'When the workflow engine stops answering, the rest fails with `workflow_unavailable`.',
    request: { body: bulkReviewBody, example: { ids: [12, 15], decision: 'approve' } },
    response: { data: bulkReviewResponse },
    handler: async ({ platform, caller, body }) => {
      const { succeeded, failed } = await reviewInBulk(platform, body, caller);
      return ok({ succeeded, failed: failed.map(({ id, refusal: { code, message } }) => ({ id, code, message })) });
    },
  }),
];

function createChangeRoute(list: NationalList): Route {
  return defineRoute({
    name: operationNames[list],
    method: 'POST',
    path: `/admin/national/lists/${list}`,
    access: access.administrator('admin:write'),
    tag,
    summary: `Change your personal list "${list}"`,
    description:
      `${acceptedByList[list]} A list has at most ${mostInList} records; further ones are skipped with \`list_full\`. Records that do not fit are skipped with their reason. ` +
      'Records in the list stay and are checked again only at their export or decision. `add` accepts records that were exported before. ' +
      'A repeat changes nothing.',
    request: { body: changeListBody, example: { operation: 'add', ids: [12, 15] } },
    response: { data: changedListResponse },
    handler: async ({ platform, caller, body }) => ok(await commit(platform, caller, (ctx) => changeList(ctx, list, body))),
  });
}
