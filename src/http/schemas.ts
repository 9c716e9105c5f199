import { z } from 'zod';
import { endOfDay, isDay, isDayOrLater, parseDateTime, startOfDay } from '../platform/time/date-time.ts';
import { asciiDomain, isAscii } from '../platform/text.ts';
import { findTextProblem } from '../platform/pdf/printable-text.ts';

/**
 * Field schemas shared by routes, published in the OpenAPI document. `meta.wire`: the published schema of a field that arrives as text and
 * is read as another type.
 */

/** A record's id: positive, as large as the database's integer. */
export const id = z.int().min(1).max(2_147_483_647);
/** The same in a path or query, where it arrives as text. */
export const idParam = z
  .string()
  .regex(/^[1-9][0-9]{0,9}$/, 'must be a positive integer')
  .transform(Number)
  .pipe(id)
  .meta({ wire: { type: 'integer', minimum: 1, maximum: 2_147_483_647, examples: [1] } });
export const idParams = z.strictObject({ id: idParam });
/** Id of a file or a secret. Converted to lower case, so that ids that differ only in case are the same (API-8). */
export const uuid = z.uuid().toLowerCase();

const years = 'from 1900-01-01 to 2199-12-31';

export const day = z
  .string()
  .regex(/^(?:19|20|21)\d{2}-\d{2}-\d{2}$/, `must be a date ${years}, YYYY-MM-DD`)
  .refine(isDay, 'must be a real date')
  .meta({ format: 'date', description: `A day in UTC+5, ${years}`, examples: ['2026-03-01'] });

/** A day that the command limits to the past. */
export const pastDay = z
  .string()
  .regex(/^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/, 'must be a date from 1900-01-01, YYYY-MM-DD')
  .refine(isDayOrLater, 'must be a real date')
  .meta({ format: 'date', description: 'A day in UTC+5 from 1900-01-01, not in the future', examples: ['2024-03-01'] });

/**
 * Builds a date-time field in UTC+5 (API-4).
 * @param ofBareDay what a day without a time means, as `parseDateTime` has it
 */
function dateTimeField(ofBareDay: 'first' | 'last') {
  return z
    .string()
    .max(40)
    .transform((text, context) => {
      const instant = parseDateTime(text, ofBareDay);
      if (instant) return instant;
      context.addIssue({
        code: 'custom',
        message: `must be an RFC 3339 date-time ${years}; without an offset it is read as UTC+5`,
      });
      return z.NEVER;
    });
}

const writtenDateTime = { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] } as const;

/** A beginning: a bare day means its first instant (API-4). */
export const dateTime = dateTimeField('first').meta({
  description: `RFC 3339, ${years}; without an offset it is read as UTC+5; a day alone means its first instant`,
  wire: { ...writtenDateTime, examples: ['2026-03-01T09:00:00+05:00'] },
});

/** An end: a bare day means its last second (API-4). */
export const endDateTime = dateTimeField('last').meta({
  description: `RFC 3339, ${years}; without an offset it is read as UTC+5; a day alone means its last second, 23:59:59`,
  wire: { ...writtenDateTime, examples: ['2026-03-02T18:00:00+05:00'] },
});

/** The `updated_at` that the client has read; another one is refused with `stale_revision`. */
export const readVersion = dateTime.meta({
  wire: {
    type: 'string',
    format: 'date-time',
    description: '`updated_at` exactly as it was read; any other answers 409 `stale_revision`',
    examples: ['2026-03-01T09:00:00.123+05:00'],
  },
});

/** A bound of a time span: a day or an instant. Of a day `from` is its first instant and `to` the first instant after it, exclusive. */
export function boundary(side: 'from' | 'to') {
  return z
    .string()
    .max(40)
    .transform((text, context) => {
      if (isDay(text)) return side === 'from' ? startOfDay(text) : endOfDay(text);
      const instant = parseDateTime(text);
      if (instant) return instant;
      context.addIssue({ code: 'custom', message: `must be a day (YYYY-MM-DD) or an RFC 3339 date-time, ${years}` });
      return z.NEVER;
    })
    .meta({ wire: { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }], examples: ['2026-03-01'] } });
}

/** A date-time in an answer. */
export const dateTimeResponse = z.string().meta({ format: 'date-time', description: 'RFC 3339 with the offset +05:00' });
/** `updated_at` of a record: its version, which some changes must name. */
export const versionResponse = z
  .string()
  .meta({ format: 'date-time', description: 'RFC 3339 with milliseconds and the offset +05:00; grows with every change of the record' });
export const dayResponse = z.string().meta({ format: 'date', description: 'A day in UTC+5' });

/** The account of a record. */
export const ownerResponse = z.object({ id, name: z.string(), email: z.string() }).describe('The account that owns the record');
/** A record of any kind. */
export const subjectResponse = z.object({
  kind: z.string().meta({ description: 'Kind of the record', examples: ['document'] }),
  id: z.string().describe('Id of the record, as text'),
});
/** A SHA-256 hash in an answer. */
export const sha256Response = z.string().describe('SHA-256 of the file, hexadecimal');

/** Money in an answer: a whole number of tiyn. */
export const tiyn = z.int().describe('Money in tiyn');
/** Money in a request: a decimal string with two decimals. Becomes tiyn. */
export const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,9})\.\d{2}$/, 'must be a decimal string with two decimals, such as "1500.00"')
  .transform((text) => Number(text.replace('.', '')))
  .meta({ wire: { type: 'string', pattern: '^(0|[1-9]\\d{0,9})\\.\\d{2}$', examples: ['1500.00'] } });

/** A line of text: trimmed, not empty. */
export function line(max: number): z.ZodString {
  // Control characters are matched on purpose: a line break in a name would reach documents and mails.
  // oxlint-disable-next-line no-control-regex
  const oneLine = /^[^\u0000-\u001f\u007f-\u009f]*$/;
  return z.string().trim().min(1).max(max).regex(oneLine, 'must be one line of text');
}

/** Description of printed texts; a field with its own description appends it. */
export const printedWords =
  'Printed in a document. Characters that its fonts lack, bidirectional controls, and more than two combining marks on one letter are refused with `unprintable_text` and the `characters`';

function printable(text: z.ZodString, isMultiline: boolean): z.ZodString {
  return text
    .superRefine((value, context) => {
      const problem = findTextProblem(value, isMultiline);
      if (problem === null) return;
      const { characters, message } = problem;
      context.addIssue({ code: 'custom', params: { code: 'unprintable_text', characters }, message });
    })
    .describe(printedWords);
}

/** A line of text that is printed in a document: a name, a title, a place (API-7). */
export function printableText(max: number): z.ZodString {
  return printable(line(max), false);
}

// The pattern of HTML's e-mail field; it accepts hosts without a dot, such as localhost.
const emailPattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** An e-mail address. An internationalized domain becomes its ASCII form; the part before the @ must be ASCII (ACC-1). */
export const emailAddress = z
  .string()
  .trim()
  .overwrite(asciiDomain)
  .max(254)
  .superRefine((address, context) => {
    if (emailPattern.test(address)) return;
    const isForeign = !isAscii(address.slice(0, Math.max(address.lastIndexOf('@'), 0)));
    context.addIssue({
      code: 'custom',
      params: { code: 'invalid_format' },
      message: isForeign
        ? 'must have only Latin letters, digits and signs before the @: mail programs cannot reach others'
        : 'must be an e-mail address',
    });
  })
  .meta({ description: 'An internationalized domain becomes its ASCII form (`xn--…`)', examples: ['club@example.kz'] });

/** Several printed lines: notes, a template (API-7). */
export function printableLines(max: number): z.ZodString {
  return printable(z.string().trim().min(1).max(max), true);
}

/** A note or a reason: 5 to 3000 characters. */
export const note = z.string().trim().min(5).max(3000);

/** A reason as private input of a step: it stays in the database, and Temporal receives only its id. */
export const reasonInput = z.object({ reason: z.string() });

const pageNumber = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, 'must be a positive integer')
  .transform(Number)
  .prefault('1')
  .meta({ wire: { type: 'integer', minimum: 1, maximum: 999_999, default: 1 } });
const pageLimit = z
  .string()
  .regex(/^([1-9]\d?|100)$/, 'must be an integer from 1 to 100')
  .transform(Number)
  .prefault('20')
  .meta({ wire: { type: 'integer', minimum: 1, maximum: 100, default: 20 } });

/** A positive integer in a query, where it arrives as text. */
export function positiveParam(max: number) {
  return z
    .string()
    .regex(/^[1-9]\d{0,15}$/, 'must be a positive integer')
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .meta({ wire: { type: 'integer', minimum: 1, maximum: max } });
}

/** A year in a query. */
export const optionalYear = z
  .string()
  .regex(/^[1-9]\d{3}$/, 'must be a year')
  .transform(Number)
  .optional()
  .meta({ wire: { type: 'integer', minimum: 1000, maximum: 9999, examples: [2026] } });

/** A filter by yes or no in a query. */
export function optionalFlag(description: string) {
  return z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ wire: { type: 'boolean' }, description });
}

/** `after` and `limit` of a list that goes back from its newest record, for use in `z.strictObject`. */
export const newestFirst = {
  after: positiveParam(Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: '`next` of the page before', examples: [120] }),
  limit: positiveParam(100).default(50),
};
/** `meta` of such a list. */
export const nextMeta = z.object({ next: z.int().nullable().describe('`after` of the next page; null at the end') });

/** `page` and `limit` of a list (API-5), for use in `z.strictObject({ ...paging, ... })`. */
export const paging = { page: pageNumber, limit: pageLimit };
export const pagingQuery = z.strictObject(paging);
export const listMeta = z
  .object({ total: z.int().min(0).describe('Number of records on all pages'), page: z.int(), limit: z.int() })
  .meta({ id: 'ListMeta' });
/** `meta` of a list with a capped total (API-5). */
export const cappedListMeta = listMeta.extend({
  total_is_capped: z.literal(true).optional().describe('There are more than `total`'),
});

/** Bounds the timeline of a record (ADM-5): one with more steps omits the oldest. */
export const mostTimelineSteps = 1000;

/** A record's history for people; the same shape for every kind of record. */
export const timelineResponse = z.array(
  z
    .object({
      at: dateTimeResponse,
      step: z.string().meta({ description: 'What happened, in one word', examples: ['submitted'] }),
      text: z.string().describe('The step in an English sentence'),
      actor: z.enum(['owner', 'organizer', 'administrator', 'bank', 'system']).describe('The party that acted'),
      waiting_for: z
        .enum(['owner', 'organizer', 'administrator', 'bank', 'date'])
        .nullable()
        .describe('The party that must act; only with the last step, otherwise null'),
    })
    .meta({ id: 'TimelineStep' }),
);
export type TimelineStep = z.output<typeof timelineResponse>[number];

export const deleted = z.object({ deleted: z.literal(true) }).meta({ id: 'Deleted' });

/** `?download=1` downloads the file instead of showing it. */
export const downloadQuery = z.strictObject({ download: z.enum(['0', '1']).optional() });

/** A text in the three languages of the registry. */
export const localizedText = z
  .object({ ru: z.string(), kk: z.string(), en: z.string() })
  .meta({ id: 'LocalizedText', description: 'In Russian, Kazakh and English' });

export const workflowId = z.string().meta({ description: 'Id of the workflow in Temporal', examples: ['application/12'] });

/** State of a record's process, for administrators. */
export const processResponse = z
  .object({
    workflow_id: workflowId,
    status: z.string().describe('Status of the workflow; `not_running` without one or without Temporal'),
    waiting_for: z.string().nullable().describe('The party or the date that the process waits for'),
    next_timer_at: dateTimeResponse.nullable().describe("Time of the next own step, by the registry's clock"),
    url: z.string().nullable().describe('The page of the workflow in the Temporal UI'),
  })
  .meta({ id: 'Process', description: 'State of the process of the record' });
