import { z } from 'zod';
import type { FieldProblem } from '../../errors.ts';

const maxDepth = 20;
/** No request needs longer lists; a longer one is not validated. */
const maxElements = 1_000;
/** Default maximum of characters; the longest text of most requests has 3000. */
export const maxTextLength = 10_000;
/** No request needs more fields. Of a larger object, unknown fields are counted and the first hundred reported. */
const maxKeys = 200;
const maxListedUnknown = 100;

/** A value that is small enough for validation, with its omitted parts. */
export interface BoundedValue {
  value: unknown;
  /** Problems that do not depend on a schema. */
  problems: FieldProblem[];
  /** Number of omitted unknown fields, without those that the schema reports. */
  leftOut: number;
}

/**
 * Checks each value of a request part once and limits what validation sees: a report of 60,000 unknown fields would block other requests.
 * Refuses JSON that the service cannot store: text with NUL or lone surrogates, `__proto__`, deep nesting. Composes every text (NFC), so that
 * one word is stored, compared, counted and searched in one form (API-7). A password's hash composes it further, so old ones keep working.
 * @param path of the value, the first word of a problem's path
 * @param names every field name of the value's schema (`fieldNamesOf`)
 * @param longestText characters of one text
 */
export function boundValue(path: string, value: unknown, names: ReadonlySet<string>, longestText = maxTextLength): BoundedValue {
  const problems: FieldProblem[] = [];
  let leftOut = 0;
  const add = (where: string, code: string, message: string) => problems.push({ path: where, code, message });
  return { value: bound(path, value, 0), problems, leftOut };

  function bound(where: string, inner: unknown, depth: number): unknown {
    if (typeof inner === 'string') {
      if (inner.length > longestText) {
        add(where, 'too_big', `has more than ${longestText} characters`);
        return '';
      }
      if (!isText(inner)) add(where, 'invalid_text', 'has characters that are not text');
      return inner.normalize('NFC');
    }
    if (inner === null || typeof inner !== 'object') return inner;
    if (depth > maxDepth) {
      add(where, 'too_deep', 'is nested too deeply');
      return undefined;
    }
    if (!Array.isArray(inner)) return boundObject(where, inner as Record<string, unknown>, depth);
    if (inner.length <= maxElements) return inner.map((element, index) => bound(`${where}.${index}`, element, depth + 1));
    add(where, 'too_big', `has more than ${maxElements} elements`);
    return [];
  }

  function boundObject(where: string, inner: Record<string, unknown>, depth: number): Record<string, unknown> {
    const keys = Object.keys(inner);
    const kept = keys.length > maxKeys ? keepKnown(keys) : keys;
    return Object.fromEntries(
      kept.map((key) => {
        if (key === '__proto__') add(`${where}.${key}`, 'unknown_field', 'there is no such field');
        if (!isText(key)) add(where, 'invalid_text', 'has a field name that is not text');
        return [key, bound(`${where}.${key}`, inner[key], depth + 1)];
      }),
    );
  }

  function keepKnown(keys: readonly string[]): string[] {
    let unknown = 0;
    const kept = keys.filter((key) => names.has(key) || (unknown += 1) <= maxListedUnknown);
    leftOut += keys.length - kept.length;
    return kept;
  }
}

function isText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

const known = new WeakMap<z.ZodType, ReadonlySet<string>>();

/** Returns all field names of a schema, at any depth; cached for each schema. */
export function fieldNamesOf(schema: z.ZodType | undefined): ReadonlySet<string> {
  if (!schema) return new Set();
  let names = known.get(schema);
  if (!names) known.set(schema, (names = collectNames(schema)));
  return names;
}

function collectNames(schema: z.ZodType): Set<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    seen.add(part);
    if (part instanceof z.ZodType) {
      if (part instanceof z.ZodObject) for (const name of Object.keys(part.shape)) names.add(name);
      // The parts are in its definition: fields of an object, members of a union, wrapped or piped schemas.
      for (const inner of Object.values(part.def)) visit(inner);
    } else if (Array.isArray(part)) {
      for (const inner of part) visit(inner);
    } else if (Object.getPrototypeOf(part) === Object.prototype || Object.getPrototypeOf(part) === null) {
      for (const inner of Object.values(part)) visit(inner);
    }
  };
  visit(schema);
  return names;
}
