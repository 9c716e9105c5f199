import type { Exchange } from './exchange.ts';
import type { Inquiry } from './inquiry.ts';
import type { Judgement } from './judgement.ts';
import type { Model } from './model.ts';

/** A record that a step has changed, or may have changed. */
export interface Touched {
  kind:
    | 'account'
    | 'profile'
    | 'transfer'
    | 'document'
    | 'application'
    | 'invoice'
    | 'event'
    | 'additional_document'
    | 'contract'
    | 'contract_template'
    | 'registration'
    | 'participant'
    | 'national_list'
    | 'national_export'
    | 'file'
    | 'key'
    | 'webhook'
    | 'chat'
    | 'bot'
    | 'contact_message';
  id: number | string;
}

/** A request before it is sent. */
export type Asked = Pick<Exchange, 'operation' | 'params' | 'query' | 'body' | 'file' | 'by' | 'key'>;

/** What the auditor knows and asks of one area, by its rules in `docs/rules/`. */
export interface Area {
  /** Kinds of records whose every row of the audit the area predicts (`Model.noted`, `Model.happened`), such as `document`, or actions. */
  records?: readonly string[];
  /** Types of notifications that the area predicts wholly (`Model.expectNotified`), or their first parts, such as `document`. */
  notifies?: readonly string[];
  /** What the rules say of a request before it is sent; null when the request is not of this area. */
  judge?(model: Model, asked: Asked, now: Date): Judgement | null;
  /** Takes over what an accepted request has changed. */
  saw?(model: Model, exchange: Exchange): Touched[];
  /** Takes over what a refused request may have changed. */
  refused?(model: Model, exchange: Exchange): void;
  /** Takes over what an accepted read has shown. */
  read?(model: Model, exchange: Exchange): void;
  /** Takes over what follows from the day alone. */
  dayCame?(model: Model, day: string): Touched[];
  /** Asks about the records that the last step touched. */
  ask?(inquiry: Inquiry, touched: readonly Touched[]): Promise<void>;
  /** Asks about everything, at the end of a life. */
  askAll?(inquiry: Inquiry): Promise<void>;
}

/** The ids of the touched records of a kind whose ids are numbers. */
export function touchedIds(touched: readonly Touched[], kind: Exclude<Touched['kind'], 'file'>): number[] {
  return touched.flatMap((one) => (one.kind === kind && typeof one.id === 'number' ? [one.id] : []));
}
