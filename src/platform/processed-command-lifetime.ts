/**
 * Days for which it is kept that a process has processed a command, and with it the client's Idempotency-Key is honoured. Longer than
 * any client repeats and any step is tried again; an invoice's own key is part of the invoice and is kept for good.
 */
export const processedCommandLifetimeDays = 30;
