import { z } from 'zod';
import { boundary, dateTimeResponse, dayResponse, id, line, localizedText, paging, versionResponse } from '../../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../../platform/time/date-time.ts';
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
          'Beginnings of words of a name or an e-mail, an IIN or a certificate number; all must occur, in any order; Kazakh letters and ё also match as the Russian letters beside them. Or an id',
      }),
    waiting_before: boundary('from')
      .optional()
      .describe('A day, of which the first instant counts, or an instant, exclusive: only records with an earlier `waiting_since`'),
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
        event_id: id.optional().describe('Of a stage, an additional document or a contract: the event'),
        revision: z.int().optional().describe('Of an application: the version that a decision names'),
        service: localizedText.optional().describe('Of an application: the title of its service'),
        type: z.string().optional().describe('Of a document or an incident: its type'),
        stage: z.string().optional().describe('Of an event: the stage that waits'),
        subject: z
          .string()
          .optional()
          .describe(
            '`title` without the `service`, `type` or `stage` before it: the name of the person or the title of the event; of an incident, the number of its invoice or the name of its user',
          ),
        previous: previousContract.nullable().optional().describe('Of a contract: the one that it replaced; null without one'),
      })
      .meta({ id: 'QueueItem' }),
  );
}

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
