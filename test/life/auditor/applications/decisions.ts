import type { Exchange } from '../exchange.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';

/** A decision by `POST /admin/review`. */
export interface Decision {
  kind: string;
  id: number;
  decision: 'approve' | 'changes' | 'cancel';
  note?: string;
  updated_at?: string;
  revision?: number;
  stage?: string;
  valid_from?: string | null;
  valid_until?: string | null;
}

/** Status of a part or a document after a decision. */
export const statusAfter = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;

/** How audit and notifications name a decision. */
export const past = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;

/** The decision of a `POST /admin/review`; null for another request. */
export function decisionOn({ operation, body }: Pick<Exchange, 'operation' | 'body'>): Decision | null {
  return operation === 'POST /admin/review' ? (body as Decision) : null;
}

/** A decision that names what was read is refused when that has changed since (REV-5); null when nothing speaks against it. */
export function judgeSeen(model: Model, record: string, { updated_at: version }: Decision): Judgement | null {
  if (version === undefined) return null;
  const isCurrent = model.shown.isCurrent(record, version);
  if (isCurrent === null) return 'open';
  return isCurrent ? null : refuse('stale_revision');
}
