import { randomInt } from 'node:crypto';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { countRows } from '../../../platform/database/database.ts';
import { literals } from '../../../platform/database/literals.ts';
import { startProcess } from '../../../platform/workflows/start-process.ts';
import { audit } from '../../audit/index.ts';
import type { Invoice } from '../entities.ts';
import { lockWallet } from '../ledger/lock-wallet.ts';
import { invoiceLifetimeMs } from './payment-query-schedule.ts';
import { invoiceProcess } from './process.ts';
import { openStatuses } from './states.ts';

export type NewInvoice = Pick<Invoice, 'ownerId' | 'amountMinor' | 'idempotencyKey'>;

/** Open invoices of one owner (WAL-3). */
const openInvoiceLimit = 20;

/** A random number is rarely taken; several in a row indicate a defect. */
const numberAttempts = 5;

const open = literals(openStatuses);

/**
 * Creates an invoice (WAL-3), or finds the one that this key has created (WAL-4). The owner's wallet is locked first, so
 * concurrent requests create one invoice and cannot exceed the limit of open ones.
 * @returns the invoice; `isNew` false when the key was used before with the same amount
 * @throws {DomainError} idempotency_key_conflict when it was used with another amount; too_many_open_invoices `{open, limit}`
 */
export async function createInvoice(
  ctx: CommandContext,
  input: NewInvoice,
  drawNumber: () => string = randomNumber,
): Promise<{ invoice: Readonly<Invoice>; isNew: boolean }> {
  await lockWallet(ctx, input.ownerId);
  const repeated = await findRepeated(ctx, input);
  if (repeated) return { invoice: repeated, isNew: false };
  await refuseTooMany(ctx, input.ownerId);
  const fresh = await insertInvoice(ctx, input, drawNumber);
  const subject = { kind: 'invoice', id: fresh.id };
  await audit(ctx, 'invoice.created', subject, { number: fresh.number, amount_minor: input.amountMinor });
  await startProcess(ctx, invoiceProcess, fresh);
  return { invoice: fresh, isNew: true };
}

/** @returns the invoice that was created with this key; null for a new key. @throws {DomainError} idempotency_key_conflict */
async function findRepeated(ctx: CommandContext, { ownerId, amountMinor, idempotencyKey }: NewInvoice): Promise<Readonly<Invoice> | null> {
  const existing = await ctx.db
    .selectFrom('invoices')
    .selectAll()
    .where('ownerId', '=', ownerId)
    .where('idempotencyKey', '=', idempotencyKey)
    .executeTakeFirst();
  if (existing && existing.amountMinor !== amountMinor) throw new DomainError('idempotency_key_conflict');
  return existing ?? null;
}

/** Uses invoices_owner_open_index. */
async function refuseTooMany({ db, now }: CommandContext, ownerId: number): Promise<void> {
  const own = db.selectFrom('invoices').where('ownerId', '=', ownerId);
  const count = await countRows(own.where('status', 'in', open).where('expiresAt', '>', now));
  if (count >= openInvoiceLimit) throw new DomainError('too_many_open_invoices', { open: count, limit: openInvoiceLimit });
}

async function insertInvoice(
  { db, now }: CommandContext,
  { ownerId, amountMinor, idempotencyKey }: NewInvoice,
  drawNumber: () => string,
): Promise<Readonly<Invoice>> {
  const expiresAt = new Date(now.getTime() + invoiceLifetimeMs);
  const terms = { ownerId, amountMinor, idempotencyKey, expiresAt, nextAskAt: expiresAt, createdAt: now, updatedAt: now };
  for (let attempt = 1; attempt <= numberAttempts; attempt += 1) {
    const fresh = await db
      .insertInto('invoices')
      .values({ ...terms, number: drawNumber() })
      .onConflict((conflict) => conflict.column('number').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (fresh) return fresh;
  }
  throw new Error('no unused invoice number was found');
}

/** Draws twelve random digits, so that no number can be guessed from another. */
function randomNumber(): string {
  return String(randomInt(100_000_000_000, 1_000_000_000_000));
}
