import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Route } from '../../src/http/define-route.ts';
import { exampleRequestId } from '../../src/http/openapi/errors.ts';
import { type Answer, TestClient } from './client.ts';

/** The recorded answers, which the OpenAPI document shows. */
const file = new URL('../../src/http/openapi/answers.json', import.meta.url);

export interface RecordedAnswer {
  data: unknown;
  meta: unknown;
  request_id: string;
}

/** The instant at which the story happens: of the next year, so that the clock moves forward, and of this one in the examples. */
export const storyStart = (year: number) => `${year}-03-02T10:15:00+05:00`;
const shownYear = 2026;
const shownStart = Date.parse(storyStart(shownYear));
const hourMs = 3_600_000;
const shownEntries = 2;
/** A credential in a QR is longer than a reader needs. */
const longestSample = 86;
/** Tried in this order: digits, hexadecimal, base32 in both cases. */
const alphabets = ['0123456789', '0123456789abcdef', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 'abcdefghijklmnopqrstuvwxyz0123456789'];
const address = '203.0.113.7';
/** Numbers that differ a little from run to run are rounded. */
const steps = new Map([
  ['size', 1000],
  ['duration_ms', 50],
  ['offset_seconds', 86_400],
]);

/**
 * Records the first full answer of success of each route, as any `TestClient` of this test file receives it. An answer with an empty list
 * gives way to a later one.
 * @param year of the story
 * @param places addresses of this run, by the ones that are shown instead
 */
export function recordAnswers(routes: readonly Route[], year: number, places: () => Readonly<Record<string, string>>) {
  const recorded = new Map<string, RecordedAnswer>();
  const matchers = routes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
    // A literal path goes before one with parameters: `/events/public` is no event.
    parameters: route.path.split(':').length,
  }));
  const find = (method: string, path: string) =>
    matchers
      .filter(({ route, pattern }) => route.method === method && pattern.test(path))
      .toSorted((left, right) => left.parameters - right.parameters)[0]?.route;
  const normalize = createNormalizer(year, places);
  const send = TestClient.prototype.request;
  TestClient.prototype.request = async function request(method, path, options) {
    const answer = await send.call(this, method, path, options);
    const route = find(method, path.replace(/\?.*/, ''));
    if (route !== undefined) note(route, answer);
    return answer;
  };

  function note(route: Route, { status, body }: Answer): void {
    if (status !== (route.response.status ?? 200) || body?.data === undefined || route.response.data === undefined) return;
    const former = recorded.get(route.name);
    if (former !== undefined && !isBlank(former.data)) return;
    recorded.set(route.name, normalize({ ...body, request_id: '' }) as RecordedAnswer);
  }

  return {
    answers: (): Record<string, RecordedAnswer> =>
      Object.fromEntries([...recorded].toSorted(([left], [right]) => left.localeCompare(right, 'en'))),
  };
}

export function readAnswers(): Record<string, RecordedAnswer> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, RecordedAnswer>;
}

/** One line for each route. */
export function writeAnswers(answers: Record<string, RecordedAnswer>): void {
  const lines = Object.entries(answers).map(([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`);
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
}

function isBlank(data: unknown): boolean {
  return data === null || (Array.isArray(data) && data.length === 0);
}

/** Replaces what differs from run to run and what is secret: instants, years, ids and tokens, addresses. Lists keep their first entries. */
function createNormalizer(year: number, places: () => Readonly<Record<string, string>>) {
  const start = Date.parse(storyStart(year));
  const today = dayOf(start);
  const samples = new Map<string, string>();
  const counts = new Map<string, number>();

  /** The same sample for the same secret, of its length and alphabet; it depends on the field, so that a new answer changes no other. */
  function sampleOf(secret: string, key: string): string {
    const known = samples.get(secret);
    if (known !== undefined) return known;
    const digest = digestFor(key);
    const alphabet = alphabets.find((letters) => [...secret].every((letter) => letter === '-' || letters.includes(letter)));
    const letters =
      alphabet === undefined ? digest.toString('base64url') : [...digest].map((byte) => alphabet[byte % alphabet.length]).join('');
    const repeated = letters.repeat(Math.ceil(secret.length / letters.length));
    const sample = [...secret]
      .slice(0, longestSample)
      .map((letter, index) => (alphabet !== undefined && letter === '-' ? '-' : repeated[index]))
      .join('');
    samples.set(secret, sample);
    return sample;
  }

  function digestFor(key: string): Buffer {
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    return createHash('sha512').update(`${key} ${nth}`).digest();
  }

  function uuidOf(uuid: string, key: string): string {
    const known = samples.get(uuid);
    if (known !== undefined) return known;
    const hex = digestFor(key).toString('hex');
    const sample = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-9${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    samples.set(uuid, sample);
    return sample;
  }

  /** An instant of the story is its beginning; a computed later one keeps its distance in hours; a chosen one changes its year only. */
  function instantOf(text: string): string {
    const at = Date.parse(text);
    const isChosen = /T\d\d:(?:00:00|59:59)(?:\.\d+)?(?:Z|\+05:00)$/.test(text);
    if (isChosen && Math.abs(at - start) > hourMs) return withYear(text);
    const shown = new Date(shownStart + Math.round((at - start) / hourMs) * hourMs + 5 * hourMs).toISOString();
    return `${shown.slice(0, 19)}${/\.\d{3}/.test(text) ? '.000' : ''}+05:00`;
  }

  function withYear(text: string): string {
    return text.replaceAll(/\b20\d\d\b/g, (found) =>
      Number(found) >= year && Number(found) < year + 9 ? String(Number(found) - year + shownYear) : found,
    );
  }

  function textOf(text: string, key: string): string {
    if (key === 'request_id') return exampleRequestId;
    if (key === 'ip') return address;
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return instantOf(text);
    if (text === today) return dayOf(shownStart);
    if (key === 'recovery_codes' || key === 'prefix' || /^\d{12}$|^RRN\d+$/.test(text)) return sampleOf(text, key);
    if (key === 'ts') return String(shownStart);
    if (text.startsWith('data:')) return `${text.slice(0, text.indexOf(',') + 1)}iVBORw0KGgo…`;
    let shown = text;
    for (const [place, found] of Object.entries(places())) shown = shown.replaceAll(found, place);
    return withYear(
      shown
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uuid) => uuidOf(uuid, key))
        .replaceAll(/whsec_[\w+/=]+|[\w-]{20,}/g, (run) => (isSecret(run) ? secretOf(run, key) : run)),
    );
  }

  /** A token has digits, or letters of both cases; a name of a state or a variable has neither. A sample stays. */
  function isSecret(run: string): boolean {
    return (/\d/.test(run) || (/[a-z]/.test(run) && /[A-Z]/.test(run))) && ![...samples.values()].includes(run);
  }

  /** The prefix of a key or a secret stays. */
  function secretOf(run: string, key: string): string {
    const [prefix = ''] = /^(?:fsk|whsec)_/.exec(run) ?? [];
    return prefix + sampleOf(run.slice(prefix.length), key);
  }

  function numberOf(value: number, key: string): number {
    if (key === 'year') return value >= year ? value - year + shownYear : value;
    const step = steps.get(key);
    return step === undefined ? value : Math.max(1, Math.round(value / step)) * step;
  }

  function normalize(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return textOf(value, key);
    if (typeof value === 'number') return numberOf(value, key);
    if (Array.isArray(value)) {
      const isOfRecords = value.some((entry) => typeof entry === 'object');
      return (isOfRecords ? value.slice(0, shownEntries) : value).map((entry) => normalize(entry, key));
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, normalize(entry, name)]));
  }
  return normalize;
}

function dayOf(instant: number): string {
  return new Date(instant + 5 * hourMs).toISOString().slice(0, 10);
}
