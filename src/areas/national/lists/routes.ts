import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { commit, query as runQuery } from '../../../platform/command.ts';
import { mostInList, type NationalList, nationalLists } from '../lists.ts';
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

const whatFits: Record<NationalList, string> = {
  review:
    'It takes what can be decided on: applications that are `submitted`, `changes` or `approved`. `auto` adds the oldest of the year that are `submitted`.',
  insurance: 'It takes what is approved and paid. `auto` adds the oldest of the year that no insurance file was made of yet.',
  print: 'It takes what is approved and paid and has its photo. `auto` adds the oldest of the year that no print file was made of yet.',
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
    summary: 'National certificates, newest application first, and your own lists',
    description:
      'Applications for national certificates in every state, the newest (by id) first. `meta.lists` holds your personal lists, as whole lists of ids. ' +
      '`meta.total` is exact; with `q` it is so up to 10,000, and of more it is 10,000 and `meta.total_is_capped` is true.',
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
    summary: `Decide on up to ${mostInList} national certificates at once, each by itself`,
    description:
      'Each is decided on as by POST /admin/review, about its present revision; the ids need not be in your list `review`. Answers 200 with what became of each: ' +
      'one that is refused, among them an unknown one (`not_found`) and one whose conditions do not all hold (`not_ready`), leaves the others. ' +
      'Those that succeeded leave your list `review`. A rejection refunds no money. The same decision again is a repeat and writes nothing: send the whole under another key ' +
      'to try again what failed. When the workflow engine stops answering in the middle, the rest fails with `workflow_unavailable`.',
    request: { body: bulkReviewBody },
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
      `${whatFits[list]} A list holds up to ${mostInList} records; what is beyond is skipped with \`list_full\`. What does not fit is skipped with its reason; ` +
      'what is in the list already stays, and is judged again only when it is exported or decided on. What was exported before may be added again by `add`. ' +
      'A repeat changes nothing.',
    request: { body: changeListBody },
    response: { data: changedListResponse },
    handler: async ({ platform, caller, body }) => ok(await commit(platform, caller, (ctx) => changeList(ctx, list, body))),
  });
}
