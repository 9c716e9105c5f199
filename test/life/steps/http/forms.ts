import type { Random } from '../../../support/random.ts';
import { asksInPerson } from '../../auditor/accounts/in-person.ts';
import { refusalOfKey } from '../../auditor/accounts/keys.ts';
import { ownerOfWritten } from '../../auditor/accounts/repeats.ts';
import { refusalOfBrowser } from '../../auditor/accounts/rights.ts';
import { scopeFor } from '../../auditor/accounts/scopes.ts';
import type { Caller, Exchange } from '../../auditor/exchange.ts';
import { isInUse } from '../../auditor/files/files.ts';
import type { Refusal } from '../../auditor/judgement.ts';
import type { Call, Person, World } from '../../world.ts';
import { anyone } from '../athletes.ts';
import { anyProgram } from '../programs.ts';
import { freshWrites, senderOf } from '../repeats.ts';
import { oneOf, type Step } from '../step.ts';

/** Of no route. */
const unknownField = 'a_field_of_no_route';

/** Clients that send what no client should: an earlier write with one thing that the rules of every request refuse. */
export const formSteps: readonly Step[] = [
  {
    name: 'a client uses a key for other requests',
    weight: 1.2,
    async take(world, random) {
      world.auditor.passDays();
      for (const first of someOfAnyKind(random, freshWrites(world), 4)) {
        const by = senderOf(world, random, first);
        if (!by || first.operation.includes('/contact') || !mayStillSend(world, by, first)) continue;
        for (const [operation, call] of otherRequests(first))
          await expectRefusal(world, by, operation, call, 409, 'idempotency_key_conflict', 'a key is good for one request (API-6)');
      }
    },
  },
  onWrite('a client sends a field that no route names', 1.2, async (world, random, by, { operation, params, query, body }) => {
    const inBody = isObject(body) && random.next() < 0.7;
    const data = inBody ? body['data'] : undefined;
    const isDeep = isObject(data) && operation.includes('/profiles') && random.next() < 0.5;
    const more = { [unknownField]: 'x' };
    const call: Call = inBody
      ? { params, query, body: isDeep ? { ...body, data: { ...data, ...more } } : { ...body, ...more } }
      : { params, query: `?${unknownField}=x`, body };
    const question = 'a field that the route does not name is refused (API-2)';
    const error = await expectRefusal(world, by, operation, call, 422, 'validation_failed', question);
    const path = inBody ? `body.${isDeep ? 'data.' : ''}${unknownField}` : `query.${unknownField}`;
    const named = (error.details.fields as { path: string }[]).some((field) => field.path === path);
    world.auditor.inquiry.same(`${operation} names the unknown field ${path} (API-2)`, true, named);
  }),
  onWrite('a page of another origin sends a write', 1, async (world, random, by, { operation, params, query, body }) => {
    if (by.scopes !== null) return;
    // Of other browsers, and of its own former sessions (ACC-3).
    const given = [...world.people, ...world.others].map(({ client }) => client.csrf ?? '');
    const tokens = [...given, ...world.auditor.model.csrfTokens].filter((token) => token !== by.client.csrf);
    const headers: Record<string, string> = random.pick([
      { 'x-csrf-token': random.pick(['', 'not-the-token-of-this-session']) },
      { 'x-csrf-token': oneOf(random, tokens) ?? '' },
      { origin: 'https://elsewhere.example' },
    ]);
    const question = 'a write needs the token of the session and its own origin (ACC-4)';
    await expectRefusal(world, by, operation, { params, query, body, headers }, 419, 'csrf_failed', question);
  }),
  {
    name: 'a person repeats the write of another on their record',
    weight: 1.2,
    async take(world, random) {
      const { auditor } = world;
      const { model, inquiry } = auditor;
      const first = oneOf(
        random,
        freshWrites(world).filter((one) => one.params['id'] !== undefined && ownerOfWritten(model, one) !== null),
      );
      if (!first) return;
      const ownerId = ownerOfWritten(model, first);
      const isStranger = (person: Person) =>
        person.accountId !== ownerId &&
        model.accounts.get(person.accountId)?.role === 'user' &&
        refusalOfBrowser(model, { operation: first.operation, by: world.callerOf(person) }) === null;
      const stranger = oneOf(random, world.people.filter(isStranger));
      if (!stranger || inquiry.isSignedOut(stranger)) return;
      const { operation, params, query, body } = first;
      const question = 'the record of another account does not exist for a stranger (API-3)';
      await expectRefusal(world, stranger, operation, { params, query, body }, 404, 'not_found', question);
    },
  },
  {
    name: 'a caller without the right sends an earlier write',
    weight: 5,
    async take(world, random) {
      const by = random.next() < 0.5 ? anyProgram(world, random) : oneOf(random, random.next() < 0.6 ? world.people : world.others);
      if (by) await writeWithoutRight(world, random, by, 4);
    },
  },
  {
    name: 'a person confirms with a wrong password',
    weight: 2,
    async take(world, random) {
      const confirmed = acceptedWrites(world).filter(({ operation, by, body }) => {
        return by.scopes === null && asksInPerson(operation) === 'always' && isObject(body) && 'password' in body;
      });
      for (const first of someOfAnyKind(random, confirmed, 2)) {
        const by = senderOf(world, random, first);
        if (!by || refusalOf(world, world.callerOf(by), first.operation) !== null) continue;
        const field = first.operation === 'POST /auth/password' ? 'current_password' : 'password';
        const call = await againOf(world, first);
        const body = { ...(call.body as object), [field]: 'not-the-password-of-anyone' };
        await world.call(by, first.operation, { ...call, body });
      }
    },
  },
  {
    name: 'a client sends what cannot be read',
    weight: 0.7,
    async take(world, random) {
      const person = signedIn(world, random);
      if (!person) return;
      const json = { 'content-type': 'application/json' };
      const [operation, call, status, code] = random.pick<[string, Call, number, string]>([
        ['POST /profiles', { raw: '{"kind": "athlete"', headers: json }, 400, 'malformed_json'],
        ['POST /profiles', { raw: 'kind=athlete', headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
        ['POST /files', { body: { purpose: 'other' } }, 415, 'unsupported_media_type'],
        ['PUT /profiles', { body: {} }, 405, 'method_not_allowed'],
        ['GET /nothing-of-the-registry', {}, 404, 'not_found'],
        ['GET /profiles/{id}', { params: { id: 'first' } }, 422, 'validation_failed'],
      ]);
      await expectRefusal(world, person, operation, call, status, code, 'it is refused by its form (docs/errors.md)');
    },
  },
  {
    name: 'a person writes decomposed letters',
    weight: 0.8,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const profile = oneOf(random, model.profiles.values());
      const owner = profile && inquiry.personOf(profile.ownerId);
      if (!profile || !owner) return;
      const city = `Қорғалжын, Рудный ${random.between(1, 99)}`.normalize('NFD');
      await world.call(owner, 'PATCH /profiles/{id}', { params: { id: profile.id }, body: { data: { city } } });
    },
  },
  {
    name: 'a person names a file in capitals',
    weight: 0.8,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const [id, file] = oneOf(random, model.files) ?? [];
      const owner = file && inquiry.personOf(file.ownerId);
      if (id === undefined || !owner || !isFree(world, owner)) return;
      inquiry.forget();
      const [lower, upper] = [
        await inquiry.as(owner, 'GET /files/{id}', { params: { id } }),
        await inquiry.as(owner, 'GET /files/{id}', { params: { id: id.toUpperCase() } }),
      ];
      inquiry.same(`file ${id} is the same in capitals (API-8)`, lower.status, upper.status);
      inquiry.same(`file ${id} has the same bytes in capitals (API-8)`, true, lower.bytes.equals(upper.bytes));
      if (!isInUse(model, file)) return;
      const call = { params: { id: id.toUpperCase() } };
      await expectRefusal(world, owner, 'DELETE /files/{id}', call, 409, 'file_in_use', 'a file in use stays (FIL-5, API-8)');
    },
  },
];

/** Routes of one record that take no body. */
const siblings: readonly (readonly string[])[] = [
  ['POST /applications/{id}/submit', 'POST /applications/{id}/pay'],
  ['POST /invoices/{id}/checkout', 'POST /invoices/{id}/verify'],
  ['POST /event-registrations/{id}/accept', 'POST /event-registrations/{id}/withdraw'],
];

/** Requests that differ from one in the record, the route, the body or the query, each with its key. */
function otherRequests({ operation, params, query, body, key }: Exchange): [operation: string, call: Call][] {
  const headers = { 'idempotency-key': key ?? '' };
  const same = { params, query, body, headers };
  const id = Number(params['id']);
  const routes = siblings.find((family) => family.includes(operation)) ?? [];
  return [
    ...(Number.isNaN(id) ? [] : ([[operation, { ...same, params: { ...params, id: id + 1 } }]] as [string, Call][])),
    ...routes.filter((route) => route !== operation).map((route): [string, Call] => [route, same]),
    ...(isObject(body) ? ([[operation, { ...same, body: { ...body, [unknownField]: 1 } }]] as [string, Call][]) : []),
    [operation, { ...same, query: `?${unknownField}=1` }],
  ];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sends some earlier writes, of many kinds, that the session or the key of a caller gives no right to. */
export async function writeWithoutRight(world: World, random: Random, by: Person, most: number): Promise<void> {
  const caller = world.callerOf(by);
  const isRefused = ({ operation }: Exchange) => refusalOf(world, caller, operation) !== null;
  for (const first of someOfAnyKind(random, acceptedWrites(world).filter(isRefused), most))
    if (isRefused(first)) await world.call(by, first.operation, await againOf(world, first));
}

/** Every accepted write whose rights the rules name. */
function acceptedWrites({ exchanges }: World): Exchange[] {
  return exchanges.filter(
    ({ operation, status, by, repeats }) =>
      !operation.startsWith('GET ') && status < 300 && by.accountId !== 0 && repeats === undefined && scopeFor(operation) !== null,
  );
}

/** One write of each of so many kinds, whatever people do most. */
function someOfAnyKind(random: Random, writes: readonly Exchange[], most: number): Exchange[] {
  const byKind = Map.groupBy(writes, ({ operation }) => operation);
  const kinds = random.shuffled([...byKind.values()]).slice(0, most);
  return kinds.flatMap((kind) => oneOf(random, kind) ?? []);
}

/** The same write as a new request, with a file of its own and a code of its own. */
async function againOf({ papers }: World, { operation, params, query, body, file }: Exchange): Promise<Call> {
  if (file) {
    const fields = operation === 'POST /files' ? { fields: { purpose: 'photo' } } : {};
    return { params, query, file: { bytes: await papers.photo, name: 'photo.jpg', ...fields } };
  }
  if (!isObject(body)) return { params, query, body };
  const { code: _, ...rest } = body;
  return { params, query, body: rest };
}

/** Why the session or the key of a caller is refused a write, whatever the record; null when it is not. */
function refusalOf({ auditor: { model }, now }: World, by: Caller, operation: string): Refusal | null {
  return by.scopes === null
    ? refusalOfBrowser(model, { operation, by })
    : refusalOfKey(model, { by }, scopeFor(operation) ?? 'account', now);
}

/** Sends what must be refused, as a question: an acceptance is a finding. @returns the error */
async function expectRefusal(world: World, by: Person, operation: string, call: Call, status: number, code: string, question: string) {
  const { inquiry } = world.auditor;
  inquiry.forget();
  const answer = await inquiry.as(by, operation, call);
  const sent = `${operation} ${JSON.stringify(call.params ?? {})} ${call.query ?? ''} ${JSON.stringify(call.body) ?? call.raw ?? ''}`;
  const seen = { status: answer.status, code: answer.error?.code ?? null };
  inquiry.same(`${sent} of ${by.name}: ${question}`, { status, code }, seen);
  return answer.error;
}

/** Whether a browser has an account that it reaches now. */
function isFree(world: World, person: Person): boolean {
  const { inquiry } = world.auditor;
  return inquiry.isActive(person) && !inquiry.isSignedOut(person);
}

/** A person who is signed in to an active account. */
export function signedIn(world: World, random: Random): Person | undefined {
  const person = anyone(world, random);
  return person && isFree(world, person) ? person : undefined;
}

/** A step with an accepted write, and one who may still send it and whose rights have not narrowed since. */
function onWrite(name: string, weight: number, take: (world: World, random: Random, by: Person, first: Exchange) => Promise<void>): Step {
  return {
    name,
    weight,
    async take(world, random) {
      world.auditor.passDays();
      const first = oneOf(random, freshWrites(world));
      const by = first && senderOf(world, random, first);
      if (first && by && !first.operation.includes('/contact') && mayStillSend(world, by, first)) await take(world, random, by, first);
    },
  };
}

function mayStillSend(world: World, by: Person, { operation, at }: Exchange): boolean {
  const { model } = world.auditor;
  const caller = world.callerOf(by);
  const narrowedAt = model.rightsNarrowedAt.get(caller.accountId);
  if (narrowedAt !== undefined && at <= narrowedAt) return false;
  if (caller.scopes === null ? caller.accountId === 0 : scopeFor(operation) === null) return false;
  return refusalOf(world, caller, operation) === null;
}
