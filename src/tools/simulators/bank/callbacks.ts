import { postJson } from '../simulator.ts';
import type { BankRecord, Book } from './book.ts';

const attemptDelaysMs = [0, 500, 1000, 2000, 4000];
const attemptTimeoutMs = 5000;
const betweenRepeatsMs = 150;

export type Callbacks = ReturnType<typeof createCallbacks>;

/**
 * Sends the callbacks of settlements in the background, so that the payer's page does not wait. Each has a few attempts; the shop must
 * query the bank anyway.
 * @param fallbackUrl address for invoices without a form
 * @param changed stores a record
 */
export function createCallbacks(book: Book, fallbackUrl: string | null, changed: (record: BankRecord) => void) {
  const timers = new Map<string, NodeJS.Timeout>();
  const stopped = new AbortController();
  const { signal } = stopped;

  function cancel(number: string): void {
    clearTimeout(timers.get(number));
    timers.delete(number);
  }

  function later(record: BankRecord, delayMs: number, attempt: number): void {
    const { settlement } = record;
    const timer = setTimeout(() => {
      timers.delete(record.number);
      // A timer may fire a millisecond early, when the callback would still say `pending`.
      const early = settlement ? settlement.settlesAt - Date.now() : 0;
      if (early > 0) return later(record, early, attempt);
      void send(record, attempt).then((isDelivered) => {
        // A control may have replaced the settlement meanwhile.
        if (signal.aborted || record.settlement !== settlement || !settlement) return;
        const next = attempt + 1;
        const delay = attemptDelaysMs[next];
        if (!isDelivered && delay !== undefined) return later(record, delay, next);
        settlement.callbacksLeft -= 1;
        changed(record);
        if (settlement.callbacksLeft > 0) later(record, betweenRepeatsMs, 0);
      });
    }, delayMs);
    timer.unref();
    timers.set(record.number, timer);
  }

  async function send(record: BankRecord, attempt: number): Promise<boolean> {
    const url = record.callbackUrl ?? fallbackUrl;
    if (!url) {
      book.note(record, 'callback', 'no address to send it to');
      return true;
    }
    // The correct number, even when the status names another: the shop must find the invoice.
    const body = { ...book.answer(record), invoice_number: record.number };
    const { isAccepted, result } = await postJson(url, body, { timeoutMs: attemptTimeoutMs, signal });
    if (!signal.aborted) book.note(record, 'callback', `attempt ${attempt + 1}: ${result}`);
    return isAccepted;
  }

  return {
    /** Schedules the next callback of the record's settlement; call it after each change. */
    schedule(record: BankRecord): void {
      cancel(record.number);
      const { settlement } = record;
      if (!settlement || settlement.callbacksLeft <= 0 || signal.aborted) return;
      later(record, Math.max(0, settlement.settlesAt - Date.now()), 0);
    },
    stop(): void {
      stopped.abort();
      for (const number of timers.keys()) cancel(number);
    },
  };
}
