import { z } from 'zod';
import { apiPrefix } from '../../../http/api-prefix.ts';
import { line } from '../../../http/schemas.ts';
import type { ChangedRecord } from '../../changes/index.ts';
import { type Found, mostResults, searchKinds } from './choose-results.ts';

export const searchQuery = z.strictObject({
  q: line(200).meta({
    examples: ['Серікбаева'],
    description:
      'Words of a name, a city or the title of an event; an IIN or a BIN; a phone with any separators; an e-mail; the number of a certificate, an agreement or an invoice; the id of an account, a profile or an invoice; `application/12` for any record or process; the id of a request',
  }),
});

export const searchResponse = z
  .object({
    results: z
      .array(
        z.object({
          kind: z.enum(searchKinds).describe('Kind of the record; `profile` is an athlete or an organizer'),
          id: z.union([z.int(), z.string()]).describe('As in the record; `webhook/3` of a process'),
          title: z.string().describe('Name, number or title'),
          subtitle: z.string().describe('What tells it from others of the same title'),
          url: z.url().describe('Address of the record in this API, as in `data.url` of a change'),
        }),
      )
      .max(mostResults)
      .describe('By kind; in a kind exact matches first'),
  })
  .meta({ id: 'SearchResults' });

/** @param records give the addresses of records @param baseUrl address of this registry */
export function presentResults(
  found: readonly Found[],
  { records, baseUrl }: { records: readonly ChangedRecord[]; baseUrl: string },
): z.input<typeof searchResponse> {
  return {
    results: found.map(({ kind, id, title, subtitle, path }) => {
      const ofRecord = records.find(({ record }) => record === kind)?.path({ id: String(id), parentId: null }, 'administrator');
      return { kind, id, title, subtitle, url: `${baseUrl}${apiPrefix}${path ?? ofRecord ?? ''}` };
    }),
  };
}
