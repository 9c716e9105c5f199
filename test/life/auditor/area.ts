import type { Exchange } from './exchange.ts';
import type { Inquiry } from './inquiry.ts';
import type { Model } from './model.ts';

/** A record that a step has changed, or may have changed. */
export interface Touched {
  kind: 'account' | 'profile' | 'document' | 'application' | 'invoice';
  id: number;
}

/** What the auditor knows and asks of one area, by its rules in `docs/rules/`. */
export interface Area {
  /** Takes over what an accepted request has changed. */
  saw?(model: Model, exchange: Exchange): Touched[];
  /** Takes over what follows from the day alone. */
  dayCame?(model: Model, day: string): Touched[];
  /** Asks about the records that the last step touched. */
  ask?(inquiry: Inquiry, touched: readonly Touched[]): Promise<void>;
  /** Asks about everything, at the end of a life. */
  askAll?(inquiry: Inquiry): Promise<void>;
}
