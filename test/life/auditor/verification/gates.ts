import { Finding } from '../finding.ts';
import type { Model } from '../model.ts';
import type { Paper } from './papers.ts';
import type { Material } from './status-lists.ts';

/** What a gate says of a paper: the verdict, why, and the time of its list where that is old. */
export interface Said {
  verdict: string;
  reason: string | null;
  asOf: string | null;
}

const freshMs = 5 * 60_000;

/** What a gate without a network must say, by `docs/rules/gate.md`, of the paper of a known certificate. */
export function verdictOf(model: Model, { lists }: Material, { applicationId, list: uri, place }: Paper, at: Date): Said {
  const certificate = model.applications.get(applicationId)?.certificate;
  if (!certificate) throw new Error(`application ${applicationId} has a paper and no certificate`);
  // To the second (GAT-4); no list is needed outside of the dates.
  const second = Math.floor(at.getTime() / 1000) * 1000;
  if (second < Date.parse(`${certificate.validFrom}T00:00:00+05:00`)) return { verdict: 'not_valid', reason: 'not_yet', asOf: null };
  if (second > Date.parse(`${certificate.validUntil}T23:59:59+05:00`)) return { verdict: 'not_valid', reason: 'expired', asOf: null };
  const list = lists.get(uri);
  if (!list) return { verdict: 'cannot_tell', reason: 'list_missing', asOf: null };
  const isOld = at.getTime() - list.completeUntil.getTime() > freshMs;
  const asOf = isOld ? timeOf(list.completeUntil, at) : null;
  if (at >= list.expiresAt) return { verdict: 'cannot_tell', reason: 'list_expired', asOf };
  const value = list.valueAt(place);
  if (value === 0) return { verdict: 'valid', reason: null, asOf };
  return { verdict: 'not_valid', reason: value === 1 ? 'invalid' : 'suspended', asOf };
}

/** Minute in UTC+5, with its day when that is another one (GAT-6). */
function timeOf(instant: Date, at: Date): string {
  const [day, minute] = local(instant);
  return day === local(at)[0] ? String(minute) : `${day} ${minute}`;
}

const local = (instant: Date) => new Date(instant.getTime() + 5 * 3_600_000).toISOString().slice(0, 16).split('T');

/** @throws {Finding} when a gate says anything else */
export function compareVerdict(question: string, expected: Said, { verdict, reason, asOf }: Said): void {
  const said = { verdict, reason, asOf };
  if (JSON.stringify(said) !== JSON.stringify(expected)) throw new Finding(question, expected, said);
}
