import { createHash } from 'node:crypto';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockActingAdministrator, requireNotErased } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import { notify } from '../../notifications/index.ts';
import { listIncidentsResolvedBy, resolveIncidentByMoney } from '../../reviews/index.ts';
import { walletAccount } from '../entities.ts';
import { ledgerNotifications } from '../notifications.ts';
import { postTransaction, type Leg } from './post-transaction.ts';

interface Correction extends CorrectedWallet {
  /** Shown in the ledger and in the owner's notification. */
  reason: string;
  /** The incident that the correction resolves; null for none. */
  incidentId: number | null;
  idempotencyKey: string;
}

/**
 * Moves money between a wallet and the federation's adjustments for an administrator (WAL-10), or finds the correction that this
 * key has made. The key is part of the transaction's reference, so it never expires.
 * @returns id of the ledger transaction; `isNew` false when the key was used before with the same content and nothing moved
 * @throws {DomainError} not_found when the account does not exist; insufficient_funds `{balance_minor, amount_minor}`;
 *   idempotency_key_conflict when the key was used with other content; validation_failed because of the incident; invalid_state because of
 *   the incident, and for a credit to an erased account; forbidden
 */
export async function correctLedger(ctx: CommandContext, correction: Correction): Promise<{ transactionId: number; isNew: boolean }> {
  const { userId, amountMinor, direction, reason, incidentId } = correction;
  // Locks the administrator: of two requests with one key the later waits here, also when they name different wallets.
  const administratorId = await lockActingAdministrator(ctx);
  const reference = referenceOf(administratorId, correction.idempotencyKey);
  const repeated = await findRepeated(ctx, reference, correction);
  if (repeated !== null) return { transactionId: repeated, isNew: false };
  // Money that came late is still taken out of the wallet of an erased account.
  if (direction === 'credit') await requireNotErased(ctx, userId);
  else await requireAccount(ctx, userId);
  const { id: transactionId } = await postTransaction(ctx, { type: 'correction', reference, legs: correctionLegs(correction), reason });
  if (incidentId !== null) await resolveIncidentByMoney(ctx, incidentId, { reason, transactionId });
  const subject = { kind: 'ledger', id: transactionId };
  await audit(ctx, 'ledger.corrected', subject, {
    user_id: userId,
    amount_minor: amountMinor,
    direction,
    ...(incidentId === null ? {} : { incident_id: incidentId }),
  });
  await notify(ctx, userId, ledgerNotifications['ledger.corrected'], subject, { amount_minor: amountMinor, direction, reason });
  return { transactionId, isNew: true };
}

/** Hashes the key, since a key has up to 255 characters and a reference 100. */
function referenceOf(administratorId: number, idempotencyKey: string): string {
  return `correction:${administratorId}:${createHash('sha256').update(idempotencyKey).digest('hex')}`;
}

/** @returns the transaction that this key has made; null for a new key. @throws {DomainError} idempotency_key_conflict */
async function findRepeated(ctx: CommandContext, reference: string, correction: Correction): Promise<number | null> {
  const [wallet] = correctionLegs(correction);
  const found = await ctx.db
    .selectFrom('ledger_transactions as t')
    .leftJoin('ledger_entries as e', (join) =>
      join.onRef('e.transactionId', '=', 't.id').on('e.account', '=', wallet.account).on('e.amountMinor', '=', wallet.amountMinor),
    )
    .select(['t.id', 't.reason', 'e.id as entryId'])
    .where('t.reference', '=', reference)
    .executeTakeFirst();
  if (!found) return null;
  const [incidentId = null] = await listIncidentsResolvedBy(ctx, found.id);
  const isSame = found.entryId !== null && found.reason === correction.reason && incidentId === correction.incidentId;
  if (!isSame) throw new DomainError('idempotency_key_conflict');
  return found.id;
}

/** @throws {DomainError} not_found */
async function requireAccount({ db }: CommandContext, userId: number): Promise<void> {
  if (!(await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst())) throw new DomainError('not_found');
}

/** `credit` puts money into a wallet, `debit` takes it out. */
export const correctionDirections = ['credit', 'debit'] as const;
type CorrectionDirection = (typeof correctionDirections)[number];

/** The change that a correction makes to a wallet. */
interface CorrectedWallet {
  userId: number;
  /** Tiyn, above zero. */
  amountMinor: number;
  direction: CorrectionDirection;
}

/** Builds the two legs of a correction: the wallet against the federation's adjustments (WAL-1). */
export function correctionLegs({ userId, amountMinor, direction }: CorrectedWallet): [wallet: Leg, adjustments: Leg] {
  const change = direction === 'credit' ? amountMinor : -amountMinor;
  return [
    { account: walletAccount(userId), amountMinor: change },
    { account: 'adjustments', amountMinor: -change },
  ];
}
