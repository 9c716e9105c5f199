import { audit } from '../administration/audit.ts';
import type { CommandContext } from '../platform/context.ts';
import type { Invoice } from './entities.ts';
import { recordBankAnswer } from './record-bank-answer.ts';
import type { Heard } from './record-bank-answer.ts';

/**
 * Records what the bank said when the owner had it asked (service.md "reconcile status with the bank").
 * @param heard null when the invoice was settled for good and there was nothing to ask
 * @returns the invoice as it then stands; null where the bank was not asked
 */
export async function recordVerification(
  ctx: CommandContext,
  invoiceId: number,
  heard: Heard | null,
  terminal: string,
): Promise<Invoice | null> {
  const invoice = heard ? await recordBankAnswer(ctx, heard, terminal) : null;
  audit(ctx, 'invoice.verified', { kind: 'invoice', id: invoiceId }, { bank_state: heard?.answer.state ?? null });
  return invoice;
}
