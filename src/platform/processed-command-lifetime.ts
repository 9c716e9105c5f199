/**
 * Retention of idempotency keys (API-6) and processed commands, days. Longer than any client or step retries. Keys of invoices, corrections
 * and messages are permanent, in their records.
 */
export const processedCommandLifetimeDays = 30;
