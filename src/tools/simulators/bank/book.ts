import { z } from 'zod';
import { randomBytes, randomInt } from 'node:crypto';

/** Outcomes of an invoice; all except `failed` become `paid`. */
const settlementOutcomes = [
  'paid',
  'failed',
  'late',
  'twice',
  'wrong_amount',
  'wrong_currency',
  'wrong_terminal',
  'wrong_invoice',
] as const;
type SettlementOutcome = (typeof settlementOutcomes)[number];

/** Faults of status queries, independent of the outcome. */
const faultKinds = ['timeout', 'error'] as const;
type FaultKind = (typeof faultKinds)[number];

/** Body of `POST /control/{number}`. */
export const controlSchema = z.strictObject({
  outcome: z.enum([...settlementOutcomes, ...faultKinds]),
  delay_ms: z.int().min(0).max(86_400_000).optional(),
  times: z.int().min(1).max(1000).optional(),
});
type Control = z.output<typeof controlSchema>;

function isFault(outcome: Control['outcome']): outcome is FaultKind {
  return outcome === 'timeout' || outcome === 'error';
}

const historyLimit = 30;

type HistoryEntry = { at: string; event: 'form' | 'decision' | 'control' | 'question' | 'callback'; text: string };

/** The outcome of a payment; before `settlesAt` (ms since the epoch) the bank answers `pending`. */
type Settlement = { outcome: SettlementOutcome; settlesAt: number; reference: string; callbacksLeft: number };

/** Status queries without a proper response; `left` is null for no limit. */
export type Fault = { kind: FaultKind; left: number | null; delayMs: number | null };

export type BankRecord = {
  number: string;
  amountMinor: number | null;
  currency: string | null;
  /** a form fixes amount and currency; until then each status query sets them */
  formSeen: boolean;
  callbackUrl: string | null;
  returnUrl: string | null;
  /** token of the payment page; a decision without it is refused */
  ticket: string;
  settlement: Settlement | null;
  fault: Fault | null;
  history: HistoryEntry[];
};

/** The answer on the wire to `GET /status/{number}`, and the body of a callback. */
export type StatusAnswer = {
  state: 'pending' | 'paid' | 'failed';
  invoice_number: string;
  amount_minor: number | null;
  currency: string | null;
  terminal: string;
  reference: string | null;
  paid_at: string | null;
};

/** The bank's invoices: limited, the oldest is evicted first. */
export class Book {
  readonly #records = new Map<string, BankRecord>();
  readonly #limit: number;
  readonly #terminal: string;

  constructor(terminal: string, limit: number) {
    this.#terminal = terminal;
    this.#limit = limit;
  }

  find(number: string): BankRecord | undefined {
    return this.#records.get(number);
  }

  /** Returns the record, and creates a missing one: a control may come before the payment form. */
  open(number: string): BankRecord {
    const known = this.#records.get(number);
    if (known) return known;
    const record: BankRecord = {
      number,
      amountMinor: null,
      currency: null,
      formSeen: false,
      callbackUrl: null,
      returnUrl: null,
      ticket: randomBytes(16).toString('hex'),
      settlement: null,
      fault: null,
      history: [],
    };
    this.restore(record);
    return record;
  }

  restore(record: BankRecord): void {
    this.#records.set(record.number, record);
    const oldest = this.#records.keys().next();
    if (this.#records.size > this.#limit && !oldest.done) this.#records.delete(oldest.value);
  }

  all(): BankRecord[] {
    return [...this.#records.values()];
  }

  /** The newest first. */
  recent(count: number): BankRecord[] {
    return this.all().slice(-count).toReversed();
  }

  note(record: BankRecord, event: HistoryEntry['event'], text: string): void {
    record.history.push({ at: new Date().toISOString(), event, text });
    if (record.history.length > historyLimit) record.history.splice(0, record.history.length - historyLimit);
  }

  /** Records the payer's decision, unless the invoice is settled. Returns whether it changed. */
  decide(record: BankRecord, decision: 'pay' | 'refuse'): boolean {
    if (record.settlement) return false;
    record.settlement = this.#settle(decision === 'pay' ? 'paid' : 'failed', 0, 1);
    this.note(record, 'decision', decision);
    return true;
  }

  /** Sets the bank's next answers. A settlement replaces an earlier one and ends any fault; a fault keeps the settlement. */
  control(record: BankRecord, control: Control): void {
    const { outcome, delay_ms: delayMs, times } = control;
    if (isFault(outcome)) {
      record.fault = { kind: outcome, left: times ?? null, delayMs: delayMs ?? null };
    } else {
      record.fault = null;
      record.settlement = this.#settle(outcome, delayMs ?? (outcome === 'late' ? 5000 : 0), times ?? (outcome === 'twice' ? 2 : 1));
    }
    this.note(record, 'control', JSON.stringify(control));
  }

  /** Consumes one faulty response; null when the status query gets a proper response. */
  takeFault(record: BankRecord): Fault | null {
    const { fault } = record;
    if (!fault) return null;
    if (fault.left !== null) {
      fault.left -= 1;
      if (fault.left <= 0) record.fault = null;
    }
    return fault;
  }

  state(record: BankRecord): StatusAnswer['state'] {
    const { settlement } = record;
    if (!settlement || Date.now() < settlement.settlesAt) return 'pending';
    return settlement.outcome === 'failed' ? 'failed' : 'paid';
  }

  answer(record: BankRecord): StatusAnswer {
    const state = this.state(record);
    const right = { invoiceNumber: record.number, amountMinor: record.amountMinor, currency: record.currency, terminal: this.#terminal };
    const shown = state === 'paid' && record.settlement ? withWrongFact(right, record.settlement.outcome) : right;
    return {
      state,
      invoice_number: shown.invoiceNumber,
      amount_minor: shown.amountMinor,
      currency: shown.currency,
      terminal: shown.terminal,
      reference: state === 'paid' ? (record.settlement?.reference ?? null) : null,
      paid_at: state === 'paid' && record.settlement ? new Date(record.settlement.settlesAt).toISOString() : null,
    };
  }

  /** Describes a record for `GET /control/{number}`. */
  describe(record: BankRecord): Record<string, unknown> {
    const { settlement, fault } = record;
    return {
      ...this.answer(record),
      invoice_number: record.number,
      answers: this.answer(record),
      outcome: settlement?.outcome ?? null,
      settles_at: settlement ? new Date(settlement.settlesAt).toISOString() : null,
      callbacks_left: settlement?.callbacksLeft ?? 0,
      fault: fault ? { outcome: fault.kind, times_left: fault.left, delay_ms: fault.delayMs } : null,
      history: record.history,
    };
  }

  #settle(outcome: SettlementOutcome, delayMs: number, callbacks: number): Settlement {
    // Twelve random digits, like a retrieval reference number.
    const reference = `RRN${String(randomInt(0, 1_000_000_000_000)).padStart(12, '0')}`;
    return { outcome, settlesAt: Date.now() + delayMs, reference, callbacksLeft: callbacks };
  }
}

/** An order at the bank; the amount is in tiyn, null until a form or a status query sets it. */
type Order = { invoiceNumber: string; amountMinor: number | null; currency: string | null; terminal: string };

/** Returns the order with the wrong fact of an outcome, if any. */
function withWrongFact(order: Order, outcome: SettlementOutcome): Order {
  if (outcome === 'wrong_amount' && order.amountMinor !== null) {
    // Less than owed if possible, because this error costs money.
    return { ...order, amountMinor: order.amountMinor > 100 ? order.amountMinor - 100 : order.amountMinor + 100 };
  }
  if (outcome === 'wrong_currency') return { ...order, currency: order.currency === 'USD' ? 'EUR' : 'USD' };
  if (outcome === 'wrong_terminal') return { ...order, terminal: `${order.terminal}-OTHER` };
  if (outcome === 'wrong_invoice') {
    const last = Number(order.invoiceNumber.at(-1));
    return { ...order, invoiceNumber: `${order.invoiceNumber.slice(0, -1)}${(last + 1) % 10}` };
  }
  return order;
}
