import { audit } from '../administration/audit.ts';
import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { executePrepared } from '../platform/database/prepared.ts';
import { processRef } from '../platform/process-ref.ts';
import { invoiceLifetimeMs } from './ask-schedule.ts';

export interface NewInvoice {
  ownerId: number;
  amountMinor: number;
  idempotencyKey: string;
}

/**
 * Makes an invoice, or finds the one that this key has made (decisions.md §5). The unique index decides, not a look first:
 * however many requests race, one of them inserts.
 * @returns `isNew` false when the key was used before with the same amount
 * @throws {DomainError} idempotency_key_conflict when it was used with another amount
 */
export async function createInvoice(ctx: CommandContext, input: NewInvoice): Promise<{ id: number; isNew: boolean }> {
  const expiresAt = new Date(ctx.now.getTime() + invoiceLifetimeMs);
  // The number follows the id, so that it is unique by itself; ten digits from the first one on.
  const [fresh] = await executePrepared<{ id: number; number: string }>(
    ctx.em,
    `insert into invoices (id, owner_id, number, amount_minor, status, idempotency_key, expires_at, next_ask_at, created_at, updated_at)
     select next.id, $1::int, (1000000000 + next.id)::text, $2::bigint, 'created', $3::text, $4::timestamptz, $4, $5::timestamptz, $5
     from (select nextval('invoices_id_seq')::int as id) as next
     on conflict (owner_id, idempotency_key) do nothing returning id, number`,
    [input.ownerId, input.amountMinor, input.idempotencyKey, expiresAt, ctx.now],
  );
  if (!fresh) return { id: await findRepeated(ctx, input), isNew: false };
  audit(ctx, 'invoice.created', { kind: 'invoice', id: fresh.id }, { number: fresh.number, amount_minor: input.amountMinor });
  ctx.touch(processRef('invoice', fresh.id));
  return { id: fresh.id, isNew: true };
}

async function findRepeated(ctx: CommandContext, input: NewInvoice): Promise<number> {
  const [existing] = await ctx.em.execute<{ id: number; amount_minor: string }[]>(
    'select id, amount_minor from invoices where owner_id = ? and idempotency_key = ?',
    [input.ownerId, input.idempotencyKey],
  );
  if (!existing || Number(existing.amount_minor) !== input.amountMinor) throw new DomainError('idempotency_key_conflict');
  return existing.id;
}
