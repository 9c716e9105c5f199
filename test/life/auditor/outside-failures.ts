import type { Exchange } from './exchange.ts';
import type { Model } from './model.ts';

/**
 * Whether the outside world explains that a request failed: the bank did not answer a question about this invoice.
 * A bank that was told so once explains one answer.
 */
export function isOutsideFailure(model: Model, { operation, params, error }: Exchange): boolean {
  const invoice = operation === 'POST /invoices/{id}/verify' ? model.invoices.get(Number(params['id'])) : undefined;
  if (error?.code !== 'bank_unavailable' || !invoice || invoice.unanswered === 0) return false;
  invoice.unanswered -= 1;
  return true;
}
