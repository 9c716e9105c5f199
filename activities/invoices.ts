import {
  type Asker,
  beginPaymentQuery,
  findInvoice,
  type Invoice,
  invoiceProcess,
  isFinal,
  type PaymentQuery,
  type ReceivedResponse,
  recordBankResponse,
  recordBankTimeout,
  recordVerification,
  wantsPaymentQuery,
} from '../src/areas/wallet/index.ts';
import { type BankResponse, BankUnavailableError } from '../src/platform/bank/bank.ts';
import { registryInstant } from '../src/platform/time/clock.ts';
import { commit, query } from '../src/platform/commands/command.ts';
import type { CommandContext } from '../src/platform/commands/context.ts';
import { errorName } from '../src/platform/logging/error-code.ts';
import type { Platform } from '../src/platform/platform.ts';
import { refOf } from '../src/platform/workflows/define-process.ts';
import { toView } from '../src/platform/workflows/process-view.ts';
import type { NoArgs, ProcessCommand, ProcessView } from '../workflows/contracts/process.contract.ts';
import { answering, executeInternal, executeOnce, ownCaller } from './execute.ts';

/**
 * Queries the bank about an invoice in three steps: reserves the query under the invoice's lock, queries the bank outside a transaction,
 * and records the response in another transaction. After a crash in between, the invoice is queried again.
 */
export function createInvoiceActivities(platform: Platform) {
  function run<T>(id: number, command: (ctx: CommandContext) => Promise<T>): Promise<T> {
    const own = refOf(invoiceProcess, id);
    return commit(platform, ownCaller(own), command, { own });
  }

  const record = (id: number, command: (ctx: CommandContext) => Promise<Invoice>): Promise<ProcessView> =>
    run(id, async (ctx) => toView(invoiceProcess.describe(await command(ctx), ctx.now), ctx.now));

  const find = (id: number) => query(platform, async (db, now) => ({ invoice: await findInvoice(db, id), now }));

  /** @returns null when no query is allowed now; usually decided by a read without a lock */
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
     * Queries the bank for the owner. While the bank is unavailable the owner reads 503, and the attempt is recorded. During the pause
     * after a query it does nothing, and the route sends the command again.
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
        // Record the response first and alone, so that a repeat of the command does not lose it.
        if (received) await record(id, (ctx) => recordBankResponse(ctx, received, platform.bank.terminal));
        const note = (ctx: CommandContext) => recordVerification(ctx, id, received?.response ?? null);
        return executeOnce(platform, invoiceProcess, { privateInput: null, run: note }, id, command);
      }),

    /** Queries the bank when a query is due; retries later while the bank is unavailable. */
    reconcileInvoice: (id: number): Promise<ProcessView> =>
      answering(async () => {
        const asked = await begin(id, 'process');
        if (!asked) return executeInternal(platform, invoiceProcess, id);
        const received = await ask(asked);
        if (received === 'timeout') return record(id, (ctx) => recordBankTimeout(ctx, asked));
        return record(id, (ctx) => recordBankResponse(ctx, received, platform.bank.terminal));
      }),
  };
}
