import { setTimeout } from 'node:timers/promises';
import { DomainError } from '../../../errors.ts';
import { type CommandPlatform, query } from '../../../platform/commands/command.ts';
import { type Caller, unrecorded } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { sendCommand } from '../../../platform/workflows/send-command.ts';
import type { Invoice } from '../entities.ts';
import { findInvoice } from '../queries.ts';
import { askableAt, isAnswered, questionPauseMs } from './payment-query-schedule.ts';
import { invoiceProcess } from './process.ts';
import { isFinal } from './states.ts';

/** An invoice with the instant at which a request read it. */
export interface LoadedInvoice {
  invoice: Readonly<Invoice>;
  now: Date;
}

/** @throws {DomainError} not_found */
export async function loadInvoice(platform: Pick<Platform, 'orm' | 'clock'>, id: number): Promise<LoadedInvoice> {
  const { invoice, now } = await query(platform, async (db, instant) => ({ invoice: await findInvoice(db, id), now: instant }));
  if (!invoice) throw new DomainError('not_found');
  return { invoice, now };
}

/** @throws {DomainError} bank_unavailable */
export function requireBank(platform: Pick<Platform, 'bank'>): void {
  if (!platform.bank.enabled) throw new DomainError('bank_unavailable');
}

/**
 * Asks the bank about an invoice now. During the pause after a query (WAL-13) it waits and sends the command again, unless
 * another query ran meanwhile: that query's result is then the answer.
 * @param seen the invoice; its status is not final
 * @throws {DomainError} bank_unavailable, also when that other query had no response; workflow_unavailable
 */
export async function askBank(
  platform: CommandPlatform & Pick<Platform, 'processes' | 'bank'>,
  seen: LoadedInvoice,
  caller: Caller,
): Promise<LoadedInvoice> {
  requireBank(platform);
  const { id, lastAskedAt } = seen.invoice;
  for (let attempt = 1; attempt <= verifyAttempts; attempt += 1) {
    // Unrecorded: a request may ask several times, and its answer is the invoice.
    await sendCommand(platform, invoiceProcess, id, 'verify', { caller: unrecorded(caller), args: {} });
    const { invoice, now } = await loadInvoice(platform, id);
    if (isFinal(invoice.status)) return { invoice, now };
    if (invoice.lastAskedAt?.getTime() !== lastAskedAt?.getTime()) {
      if (!isAnswered(invoice)) break;
      return { invoice, now };
    }
    const untilAskableMs = (askableAt(invoice)?.getTime() ?? 0) - now.getTime();
    // The worker's clock decides, so waits slightly longer than the rest of the pause, but never longer than a pause.
    await setTimeout(Math.min(Math.max(0, untilAskableMs) + clockMarginMs, questionPauseMs));
  }
  throw new DomainError('bank_unavailable');
}

/** One attempt within the pause and one after it; the others cover a clock difference of one second in total. */
const verifyAttempts = 6;
const clockMarginMs = 200;
