import { isDeepStrictEqual } from 'node:util';
import type { Area, Asked } from './area.ts';
import type { Exchange } from './exchange.ts';
import { Finding } from './finding.ts';
import type { Model } from './model.ts';

/** What the rules say of a request before it is sent: that it must be accepted, must be refused, or that they leave it open here. */
export type Judgement = 'accept' | 'open' | Refusal;

/** A refusal, with the codes of `docs/errors.md` that may name it; none when any may. */
export interface Refusal {
  codes: readonly string[];
  /** What `error.details` must say; lists in any order. */
  details?: Record<string, unknown>;
}

export const refuse = (...codes: string[]): Refusal => ({ codes });

export const refuseWith = (code: string, details: Record<string, unknown>): Refusal => ({ codes: [code], details });

/** Judges a request by the rules alone, with the facts of this instant. */
export function judge(areas: readonly Area[], model: Model, asked: Asked, now: Date): Judgement {
  for (const area of areas) {
    const judgement = area.judge?.(model, asked, now) ?? null;
    if (judgement !== null) return judgement;
  }
  return 'open';
}

/** @throws {Finding} when an answer is not what the rules say */
export function compare(judgement: Judgement, { operation, params, query, body, by, status, error }: Exchange): void {
  if (judgement === 'open') return;
  const isAccepted = status < 300;
  const isExpected = judgement === 'accept' ? isAccepted : !isAccepted && isAsExpected(judgement, error);
  if (isExpected) return;
  const asked = `${operation} ${JSON.stringify(params)} ${query} ${JSON.stringify(body) ?? ''} of ${by.name}`;
  const expected = judgement === 'accept' ? 'accepted' : wordsOf(judgement);
  throw new Finding(`${asked} is judged by the rules`, expected, `${status} ${JSON.stringify(error)}`);
}

function isAsExpected({ codes, details = {} }: Refusal, error: { code: string; details?: Record<string, unknown> } | null): boolean {
  if (codes.length > 0 && !codes.includes(error?.code ?? '')) return false;
  return Object.entries(details).every(([name, value]) => isDeepStrictEqual(inOrder(value), inOrder(error?.details?.[name])));
}

const inOrder = (value: unknown) => (Array.isArray(value) ? value.map(String).toSorted((left, right) => left.localeCompare(right)) : value);

function wordsOf({ codes, details }: Refusal): string {
  return `refused ${codes.join(' or ')}${details === undefined ? '' : ` with ${JSON.stringify(details)}`}`.trim();
}
