import { z } from 'zod';
import { isDay, parseDateTime } from '../platform/date-time.ts';

/**
 * Field shapes used by many routes; each is published in the OpenAPI document as it stands here. `meta.wire`: the
 * published shape of a field that arrives as text and is read as something else.
 */

/** A record's id: positive, as large as the database's integer. */
export const id = z.int().min(1).max(2_147_483_647);
/** The same in a path or a query, where it arrives as text. */
export const idParam = z
  .string()
  .regex(/^[1-9][0-9]{0,9}$/, 'must be a positive integer')
  .transform(Number)
  .pipe(id)
  .meta({ wire: { type: 'integer', minimum: 1, maximum: 2_147_483_647, examples: [1] } });
export const idParams = z.strictObject({ id: idParam });
export const uuid = z.uuid();

export const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date, YYYY-MM-DD')
  .refine(isDay, 'must be a real date')
  .meta({ format: 'date', description: 'A day in UTC+5', examples: ['2026-03-01'] });

export const dateTime = z
  .string()
  .max(40)
  .transform((text, context) => {
    const instant = parseDateTime(text);
    if (instant) return instant;
    context.addIssue({ code: 'custom', message: 'must be an RFC 3339 date-time; without an offset it is read as UTC+5' });
    return z.NEVER;
  })
  .meta({ wire: { type: 'string', format: 'date-time', examples: ['2026-03-01T09:00:00+05:00'] } });

/** A date-time in an answer. */
export const dateTimeOut = z.string().meta({ format: 'date-time', description: 'RFC 3339 with the offset +05:00' });
export const dayOut = z.string().meta({ format: 'date' });

/** Money in an answer: a whole number of tiyn. */
export const tiyn = z.int().meta({ description: 'Money in tiyn' });
/** Money in a request: a decimal string with two decimals. Becomes tiyn. */
export const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,9})\.\d{2}$/, 'must be a decimal string with two decimals, such as "1500.00"')
  .transform((text) => Number(text.replace('.', '')))
  .meta({ wire: { type: 'string', pattern: '^(0|[1-9]\\d{0,9})\\.\\d{2}$', examples: ['1500.00'] } });

/** A line of text as people write it: trimmed, not empty. */
export function line(max: number): z.ZodString {
  // Control characters are what is looked for here: a line break in a name would reach papers and letters.
  // oxlint-disable-next-line no-control-regex
  const oneLine = /^[^\u0000-\u001f\u007f-\u009f]*$/;
  return z.string().trim().min(1).max(max).regex(oneLine, 'must be one line of text');
}

/** A note or a reason: 5-3000 characters (service.md "Limits"). */
export const note = z.string().trim().min(5).max(3000);

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

/** `page` and `limit` of a list, for use in `z.strictObject({ ...paging, ... })`. */
export const paging = { page: pageNumber, limit: pageLimit };
export const pagingQuery = z.strictObject(paging);
export const listMeta = z.object({ total: z.int().min(0), page: z.int(), limit: z.int() }).meta({ id: 'ListMeta' });

/** A record's life as a person would tell it (decisions.md §9); the same for every kind of record. */
export const timelineShape = z.array(
  z
    .object({
      at: dateTimeOut,
      step: z.string().meta({ description: 'What happened, in one word', examples: ['submitted'] }),
      text: z.string(),
      actor: z.enum(['owner', 'administrator', 'bank', 'system']),
      waiting_for: z
        .enum(['owner', 'administrator', 'bank', 'date'])
        .nullable()
        .meta({ description: 'Whose move it is now; told with the last step, null with those before it' }),
    })
    .meta({ id: 'TimelineStep' }),
);
export type TimelineStep = z.output<typeof timelineShape>[number];

export const deleted = z.object({ deleted: z.literal(true) }).meta({ id: 'Deleted' });

/** `?download=1` asks for a file to keep instead of one to show. */
export const downloadQuery = z.strictObject({ download: z.enum(['0', '1']).optional() });

/** A text in the three languages of the registry. */
export const localizedText = z.object({ ru: z.string(), kk: z.string(), en: z.string() }).meta({ id: 'LocalizedText' });
