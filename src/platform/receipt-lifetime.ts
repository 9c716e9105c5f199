/**
 * Days for which the receipt of a process's command is kept, and with it the client's Idempotency-Key is honoured. Longer than
 * any client repeats and any step is tried again; an invoice's own key is part of the invoice and is kept for good.
 */
export const receiptLifetimeDays = 30;
