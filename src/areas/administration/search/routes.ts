import { baseUrl } from '../../../registry/config.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import type { ChangedRecord } from '../../changes/index.ts';
import { searchRecords } from './search.ts';
import { presentResults, searchQuery, searchResponse } from './wire.ts';

/** @param records the records of the log of changes, which know their addresses */
export function createSearchRoute(records: readonly ChangedRecord[]): Route {
  return defineRoute({
    name: 'searchRecords',
    method: 'GET',
    path: '/admin/search',
    access: access.administrator('admin:read'),
    tag: 'Administration',
    summary: 'Search accounts, profiles, events, certificates, agreements, invoices, processes and requests',
    description:
      'At most 20 results, by kind, in a kind exact matches first: records with all words, numbers or e-mails whole. Others have words that begin so; a word of fewer than three characters alone and a number of fewer than five digits are found whole only. All words must match, in any order; Kazakh letters and ё match as the Russian letters beside them. The lists of accounts and athletes find more. A search is not audited, the read of a found record is.',
    request: { query: searchQuery },
    response: { data: searchResponse },
    handler: async ({ platform, query: { q } }) =>
      ok(presentResults(await searchRecords(platform, q), { records, baseUrl: baseUrl(platform.config) })),
  });
}
