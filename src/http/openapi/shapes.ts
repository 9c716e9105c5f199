import { z } from 'zod';
import { isDeepStrictEqual } from 'node:util';

export type Json = Record<string, unknown>;

export type Shapes = ReturnType<typeof createShapes>;

/** Collects the named schemas of one OpenAPI document: each `.meta({ id })` is published once under its name. */
export function createShapes() {
  const shapes = new Map<string, Json>();

  /** @throws {Error} for two shapes with one name, which generated clients would confuse */
  function register(name: string, shape: Json): void {
    const known = shapes.get(name);
    if (known !== undefined && known !== shape && !isDeepStrictEqual(known, shape))
      throw new Error(`two different shapes are named ${name}`);
    shapes.set(name, shape);
  }

  return {
    /** Returns the JSON Schema 2020-12 of a zod schema as on the wire, with references to named schemas. */
    inline(schema: z.ZodType, io: 'input' | 'output'): Json {
      const { $schema: _dialect, $defs = {}, ...rest } = published(schema, io);
      for (const [name, shape] of Object.entries($defs)) register(name, shape);
      return rest;
    },
    /** Returns the schema of a reference. */
    resolve: (reference: string): Json | undefined => shapes.get(reference.replace('#/components/schemas/', '')),
    /** Returns all named schemas so far, for `components.schemas`. */
    named: (): Record<string, Json> => Object.fromEntries([...shapes].sort(([left], [right]) => left.localeCompare(right, 'en'))),
  };
}

type Published = Json & { $defs?: Record<string, Json> };

/** The conversion is slow, and routes share schemas; so do the documents of one process. */
const known = { input: new WeakMap<z.ZodType, Published>(), output: new WeakMap<z.ZodType, Published>() };

function published(schema: z.ZodType, io: 'input' | 'output'): Published {
  const shape = known[io].get(schema) ?? (pointToComponents(convert(schema, io)) as Published);
  known[io].set(schema, shape);
  return shape;
}

function convert(schema: z.ZodType, io: 'input' | 'output'): Json {
  return z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      const wire = 'wire' in jsonSchema && typeof jsonSchema['wire'] === 'object' ? jsonSchema['wire'] : null;
      if (wire === null) return;
      for (const key of Object.keys(jsonSchema)) if (key !== 'description' && key !== 'examples') delete (jsonSchema as Json)[key];
      Object.assign(jsonSchema, wire);
    },
  });
}

function pointToComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointToComponents);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? inner.replace('#/$defs/', '#/components/schemas/') : pointToComponents(inner),
    ]),
  );
}
