import { z } from 'zod';
import {
  boundary,
  dateTimeResponse,
  dayResponse,
  id,
  idParam,
  line,
  paging,
  subjectResponse,
  versionResponse,
} from '../../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../../platform/time/date-time.ts';
import { auditCategories, type ListedEvent } from '../../audit/index.ts';
import type { QueueSource, Reviewable, ReviewBody } from '../../reviews/index.ts';
import type { QueueItem } from './list-queue.ts';

/**
 * Builds the schema of one decision (REV-1); its fields depend on the kind and the decision.
 * @throws {TypeError} for a kind whose body does not have its `kind`
 */
export function reviewBody(kinds: readonly Reviewable[]): z.ZodType<ReviewBody> {
  const [first, ...others] = kinds.map(bodyOf);
  if (first === undefined) throw new TypeError('no kind of record is reviewable: an area must extend `reviewables`');
  return z.discriminatedUnion('kind', [first, ...others]).meta({ id: 'Review' });
}

type BodyOfOneKind = z.ZodType<ReviewBody> & z.core.$ZodTypeDiscriminable;

function bodyOf({ kind, body }: Reviewable): BodyOfOneKind {
  if (!hasKind(body)) throw new TypeError(`the review body of ${kind} has no literal "kind"`);
  return body;
}

function hasKind(body: z.ZodType<ReviewBody>): body is BodyOfOneKind {
  return body._zod.propValues?.['kind'] !== undefined;
}

/** The record after the decision. */
export function reviewedResponse(kinds: readonly Reviewable[]) {
  return z
    .object({
      kind: z.enum(kindsOf(kinds)).describe('As in the request'),
      id,
      status: z.string().describe('Status of the record after the decision'),
      review_note: z.string().nullable().describe('Note of the decision; null after approval'),
      updated_at: versionResponse
        .optional()
        .describe('Version after the decision; of the profile when the kind is `photo`. An application has a `revision` instead'),
      stage: z.string().optional().describe('Reviewed stage, for an event'),
      revision: z.int().optional().describe('Revision of an application'),
      number: z.string().nullable().optional().describe('Certificate number of an application'),
      valid_from: dayResponse.nullable().optional(),
      valid_until: dayResponse.nullable().optional(),
    })
    .meta({ id: 'ReviewedRecord' });
}

/** Builds the filter of the queue from the kinds and statuses of its sources. */
export function queueQuery(sources: readonly QueueSource[]) {
  const waiting = new Set(sources.map((source) => source.waiting));
  return z.strictObject({
    kind: z.enum(kindsOf(sources)).optional(),
    // `rejected` is an alias of `changes` for earlier clients.
    status: z
      .enum([...waiting, 'changes', 'rejected'])
      .optional()
      .describe('`changes`, or its earlier name `rejected`, lists records that were returned to their owners'),
    q: line(200)
      .optional()
      .meta({
        examples: ['Серікбаева'],
        description:
          'Parts of a name, an IIN, an e-mail or a certificate number; all must occur, in any order; Kazakh letters and ё also match as the Russian letters beside them. Or an id',
      }),
    ...paging,
  });
}

const queueFlags = ['duplicate_iin', 'agreement_differs', 'participants_not_valid'] as const;

const previousContract = z.object({
  id,
  number: z.string().describe('Number of the agreement'),
  version: z.int().describe('1 for the first; each replacement adds 1'),
});

export function queueResponse(sources: readonly QueueSource[]) {
  return z.array(
    z
      .object({
        kind: z.enum(kindsOf(sources)).describe('Kind of the record that waits'),
        id: id.describe('Id of the record; of the profile when the kind is `photo`'),
        status: z.string().describe('Status of the record'),
        title: z.string(),
        waiting_since: dateTimeResponse,
        profile_id: id.nullable(),
        owner_id: id.nullable().describe('Account of the record; null without one'),
        flags: z
          .array(z.enum(queueFlags))
          .describe(
            '`duplicate_iin`: another account has a profile with the same IIN; `agreement_differs`: the event was changed after its contract was generated; `participants_not_valid`: a participant of these results is not eligible on some day of the event, which prevents no decision',
          ),
        updated_at: versionResponse
          .nullable()
          .describe(
            'The version that a decision names: of the stage for an event, of the profile for a photo; null for a kind without one',
          ),
        revision: z.int().optional().describe('Of an application: the version that a decision names'),
        stage: z.string().optional().describe('Of an event: the stage that waits'),
        previous: previousContract.nullable().optional().describe('Of a contract: the one that it replaced; null without one'),
      })
      .meta({ id: 'QueueItem' }),
  );
}

const auditCategory = z.enum(auditCategories).describe('`action`: the audit; `security`: refusals that may indicate an attack');

export const auditQuery = z.strictObject({
  actor_id: idParam.optional(),
  action: line(80)
    .optional()
    .meta({ examples: ['document.approved'] }),
  subject: z
    .string()
    .max(101)
    .regex(/^[a-z_]{1,40}(\/[^/\s]{1,60})?$/, 'must be kind/id or a kind')
    .optional()
    .meta({ description: '`document/12`, or `document` for all records of a kind', examples: ['document/12'] }),
  category: auditCategory.optional(),
  from: boundary('from').optional().describe('A day or an instant, inclusive'),
  to: boundary('to').optional().describe('A day, inclusive, or an instant, exclusive'),
  request_id: line(64)
    .optional()
    .meta({ description: 'Of one request', examples: ['3f0c6f0e-8f0b-4f6e-9d0e-6d2f1c1b7a55'] }),
  ...paging,
});

export const auditResponse = z.array(
  z
    .object({
      id: z.int().min(1).describe('Unique within its category'),
      category: auditCategory,
      action: z.string().meta({ description: 'What was done', examples: ['document.approved'] }),
      actor_id: id.nullable().describe('Null for a process or an anonymous caller'),
      impersonated_user_id: id.nullable().describe('The account in which an administrator acted; null without an impersonation'),
      subject: subjectResponse.describe('The record that was changed or read'),
      ip: z.string().nullable().describe('Client address; null for a process'),
      request_id: z.string(),
      at: dateTimeResponse,
      data: z.record(z.string(), z.unknown()).describe('Facts of the action, by its kind'),
    })
    .meta({ id: 'AuditEvent' }),
);

function kindsOf(entered: readonly { kind: string }[]): string[] {
  return entered.map(({ kind }) => kind);
}

export function presentQueueItem({ details, ...item }: QueueItem): z.input<ReturnType<typeof queueResponse>>[number] {
  return {
    ...item,
    ...details,
    waiting_since: formatDateTime(new Date(item.waiting_since)),
    updated_at: item.updated_at === null ? null : formatVersion(new Date(item.updated_at)),
    flags: queueFlags.filter((flag) => item.flags.includes(flag)),
  };
}

export function presentAuditEvent(event: Readonly<ListedEvent>): z.input<typeof auditResponse>[number] {
  return {
    id: event.id,
    category: event.category,
    action: event.action,
    actor_id: event.actorId,
    impersonated_user_id: event.impersonatedUserId,
    subject: { kind: event.subjectKind, id: event.subjectId },
    ip: event.ip,
    request_id: event.requestId,
    at: formatDateTime(event.at),
    data: event.data,
  };
}
