import { BankUnavailableError } from '../src/platform/bank/bank.ts';
import type { BankAnswer, BankInvoice } from '../src/platform/bank/bank.ts';
import type { CommandContext } from '../src/platform/context.ts';
import { errorName } from '../src/platform/error-code.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/process-ref.ts';
import {
  checkoutInvoice,
  findQuestion,
  recordBankAnswer,
  recordBankSilence,
  recordVerification,
  viewInvoice,
} from '../src/wallet/index.ts';
import type { Invoice } from '../src/wallet/index.ts';
import type { ProcessCommand, ProcessView } from '../workflows/process.contract.ts';
import { asFailure } from './errors.ts';
import { look, takeOwnStep, takeStep } from './take-step.ts';

type NoArgs = Record<string, never>;

/** Steps of an invoice's process. The bank is asked first and without any transaction; its word is then recorded in one. */
export function createInvoiceActivities(platform: Platform) {
  const lookAt = (id: number) => (ctx: CommandContext, invoice?: Invoice | null) => viewInvoice(ctx, id, invoice);

  async function ask({ number, amountMinor, currency }: BankInvoice): Promise<BankAnswer | 'silence'> {
    try {
      return await platform.bank.ask({ number, amountMinor, currency });
    } catch (error) {
      if (errorName(error) === 'BankUnavailableError') return 'silence';
      throw asFailure(error);
    }
  }

  const noteSilence = (invoiceId: number) =>
    takeOwnStep(platform, processRef('invoice', invoiceId), (ctx) => recordBankSilence(ctx, invoiceId), lookAt(invoiceId));

  return {
    async checkoutInvoice(invoiceId: number, command: ProcessCommand<NoArgs>): Promise<ProcessView> {
      return takeStep(platform, processRef('invoice', invoiceId), command, (ctx) => checkoutInvoice(ctx, invoiceId), lookAt(invoiceId));
    },

    /** Asks the bank because the owner wants to know. A bank that is away is the owner's answer: 503, and the attempt is noted. */
    async verifyInvoice(invoiceId: number, command: ProcessCommand<NoArgs>): Promise<ProcessView> {
      const { invoice } = await look(platform, (ctx) => findQuestion(ctx, invoiceId, false));
      const answer = invoice && (await ask(invoice));
      if (answer === 'silence') {
        await noteSilence(invoiceId);
        throw asFailure(new BankUnavailableError('the bank did not answer'));
      }
      const heard = invoice && answer && { invoice, answer };
      const record = (ctx: CommandContext) => recordVerification(ctx, invoiceId, heard, platform.bank.terminal);
      return takeStep(platform, processRef('invoice', invoiceId), command, record, lookAt(invoiceId));
    },

    /** Asks the bank where it is time to, or where somebody says that something happened. A bank that is away is asked again later. */
    async reconcileInvoice(invoiceId: number, { askNow }: { askNow: boolean }): Promise<ProcessView> {
      const { invoice, view } = await look(platform, (ctx) => findQuestion(ctx, invoiceId, !askNow));
      if (!invoice) return view;
      const answer = await ask(invoice);
      if (answer === 'silence') return noteSilence(invoiceId);
      const record = (ctx: CommandContext) => recordBankAnswer(ctx, { invoice, answer }, platform.bank.terminal);
      return takeOwnStep(platform, processRef('invoice', invoiceId), record, lookAt(invoiceId));
    },
  };
}
