import type { Database } from '../../platform/database/database.ts';
import type { User } from '../accounts/index.ts';
import type { OwnershipTransfer } from './entities.ts';

/** Reads the account fields that a transfer checks; null when the account does not exist. */
export async function findAccount(db: Database, id: number): Promise<Pick<User, 'id' | 'status' | 'role'> | null> {
  return (await db.selectFrom('users').select(['id', 'status', 'role']).where('id', '=', id).executeTakeFirst()) ?? null;
}

type Owner = Pick<User, 'id' | 'name' | 'email'>;

export interface TransferView extends Pick<OwnershipTransfer, 'profileId' | 'moved' | 'at'> {
  from: Owner;
  to: Owner;
}

/**
 * Finds the transfer that a request made, otherwise the profile's last one; null when the profile was never transferred.
 * A repeated request makes no transfer of its own and reads the last one.
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
