import { z } from 'zod';
import type { FieldProblem } from '../../errors.ts';

const maxDepth = 20;
/** No field of any request has more; a list that is longer is not looked at. */
const maxElements = 1_000;
/** Characters, where a route says nothing else; the longest text of most requests may have 3000. */
export const maxTextLength = 10_000;
/** No shape of any request has more fields; those that a wider object has beyond the known ones are counted, the first hundred told. */
const maxKeys = 200;
const toldUnknown = 100;

/** A value that is small enough to be checked in detail, and what was left out of it. */
export interface BoundedValue {
  value: unknown;
  /** What is wrong with it whatever its schema says. */
  problems: FieldProblem[];
  /** How many fields without a meaning were left out, beside those that the schema will find. */
  leftOut: number;
}

/**
 * Looks at each value of a part of a request once, and bounds what the schema gets to see: a validator that describes each of
 * 60,000 unknown fields or wrong elements holds up everybody. Finds what JSON allows and nothing here can keep: text with NUL or half
 * surrogate pairs, the name that is no field but a prototype, and what is nested without end.
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
      if (!isText(inner)) add(where, 'invalid_text', 'holds characters that are no text');
      return inner;
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
        if (!isText(key)) add(where, 'invalid_text', 'has a field name that is no text');
        return [key, bound(`${where}.${key}`, inner[key], depth + 1)];
      }),
    );
  }

  function keepKnown(keys: readonly string[]): string[] {
    let unknown = 0;
    const kept = keys.filter((key) => names.has(key) || (unknown += 1) <= toldUnknown);
    leftOut += keys.length - kept.length;
    return kept;
  }
}

function isText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

const known = new WeakMap<z.ZodType, ReadonlySet<string>>();

/** The names of the fields that a schema knows, at any depth; found once for each schema. */
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
      // Its parts stand in its definition: the fields of an object, the members of a union, what is wrapped or piped.
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
