import type { Database } from '../../../platform/database/database.ts';
import { findListedUser, type ListedUser } from '../../accounts/index.ts';
import { type ExportRecord, findLastExport } from '../../privacy/index.ts';
import { listProfiles, type Profile } from '../../profiles/index.ts';
import { readBalance } from '../../wallet/index.ts';

/** An account with what its page shows (ADM-7). */
export interface UserRecord {
  user: ListedUser;
  /** Oldest first. */
  profiles: readonly Readonly<Profile>[];
  /** Of the wallet, tiyn. */
  balanceMinor: number;
  lastExport: ExportRecord | null;
}

/** Reads an account with its profiles, its balance and the export of its data; null when it does not exist. */
export async function readUser(db: Database, id: number, now: Date): Promise<UserRecord | null> {
  const user = await findListedUser(db, id, now);
  if (!user) return null;
  const [profiles, balanceMinor, lastExport] = await Promise.all([listProfiles(db, id), readBalance(db, id), findLastExport(db, id)]);
  return { user, profiles, balanceMinor, lastExport };
}
