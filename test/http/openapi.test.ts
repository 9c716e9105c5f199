import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { errorCatalogue, type ErrorCode } from '../../src/errors.ts';
import { access } from '../../src/http/access/access.ts';
import { defineRoute, type Links, type Route } from '../../src/http/define-route.ts';
import { describeApi } from '../../src/http/openapi/openapi.ts';
import { created, ok } from '../../src/http/response/reply.ts';
import { id, idParams } from '../../src/http/schemas.ts';

/** The description of two example routes: one creates a thing, the other reads it. */

const thing = z.object({ id, name: z.string() }).meta({ id: 'Thing' });
const value = { id: 1, name: 'one' };

interface Described {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content: Record<string, { examples?: Record<string, { $ref: string }> }> }> }>
  >;
  components: { examples: Record<string, { value: { error?: { code: ErrorCode; message: string }; request_id?: string } }> };
}

function makeThing(links: Links, name = 'createThing'): Route {
  return defineRoute({
    name,
    method: 'POST',
    path: '/things',
    access: access.account,
    tag: 'Sandbox',
    summary: 'Makes a thing',
    response: { status: 201, location: '/things/:id', data: thing },
    links,
    handler: async () => created(value, '/things/1'),
  });
}

const getThing = defineRoute({
  name: 'getThing',
  method: 'GET',
  path: '/things/:id',
  access: access.account,
  tag: 'Files',
  summary: 'A thing',
  request: { params: idParams },
  response: { data: thing },
  handler: async () => ok(value),
});

test('a route that creates publishes Location and its links', () => {
  expect(describeApi([makeThing({ getThing: { id: 'id' } }), getThing], 'http://localhost')).toMatchObject({
    tags: [
      { name: 'Files', description: expect.any(String) },
      { name: 'Sandbox', description: expect.any(String) },
    ],
    paths: {
      '/things': {
        post: {
          operationId: 'createThing',
          responses: {
            '201': {
              headers: { Location: { $ref: '#/components/headers/Location', description: '`/things/{id}`' } },
              links: { getThing: { operationId: 'getThing', parameters: { id: '$response.body#/data/id' } } },
            },
          },
        },
      },
    },
  });
});

test('a route without links publishes none', () => {
  expect(JSON.stringify(describeApi([makeThing({}), getThing], 'http://localhost'))).not.toContain('"links"');
});

test('a link may use a parameter of the request', () => {
  const renameThing = { ...getThing, name: 'renameThing', method: 'PATCH' as const, links: { getThing: { id: ':id' } } };
  expect(JSON.stringify(describeApi([renameThing, getThing], 'http://localhost'))).toContain('"parameters":{"id":"$request.path.id"}');
});

test('each refusal shows examples of its own codes, which fit the published shape', () => {
  const { paths, components } = describeApi([getThing], 'http://localhost') as unknown as Described;
  const { responses } = paths['/things/{id}']?.['get'] ?? { responses: {} };
  const shown = Object.entries(responses)
    .filter(([status]) => status !== '200')
    .flatMap(([status, { content }]) =>
      Object.values(content['application/json']?.examples ?? {}).map(({ $ref }) => {
        const { error, request_id } = components.examples[$ref.replace('#/components/examples/', '')]?.value ?? {};
        expect(request_id).toEqual(expect.any(String));
        const { status: own, message } = errorCatalogue[error?.code ?? 'malformed_json'];
        expect([String(own), message]).toEqual([status, error?.message]);
        return error?.code;
      }),
    );
  expect(shown).toEqual(expect.arrayContaining(['unauthenticated', 'not_found', 'validation_failed', 'rate_limited', 'internal_error']));
  expect(new Set(shown).size).toBe(shown.length);

  const ajv = new Ajv2020({ strict: false }).addSchema({ $id: 'api', components });
  const isError = ajv.compile({ $ref: 'api#/components/schemas/Error' });
  const unfit = Object.entries(components.examples).filter(([, { value: example }]) => !isError(example));
  expect(unfit.map(([code]) => code)).toEqual([]);
});

test.each([
  ['refuses', access.beforeSecondFactor(access.inPerson(access.browser)), true],
  ['takes', access.beforeSecondFactor(access.session), false],
])('a route that %s a session without its second factor says so (ACC-28)', (_what, rule, isListed) => {
  const { paths } = describeApi([{ ...getThing, access: rule }], 'http://localhost') as unknown as Described;
  const { examples } = paths['/things/{id}']?.['get']?.responses['403']?.content['application/json'] ?? {};
  expect('second_factor_required' in (examples ?? {})).toBe(isListed);
});

test('a repeat may find its record gone, so each write with a key lists not_found (API-6)', () => {
  const { paths } = describeApi([makeThing({})], 'http://localhost') as unknown as Described;
  const { examples } = paths['/things']?.['post']?.responses['404']?.content['application/json'] ?? {};
  expect(Object.keys(examples ?? {})).toEqual(['not_found']);
});

test('the created record is named in Location', async () => {
  const { handler } = makeThing({});
  expect(await handler({} as never)).toMatchObject({ status: 201, headers: { Location: '/api/v1/things/1' } });
});

test.each<[string, Route[], RegExp]>([
  ['two routes of one name', [makeThing({}, 'getThing'), getThing], /POST \/things and GET \/things\/:id are both named getThing/],
  ['a link to what is not published', [makeThing({ getNothing: { id: 'id' } }), getThing], /links to getNothing, which is not published/],
  ['a link without the parameter', [makeThing({ getThing: {} }), getThing], /links to getThing by \(\); its parameters are \(id\)/],
  ['a link with another parameter', [makeThing({ getThing: { uuid: 'id' } }), getThing], /by \(uuid\); its parameters are \(id\)/],
  ['a link by a field that is not answered', [makeThing({ getThing: { id: 'number' } }), getThing], /by data\.number/],
  ['a link by a parameter that the request lacks', [makeThing({ getThing: { id: ':id' } }), getThing], /by :id, which its own path/],
])('%s is refused', (_what, routes, message) => {
  expect(() => describeApi(routes, 'http://localhost')).toThrow(message);
});
