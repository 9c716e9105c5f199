import { audit } from '../administration/audit.ts';
import type { BankAnswer } from '../platform/bank/bank.ts';
import type { CommandContext } from '../platform/context.ts';
import { recordBankAnswer } from './record-bank-answer.ts';

/**
 * Records what the bank said when the owner had it asked (service.md "reconcile status with the bank").
 * @param answer null when the invoice was settled for good and there was nothing to ask
 */
export async function recordVerification(
  ctx: CommandContext,
  invoiceId: number,
  answer: BankAnswer | null,
  terminal: string,
): Promise<void> {
  if (answer) await recordBankAnswer(ctx, invoiceId, answer, terminal);
  audit(ctx, 'invoice.verified', { kind: 'invoice', id: invoiceId }, { bank_state: answer?.state ?? null });
}
