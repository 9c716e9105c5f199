import type { Database } from '../../platform/database/database.ts';
import type { User } from '../accounts/index.ts';
import type { OwnershipTransfer } from './entities.ts';

/** An account as far as a transfer looks at it; null when there is none. */
export async function findAccount(db: Database, id: number): Promise<Pick<User, 'id' | 'status' | 'role'> | null> {
  return (await db.selectFrom('users').select(['id', 'status', 'role']).where('id', '=', id).executeTakeFirst()) ?? null;
}

type Owner = Pick<User, 'id' | 'name' | 'email'>;

export interface TransferView extends Pick<OwnershipTransfer, 'profileId' | 'moved' | 'at'> {
  from: Owner;
  to: Owner;
}

/**
 * The transfer of a profile that a request made, otherwise its last one, with its owner before and after; null when it has never changed
 * hands. A repeat of a request makes none.
 */
export async function findTransfer(db: Database, profileId: number, requestId: string): Promise<TransferView | null> {
  const row = await db
    .selectFrom('ownership_transfers as t')
    .innerJoin('users as f', 'f.id', 't.fromUserId')
    .innerJoin('users as u', 'u.id', 't.toUserId')
    .select(['t.profileId', 't.moved', 't.at', 'f.id as fromId', 'f.name as fromName', 'f.email as fromEmail'])
    .select(['u.id as toId', 'u.name as toName', 'u.email as toEmail'])
    .where('t.profileId', '=', profileId)
    .orderBy((eb) => eb('t.requestId', '=', requestId), 'desc')
    .orderBy('t.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  return {
    profileId,
    moved: row.moved,
    at: row.at,
    from: { id: row.fromId, name: row.fromName, email: row.fromEmail },
    to: { id: row.toId, name: row.toName, email: row.toEmail },
  };
}
