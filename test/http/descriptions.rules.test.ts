import { describeApi } from '../../src/http/openapi/openapi.ts';
import type { Json } from '../../src/http/openapi/shapes.ts';
import { allRoutes } from '../../src/registry/routes.ts';

/** Names that say all about their property wherever they are; another property needs a description. */
const clearNames = new Set(
  `data meta request_id id code message name title year page limit
   email phone password current_password first_name middle_name gender city address blood_group team sport
   profile_id document_id document_ids application_id service_id discipline_id event_id registration_id user_id file_id photo_id invoice_id
   template_id transaction_id
   profile document documents application applications certificates service services discipline disciplines registrations competitions templates events contracts
   conversations user owner invoice payment money results participation additional certificate_review preferences author dialog files note reason role currency ru kk en`.split(
    /\s+/,
  ),
);

/** Described by the platform that sends it. */
const foreign = new Set(['BotUpdate']);

const document = describeApi(allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' }), 'http://localhost') as {
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json> };
};

function isDescribed(schema: Json): boolean {
  const { $ref, items, const: constant, description } = schema;
  if (description !== undefined || constant !== undefined) return true;
  const named = typeof $ref === 'string' ? document.components.schemas[$ref.replace('#/components/schemas/', '')] : undefined;
  const parts = [named, items, ...['anyOf', 'oneOf', 'allOf'].flatMap((key) => (schema[key] as Json[] | undefined) ?? [])];
  return parts.some((part) => part !== undefined && isDescribed(part as Json));
}

/** Lists properties at any depth that have neither a description nor a clear name. */
function undescribed(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => undescribed(one, path));
  return Object.entries(value as Json).flatMap(([key, part]) => {
    if (/^(?:examples?|default|enum|required)$/.test(key)) return [];
    if (key !== 'properties') return undescribed(part, path);
    return Object.entries(part as Record<string, Json>).flatMap(([name, schema]) => [
      ...(clearNames.has(name) || isDescribed(schema) ? [] : [`${path}.${name}`]),
      ...undescribed(schema, `${path}.${name}`),
    ]);
  });
}

test('each property of a request or an answer has a description or a clear name', () => {
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !foreign.has(name));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
  expect([...schemas, ...operations].flatMap(([name, schema]) => undescribed(schema, name))).toEqual([]);
});
