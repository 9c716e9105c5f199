import type { Touched } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import type { Model } from '../model.ts';
import { applicationsArea } from './applications.ts';

/** Takes one decision of a bulk review over, as if it were sent alone. */
export function takeOverDecision(model: Model, exchange: Exchange, id: number): Touched[] {
  const { decision, note } = exchange.body as { decision: string; note?: string };
  const body = { kind: 'application', id, decision, ...(note === undefined ? {} : { note }) };
  const single: Exchange = { ...exchange, operation: 'POST /admin/review', params: {}, body, data: {} };
  return applicationsArea.saw?.(model, single) ?? [];
}
