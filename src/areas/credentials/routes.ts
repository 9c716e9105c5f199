import { z } from 'zod';
import { baseUrl } from '../../registry/config.ts';
import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { type CompressedContent, compressOnce, unlessUnchanged } from '../../http/response/cacheable.ts';
import { body } from '../../http/response/reply.ts';
import { idParams } from '../../http/schemas.ts';
import { readMovedClock, registryInstant } from '../../platform/time/clock.ts';
import { query } from '../../platform/commands/command.ts';
import type { Database } from '../../platform/database/database.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import type { Platform } from '../../platform/platform.ts';
import { completeUntil } from './process.ts';
import { listPublishedKeys } from './signing-keys.ts';
import { statusListTypes, statusListUri } from './status-list.ts';

const tag = 'Session, captcha, public';
const anyQuery = z.looseObject({});
/** Verifiers of others run in browsers too (IETF Token Status List, CORS). */
const forEveryOrigin = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };
const completeHeader = 'Status-List-Complete-Until';
const unchanged = [{ status: 304, description: 'The client has the current bytes (`If-None-Match`)' }];

/** Routes for verifiers without an account: keys and status lists. None of them needs Temporal. */
export const credentialRoutes: Route[] = [
  defineRoute({
    name: 'getSigningKeys',
    method: 'GET',
    path: '/.well-known/jwks.json',
    access: access.public,
    atRoot: true,
    countedAs: 'file',
    tag,
    summary: 'Get the public keys of credentials and status lists',
    description: 'A JWK set (RFC 7517), without the JSON envelope. A new key is published an hour before it signs.',
    request: { query: anyQuery },
    response: { content: ['application/json'] },
    handler: async ({ platform }) => {
      const keys = await query(platform, listPublishedKeys);
      return body(JSON.stringify({ keys }), {
        'Content-Type': 'application/json',
        'Cache-Control': 'public, max-age=3600',
        ...forEveryOrigin,
      });
    },
  }),
  defineRoute({
    name: 'listStatusLists',
    method: 'GET',
    path: '/status-lists',
    access: access.public,
    atRoot: true,
    countedAs: 'file',
    tag,
    summary: 'List the addresses of all status lists',
    description:
      '`{ "status_lists": [uri] }` (IETF Token Status List, aggregation), without the JSON envelope. A sandbox whose clock was moved tells its instant in `Sandbox-Now`.',
    request: { query: anyQuery },
    response: { content: ['application/json'], otherStatuses: unchanged },
    handler: async ({ platform, header }) => {
      const { lists, movedClock } = await query(platform, async (db, now) => ({
        lists: await db.selectFrom('status_lists').select('id').orderBy('id').execute(),
        movedClock: platform.clock.sandbox ? await readMovedClock(db, now) : null,
      }));
      const ofSandbox: Record<string, string> = movedClock === null ? {} : { 'Sandbox-Now': formatDateTime(movedClock) };
      const content = JSON.stringify({ status_lists: lists.map(({ id }) => statusListUri(baseUrl(platform.config), id)) });
      const reply = await unlessUnchanged(content, header, () => body(content, { 'Content-Type': 'application/json' }));
      return { ...reply, headers: { ...reply.headers, ...forEveryOrigin, ...ofSandbox } };
    },
  }),
  defineRoute({
    name: 'getStatusList',
    method: 'GET',
    path: '/status-lists/:id',
    access: access.public,
    atRoot: true,
    countedAs: 'file',
    tag,
    summary: 'Get a status list',
    description:
      'A signed Status List Token (IETF Token Status List) as CWT, or as JWT by `Accept`. Two bits a place: 0 valid, 1 invalid, 2 suspended. `Status-List-Complete-Until` (RFC 3339), also of a 304, is the instant up to which the list has every change: now, or that of the oldest change that waits for the next edition. 503: the first edition is being made.',
    request: { params: idParams, query: anyQuery },
    response: { content: Object.values(statusListTypes), otherStatuses: unchanged },
    errors: ['not_acceptable'],
    handler: async ({ platform, params, header }) => {
      const form = chooseForm(header('accept'));
      if (form === null) throw new DomainError('not_acceptable');
      const list = await query(platform, async (db, now) => {
        const found = await findEdition(db, params.id, form);
        if (found?.issuedAt == null) return found;
        const { issuedAt, oldestChangeAt: at } = found;
        const oldestChangeAt = at === null ? null : await registryInstant(platform.clock, db, at);
        return { ...found, until: completeUntil({ issuedAt, oldestChangeAt }, now) };
      });
      if (list === undefined) throw new DomainError('not_found');
      const { content } = list;
      if (content === null || !('until' in list)) throw new DomainError('service_unavailable');
      const reply = await contentOf(platform, `${params.id} ${form}`, Buffer.from(content), form)(header);
      const complete = { [completeHeader]: list.until.toISOString(), 'Access-Control-Expose-Headers': completeHeader };
      return { ...reply, headers: { ...reply.headers, ...forEveryOrigin, ...complete, Vary: 'Accept, Accept-Encoding' } };
    },
  }),
];

type Form = keyof typeof statusListTypes;

/** Reads the latest edition of a list with the instant of the oldest change that waits, at the cost of one row of an index. */
function findEdition(db: Database, id: number, form: Form) {
  return db
    .selectFrom('status_lists as l')
    .select((eb) => [
      `l.${form} as content` as const,
      'l.issuedAt',
      eb
        .selectFrom('status_list_changes as c')
        .select('c.at')
        .whereRef('c.listId', '=', 'l.id')
        .orderBy('c.id')
        .limit(1)
        .as('oldestChangeAt'),
    ])
    .where('l.id', '=', id)
    .executeTakeFirst();
}

/** The latest editions of each database by list and form. Compressing costs more than the rest of the answer. */
const latest = new WeakMap<object, Map<string, { bytes: Buffer; content: CompressedContent }>>();

/** Returns the content that compressed these bytes before, or a new one for a new edition. */
function contentOf({ orm }: Pick<Platform, 'orm'>, key: string, bytes: Buffer, form: Form): CompressedContent {
  let ofDatabase = latest.get(orm);
  if (!ofDatabase) latest.set(orm, (ofDatabase = new Map()));
  const kept = ofDatabase.get(key);
  if (kept?.bytes.equals(bytes)) return kept.content;
  const headers = { 'Content-Type': statusListTypes[form], 'Cache-Control': 'public, max-age=60' };
  const content = compressOnce(bytes, headers);
  ofDatabase.set(key, { bytes, content });
  return content;
}

/** Chooses the form that a client accepts, CWT by default (RFC 9110 §12.5.1); null when it accepts neither. */
function chooseForm(accept: string | undefined): Form | null {
  if (accept === undefined) return 'cwt';
  const weights = new Map<string, number>();
  for (const range of accept.slice(0, maxHeaderLength).split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(type, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  const weightOf = (form: Form) => weights.get(statusListTypes[form]) ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  const best = weightOf('jwt') > weightOf('cwt') ? 'jwt' : 'cwt';
  return weightOf(best) > 0 ? best : null;
}

/** Characters; browsers send about 150. */
const maxHeaderLength = 500;
