/**
 * Days for which a client's `Idempotency-Key` is honoured, and with it what a process has processed. Longer than any client repeats and any step
 * is tried again; the key of an invoice, a correction or a message is part of its record and is kept for good.
 */
export const processedCommandLifetimeDays = 30;
