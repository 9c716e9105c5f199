/**
 * Days for which an `Idempotency-Key` (API-6) and processed commands are kept. Longer than any client or step retries; keys of invoices,
 * corrections and messages are part of their records and permanent.
 */
export const processedCommandLifetimeDays = 30;
