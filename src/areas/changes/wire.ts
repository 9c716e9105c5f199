import { z } from 'zod';
import { apiPrefix } from '../../http/api-prefix.ts';
import type { SentMessages } from '../../http/openapi/openapi.ts';
import { dateTimeResponse, positiveParam } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { listActions } from '../audit/index.ts';
import type { ChangedRecord, ChangeReader } from './changed-records.ts';
import { cursor } from './cursor.ts';
import type { Change } from './entities.ts';
import { actionsOf, recordOf, testType, typeOf } from './types.ts';

const typeFilters = z
  .string()
  .max(2000)
  .transform((text, context) => {
    const actions = new Set<string>();
    for (const filter of text.split(',')) {
      const chosen = actionsOf(filter);
      if (chosen === null)
        context.addIssue({ code: 'custom', message: 'must be types of changes, registry.<record>.* or *, separated by commas' });
      else for (const action of chosen) actions.add(action);
    }
    // All actions need no filter.
    return actions.size === listActions().length ? null : [...actions];
  })
  .meta({
    wire: {
      type: 'string',
      maxLength: 2000,
      description: 'Types, `registry.<record>.*` or `*`, separated by commas',
      examples: ['registry.application.*,registry.invoice.paid.v1'],
    },
  });

export const changesQuery = z.strictObject({
  after: cursor.optional(),
  limit: positiveParam(100).default(100),
  types: typeFilters.optional(),
});

/** A CloudEvent 1.0 without personal data (CHG-5). */
export const changeResponse = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string().meta({ examples: ['502093434880001-153'] }),
    source: z.url().describe('Address of this registry'),
    type: z
      .enum([testType, ...listActions().map(typeOf)])
      .meta({ description: 'What happened; `webhooks` of this document lists all types', examples: ['registry.application.approved.v1'] }),
    subject: z.string().meta({ description: 'Kind and id of the record', examples: ['application/12'] }),
    time: dateTimeResponse,
    datacontenttype: z.literal('application/json'),
    data: z.object({
      id: z.union([z.int(), z.string()]).describe('As in the record: a number, or the UUID of a file'),
      status: z.string().optional().describe('Of the record after the change; absent for records without a status'),
      url: z.url().describe('Address of the record in this API'),
    }),
  })
  .meta({ id: 'Change' });

/** Media type of one change: a CloudEvent in structured mode (HTTP Protocol Binding for CloudEvents 1.0.2, 3.2). */
export const changeMediaType = 'application/cloudevents+json';

/** The types of changes in the OpenAPI document. */
export const sentChanges: SentMessages = {
  names: [...listActions().map(typeOf), testType],
  mediaType: changeMediaType,
  schema: changeResponse,
  description: 'A change of a record, as `GET /changes` lists it.',
};

export const changesMeta = z.object({ next: z.string().describe('`after` of the next request') });

export interface Presenting {
  records: readonly ChangedRecord[];
  /** Address of this registry. */
  baseUrl: string;
  userId: number;
}

type Shown = Pick<
  Change,
  'place' | 'id' | 'at' | 'action' | 'subjectKind' | 'subjectId' | 'parentId' | 'status' | 'ownerId' | 'organizerId'
>;

/** Presents a change to its reader, whose address of the record may differ from that of other readers. */
export function presentChange(change: Shown, { records, baseUrl, userId }: Presenting): z.input<typeof changeResponse> {
  const { place, id, at, action, subjectKind, subjectId, parentId, status } = change;
  const path = records.find(({ record }) => record === recordOf(action))?.path({ id: subjectId, parentId }, readerOf(change, userId)) ?? '';
  return {
    specversion: '1.0',
    // A restored backup counts on from an earlier number, but at another place.
    id: `${place}-${id}`,
    source: baseUrl,
    type: typeOf(action),
    subject: `${subjectKind}/${subjectId}`,
    time: formatDateTime(at),
    datacontenttype: 'application/json',
    data: {
      id: /^\d+$/.test(subjectId) ? Number(subjectId) : subjectId,
      ...(status !== null && { status }),
      url: `${baseUrl}${apiPrefix}${path}`,
    },
  };
}

/** Returns whether an account reads the change without administrator rights (CHG-3). */
export function isOwnChange(change: Pick<Change, 'ownerId' | 'organizerId'>, userId: number): boolean {
  return readerOf(change, userId) !== 'administrator';
}

function readerOf({ ownerId, organizerId }: Pick<Change, 'ownerId' | 'organizerId'>, userId: number): ChangeReader {
  if (userId === ownerId) return 'owner';
  return userId === organizerId ? 'organizer' : 'administrator';
}
