import {
  type Asker,
  beginPaymentQuery,
  findInvoice,
  type Invoice,
  invoiceProcess,
  isFinal,
  noteBankHint,
  type PaymentQuery,
  type ReceivedResponse,
  recordBankResponse,
  recordBankTimeout,
  recordVerification,
  wantsPaymentQuery,
} from '../src/areas/wallet/index.ts';
import { type BankResponse, BankUnavailableError } from '../src/platform/bank/bank.ts';
import { registryInstant } from '../src/platform/clock.ts';
import { commit, query } from '../src/platform/command.ts';
import type { CommandContext } from '../src/platform/context.ts';
import { errorName } from '../src/platform/error-code.ts';
import type { Platform } from '../src/platform/platform.ts';
import { refOf } from '../src/platform/workflows/define-process.ts';
import { toView } from '../src/platform/workflows/process-view.ts';
import type { NoArgs, ProcessCommand, ProcessView } from '../workflows/process.contract.ts';
import { answering, executeInternal, executeOnce, ownCaller } from './execute.ts';

/**
 * Questions to the bank about an invoice, in three steps: the question is taken under the invoice's lock, the bank is asked without any
 * transaction, and its response is recorded in another. A worker that dies in between leaves an invoice that is asked about again.
 */
export function createInvoiceActivities(platform: Platform) {
  function run<T>(id: number, command: (ctx: CommandContext) => Promise<T>): Promise<T> {
    const own = refOf(invoiceProcess, id);
    return commit(platform, ownCaller(own), command, { own });
  }

  const record = (id: number, command: (ctx: CommandContext) => Promise<Invoice>): Promise<ProcessView> =>
    run(id, async (ctx) => toView(invoiceProcess.describe(await command(ctx), ctx.now), ctx.now));

  const find = (id: number) => query(platform, async (db, now) => ({ invoice: await findInvoice(db, id), now }));

  /** @returns null when the bank is not to be asked now; most often a reading says so, and nothing is locked */
  async function begin(id: number, asker: Asker): Promise<PaymentQuery | null> {
    const { invoice, now } = await find(id);
    if (!invoice || !wantsPaymentQuery(invoice, now, asker)) return null;
    return run(id, (ctx) => beginPaymentQuery(ctx, id, asker));
  }

  async function isSettled(id: number): Promise<boolean> {
    const { invoice } = await find(id);
    return invoice !== null && isFinal(invoice.status);
  }

  async function ask(asked: PaymentQuery): Promise<ReceivedResponse | 'timeout'> {
    const { number, amountMinor, currency } = asked.invoice;
    let response: BankResponse;
    try {
      response = await platform.bank.queryStatus({ number, amountMinor, currency });
    } catch (error) {
      if (errorName(error) === 'BankUnavailableError') return 'timeout';
      throw error;
    }
    const { paidAt } = response;
    const instant = paidAt === null ? null : await query(platform, (db) => registryInstant(platform.clock, db, new Date(paidAt)));
    return { ...asked, response, paidAt: instant };
  }

  return {
    /**
     * Asks the bank because the owner wants to know. A bank that is away is the owner's answer: 503, and the attempt is noted. In the pause
     * after a question it is not asked: nothing is recorded then, the command stays to be sent again, and the route sees to that.
     */
    verifyInvoice: (id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView> =>
      answering(async () => {
        const asked = await begin(id, 'owner');
        if (!asked && !(await isSettled(id))) return executeInternal(platform, invoiceProcess, id);
        const received = asked && (await ask(asked));
        if (received === 'timeout') {
          if (asked) await record(id, (ctx) => recordBankTimeout(ctx, asked));
          throw new BankUnavailableError('the bank did not answer');
        }
        // Money first, and by itself: a repeat of the command must not drop what the bank has said.
        if (received) await record(id, (ctx) => recordBankResponse(ctx, received, platform.bank.terminal));
        const note = (ctx: CommandContext) => recordVerification(ctx, id, received?.response ?? null);
        return executeOnce(platform, invoiceProcess, { words: null, run: note }, id, command);
      }),

    /**
     * Asks the bank where it is time to. A bank that is away is asked again later.
     * @param askNow for a hint that came as a signal, as releases before sent it
     */
    reconcileInvoice: (id: number, { askNow }: { askNow: boolean }): Promise<ProcessView> =>
      answering(async () => {
        if (askNow && (await find(id)).invoice) await run(id, (ctx) => noteBankHint(ctx, id));
        const asked = await begin(id, 'process');
        if (!asked) return executeInternal(platform, invoiceProcess, id);
        const received = await ask(asked);
        if (received === 'timeout') return record(id, (ctx) => recordBankTimeout(ctx, asked));
        return record(id, (ctx) => recordBankResponse(ctx, received, platform.bank.terminal));
      }),
  };
}
