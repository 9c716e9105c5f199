import { z } from 'zod';
import { type FieldProblem, validationFailed } from '../../errors.ts';
import { boundValue, fieldNamesOf, maxTextLength } from './bound-value.ts';

/** A part of the request; the first word of a problem's path. */
type RequestPart = 'params' | 'query' | 'headers' | 'body';

/**
 * Validates all parts of a request and reports all problems together (API-2).
 * @param known problems that were found before, reported with the others
 * @param longestText most characters of a text
 * @throws {DomainError} validation_failed
 */
export function validateParts(
  parts: { part: RequestPart; schema: z.ZodType | undefined; value: unknown }[],
  known: readonly FieldProblem[] = [],
  longestText = maxTextLength,
): Record<RequestPart, unknown> {
  const result: Record<RequestPart, unknown> = { params: undefined, query: undefined, headers: undefined, body: undefined };
  const problems: FieldProblem[] = [...known];
  let more = 0;
  for (const { part, schema, value } of parts) {
    const bounded = boundValue(part, value, fieldNamesOf(schema), longestText);
    problems.push(...bounded.problems);
    more += bounded.leftOut;
    if (!schema) continue;
    const parsed = schema.safeParse(bounded.value);
    if (!parsed.success) problems.push(...problemsIn(part, schema, bounded.value, parsed.error.issues));
    else if (bounded.leftOut > 0) problems.push({ path: part, code: 'too_big', message: 'has too many fields' });
    else result[part] = parsed.data;
  }
  if (problems.length > 0) throw validationFailed(firstOfEachPath(problems), more);
  return result;
}

/**
 * Validates one element of a list whose elements are judged independently; the list was bounded with its request.
 * @param path of the value, such as `body.registrations.3`
 * @returns the schema's output, or all problems
 */
export function checkElement<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  value: unknown,
): { data: z.output<Schema> } | { problems: FieldProblem[] } {
  const parsed = schema.safeParse(value);
  return parsed.success ? { data: parsed.data } : { problems: firstOfEachPath(problemsIn(path, schema, value, parsed.error.issues)) };
}

/**
 * Returns all problems of a value. A union value without a known kind is compared with its closest kind, so that other problems are
 * reported too. Fields that only this kind requires are left out, because another kind may be meant.
 */
function problemsIn(part: string, schema: z.ZodType, value: unknown, issues: readonly z.core.$ZodIssue[]): FieldProblem[] {
  const own = issues.flatMap((issue) => problemsOf(part, issue, value));
  if (own.length === 0 || !(schema instanceof z.ZodDiscriminatedUnion) || typeof value !== 'object' || value === null) return own;
  const { options, discriminator } = schema.def;
  const byKind = (options as z.ZodType[]).map((option) => problemsIn(part, option, value, option.safeParse(value).error?.issues ?? []));
  const names = (problems: FieldProblem[], wanted: string) => problems.some(({ path }) => path === wanted);
  const ofKnownKind = byKind.find((problems) => !names(problems, `${part}.${discriminator}`));
  if (ofKnownKind) return ofKnownKind;
  const closest = byKind.reduce((best, problems) => (problems.length < best.length ? problems : best));
  return [...own, ...closest.filter(({ path, code }) => code !== 'required' || byKind.every((problems) => names(problems, path)))];
}

function problemsOf(part: string, issue: z.core.$ZodIssue, whole: unknown): FieldProblem[] {
  const path = [part, ...issue.path.map(String)].join('.');
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(`${path}.${key}`));
  if (isAbsent(whole, issue.path)) return [{ path, code: 'required', message: 'is required' }];
  // Reports the problems of a union's closest member instead of "invalid input".
  if (issue.code === 'invalid_union' && issue.errors[0]) {
    const closest = issue.errors.reduce((best, member) => (member.length < best.length ? member : best), issue.errors[0]);
    if (closest.length > 0) return closest.flatMap((inner) => problemsOf(part, { ...inner, path: [...issue.path, ...inner.path] }, whole));
  }
  if (issue.code === 'invalid_value' && issue.values.length > maxListedChoices)
    return [{ path, code: issue.code, message: 'is none of the allowed values' }];
  const { message } = issue;
  // A custom rule may have its own code (`printableText`).
  if (issue.code === 'custom' && typeof issue.params?.['code'] === 'string') {
    const { code, ...facts } = issue.params;
    return [{ path, code, message, ...facts }];
  }
  return [{ path, code: issue.code, message }];
}

/** Longer lists of choices are in the OpenAPI document, not in a message. */
const maxListedChoices = 20;

/** Returns whether nothing was sent at a path, as opposed to a value of another type. */
function isAbsent(whole: unknown, path: readonly PropertyKey[]): boolean {
  let value = whole;
  for (const key of path) value = typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  return value === undefined;
}

function unknownField(path: string): FieldProblem {
  return { path, code: 'unknown_field', message: 'there is no such field' };
}

/** A value of the wrong type fails every later rule too; the first problem is enough. */
function firstOfEachPath(problems: FieldProblem[]): FieldProblem[] {
  const seen = new Set<string>();
  return problems.filter(({ path }) => !seen.has(path) && seen.add(path));
}

/**
 * Parses a query in linear time; a repeated parameter becomes a list. Koa's own parser is quadratic: it takes a second for a long query of
 * `a&`.
 */
export function parseQuery(querystring: string): Record<string, string | string[]> {
  const byName = Map.groupBy(new URLSearchParams(querystring), ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, [first, ...others]]) => {
      const value = first?.[1] ?? '';
      return [name, others.length === 0 ? value : [value, ...others.map(([, other]) => other)]];
    }),
  );
}
