import { postJson } from '../simulator.ts';
import type { BankRecord, Book } from './book.ts';

const attemptDelaysMs = [0, 500, 1000, 2000, 4000];
const attemptTimeoutMs = 5000;
const betweenRepeatsMs = 150;

/**
 * Sends the callbacks of settlements in the background, so that the payer's page does not wait. Each has a few attempts; the shop must
 * query the bank anyway.
 */
export class Callbacks {
  readonly #book: Book;
  readonly #fallbackUrl: string | null;
  readonly #changed: (record: BankRecord) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #stopped = new AbortController();

  constructor(options: { book: Book; fallbackUrl: string | null; changed: (record: BankRecord) => void }) {
    this.#book = options.book;
    this.#fallbackUrl = options.fallbackUrl;
    this.#changed = options.changed;
  }

  /** Schedules the next callback of the record's settlement; call it after each change. */
  schedule(record: BankRecord): void {
    this.#cancel(record.number);
    const { settlement } = record;
    if (!settlement || settlement.callbacksLeft <= 0 || this.#stopped.signal.aborted) return;
    this.#later(record, Math.max(0, settlement.settlesAt - Date.now()), 0);
  }

  stop(): void {
    this.#stopped.abort();
    for (const number of this.#timers.keys()) this.#cancel(number);
  }

  #cancel(number: string): void {
    clearTimeout(this.#timers.get(number));
    this.#timers.delete(number);
  }

  #later(record: BankRecord, delayMs: number, attempt: number): void {
    const settlement = record.settlement;
    const timer = setTimeout(() => {
      this.#timers.delete(record.number);
      // A timer may fire a millisecond early, when the callback would still say `pending`.
      const early = settlement ? settlement.settlesAt - Date.now() : 0;
      if (early > 0) return this.#later(record, early, attempt);
      void this.#send(record, attempt).then((delivered) => {
        // A control may have replaced the settlement meanwhile.
        if (this.#stopped.signal.aborted || record.settlement !== settlement || !settlement) return;
        const next = attempt + 1;
        const delay = attemptDelaysMs[next];
        if (!delivered && delay !== undefined) return this.#later(record, delay, next);
        settlement.callbacksLeft -= 1;
        this.#changed(record);
        if (settlement.callbacksLeft > 0) this.#later(record, betweenRepeatsMs, 0);
      });
    }, delayMs);
    timer.unref();
    this.#timers.set(record.number, timer);
  }

  async #send(record: BankRecord, attempt: number): Promise<boolean> {
    const url = record.callbackUrl ?? this.#fallbackUrl;
    if (!url) {
      this.#book.note(record, 'callback', 'no address to send it to');
      return true;
    }
    const { signal } = this.#stopped;
    // The correct number, even when the status names another: the shop must find the invoice.
    const body = { ...this.#book.answer(record), invoice_number: record.number };
    const { isAccepted, result } = await postJson(url, body, { timeoutMs: attemptTimeoutMs, signal });
    if (!signal.aborted) this.#book.note(record, 'callback', `attempt ${attempt + 1}: ${result}`);
    return isAccepted;
  }
}
