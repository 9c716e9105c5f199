import { isDeepStrictEqual } from 'node:util';
import type { Call, Person } from '../../world.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import { showsMovedClock } from './moved-clock.ts';
import type { Inquiry } from '../inquiry.ts';
import { type PublishedRoute, readRoutes, routeOf, statusOfCode } from './published.ts';

/** A list whose page has another number of rows than its total says. Rows may have come between its two statements. */
interface Doubtful {
  person: Person;
  operation: string;
  call: Call;
}

/** How often a page is read again before its number of rows is a finding. */
const mostReadings = 5;

/** What holds for each answer, whatever is asked, by `docs/rules/http.md` and `docs/errors.md`. It costs no requests. */
export class Answers {
  #routes: readonly PublishedRoute[] = [];
  #doubtful: Doubtful[] = [];

  /** Reads the statuses and codes that the registry publishes. */
  async begin({ publicly }: Inquiry): Promise<void> {
    const { bytes } = await publicly('GET /openapi.json');
    this.#routes = readRoutes(JSON.parse(bytes.toString()));
  }

  /** Lists that have pages. */
  get lists(): string[] {
    return this.#routes.filter(({ query }) => query.includes('limit')).map(({ method, segments }) => `${method} ${segments.join('/')}`);
  }

  /** @throws {Finding} for an answer that has not the form of the rules */
  check(person: Person, call: Call, exchange: Exchange, body: unknown): void {
    const { operation, params, query, status, headers, requestId } = exchange;
    const same = (what: string, expected: unknown, seen: unknown) => {
      if (isDeepStrictEqual(expected, seen)) return;
      throw new Finding(
        `${operation} ${JSON.stringify(params)} ${query} of ${person.name}, answered with ${status}: ${what}`,
        expected,
        seen,
      );
    };
    same('the answer carries the id of its request (API-1)', requestId, headers.get('x-request-id'));
    if (headers.get('content-type')?.startsWith('text/html'))
      same('the page shows that the clock was moved (SBX-1)', true, showsMovedClock(exchange.bytes.toString(), exchange.at));
    const route = routeOf(this.#routes, operation);
    // Pages for people show a refusal as a page.
    if (status >= 400 && (route !== undefined || body !== undefined)) return checkRefusal(same, route, exchange, body);
    if (route === undefined) return;
    same('the OpenAPI document lists the status (docs/errors.md)', true, route.codes.has(status));
    if (!route.isEnvelope) return;
    const { data, meta } = exchange;
    same('a success has data, meta and request_id (API-1)', ['data', 'meta', 'request_id'], keysOf(body));
    same('the envelope has the id of the request (API-1)', requestId, fieldOf(body, 'request_id'));
    // A row of the audit keeps a command's facts as the command stored them.
    if (operation !== 'GET /admin/audit') same('the days and instants are in UTC+5 (API-4)', [], instantsElsewhere(data));
    if (Array.isArray(data) && typeof meta?.total === 'number' && typeof meta.limit === 'number') {
      checkPage(same, exchange);
      if (data.length !== rowsOfPage(meta)) this.#doubtful.push({ person, operation, call });
    }
  }

  /**
   * Reads the pages again whose number of rows was another than their total says (API-5).
   * @throws {Finding} when it stays so
   */
  async ask({ as, forget }: Pick<Inquiry, 'as' | 'forget'>): Promise<void> {
    for (const { person, operation, call } of this.#doubtful.splice(0)) {
      for (let readings = 1; ; readings += 1) {
        forget();
        const { status, data, meta } = await as(person, operation, call);
        // The reader may have lost the access meanwhile.
        if (status !== 200 || data.length === rowsOfPage(meta)) break;
        if (readings === mostReadings)
          throw new Finding(
            `${operation} ${JSON.stringify(call)} has as many rows as its total says (API-5)`,
            rowsOfPage(meta),
            data.length,
          );
      }
    }
    this.#doubtful = [];
  }
}

type Same = (what: string, expected: unknown, seen: unknown) => void;

/** What `details` must say with a code, by `docs/errors.md`. */
const detailsOf: Readonly<Record<string, readonly string[]>> = {
  validation_failed: ['fields'],
  incomplete_application: ['missing'],
  not_ready: ['rules'],
  insufficient_funds: ['balance_minor', 'amount_minor'],
};

const waiting: ReadonlySet<string> = new Set(['rate_limited', 'request_in_progress']);

function checkRefusal(same: Same, route: PublishedRoute | undefined, exchange: Exchange, body: unknown): void {
  const { status, error, headers, requestId } = exchange;
  same('a refusal has error and request_id (API-1)', ['error', 'request_id'], keysOf(body));
  same('the envelope has the id of the request (API-1)', requestId, fieldOf(body, 'request_id'));
  same('the error has a message (docs/errors.md)', true, typeof error?.message === 'string' && error.message !== '');
  same(
    'the error has code, message and details alone',
    [],
    keysOf(error).filter((key) => !['code', 'message', 'details'].includes(key)),
  );
  const code = String(error?.code);
  same(`${code} is in the catalogue of errors with this status (docs/errors.md)`, status, statusOfCode.get(code) ?? null);
  const isListed = route === undefined || route.codes.get(status)?.includes(code) === true;
  same(`the OpenAPI document lists ${code} for the route (docs/errors.md)`, true, isListed);
  const missing = (detailsOf[code] ?? []).filter((name) => error.details?.[name] === undefined);
  same(`the details of ${code} have the facts for the next step (docs/errors.md)`, [], missing);
  // Records without a revision name their `updated_at`.
  const version = error.details?.revision ?? error.details?.updated_at;
  if (code === 'stale_revision') same('the details name the current version (docs/errors.md)', true, version !== undefined);
  if (code === 'validation_failed') checkFields(same, error.details.fields);
  if (status === 503 || waiting.has(code)) same('the refusal says when to retry (API-9)', true, headers.has('retry-after'));
  if (status === 401) same('the refusal says how to authenticate (RFC 9110 §11.6.1)', true, headers.has('www-authenticate'));
}

/** The first 100 problems, each of another field (API-2). */
function checkFields(same: Same, fields: unknown): void {
  const list = Array.isArray(fields) ? (fields as Record<string, unknown>[]) : [];
  same('1 to 100 fields are named (docs/errors.md)', true, list.length > 0 && list.length <= 100);
  const isWhole = ({ path, code, message }: Record<string, unknown>) => [path, code, message].every((one) => typeof one === 'string');
  same('each field has path, code and message (docs/errors.md)', true, list.every(isWhole));
}

/** `page` and `limit` are those that were asked for, and no row comes twice (API-5). */
function checkPage(same: Same, { query, data, meta }: Exchange): void {
  const asked = new URLSearchParams(query);
  same('the page is the one that was asked for (API-5)', Number(asked.get('page') ?? 1), meta.page);
  same('the limit is 1 to 100 (API-5)', true, meta.limit >= 1 && meta.limit <= 100);
  if (asked.has('limit')) same('the limit is the one that was asked for (API-5)', Number(asked.get('limit')), meta.limit);
  const rows = (data as unknown[]).map((row) => JSON.stringify(row));
  same(
    'no row is on a page twice (API-5)',
    [],
    rows.filter((row, place) => rows.indexOf(row) !== place),
  );
}

interface ListMeta {
  total: number;
  total_is_capped?: boolean;
  page: number;
  limit: number;
}

function rowsOfPage({ total, total_is_capped: isCapped = false, page, limit }: ListMeta): number {
  return isCapped ? limit : Math.max(0, Math.min(limit, total - (page - 1) * limit));
}

const keysOf = (value: unknown): string[] => (typeof value === 'object' && value !== null ? Object.keys(value).toSorted() : []);

const fieldOf = (value: unknown, name: string): unknown => (value as Record<string, unknown> | undefined)?.[name];

const inUtc5 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?\+05:00)?$/;

/** The values of fields such as `updated_at` that are neither a day nor an instant with the offset +05:00. */
function instantsElsewhere(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(instantsElsewhere);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name.endsWith('_at') && typeof one === 'string' ? (inUtc5.test(one) ? [] : [`${name}: ${one}`]) : instantsElsewhere(one),
  );
}
