import { commit, type CommandPlatform } from '../../../platform/commands/command.ts';
import type { CommandContext, UnrecordedCaller } from '../../../platform/commands/context.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { eraseRecords } from './erase-records.ts';
import { type ErasedAccount, readErased } from './erased-list.ts';
import { findErasure } from './queries.ts';
import { saveErasure } from './save-erasure.ts';

const migrator: UnrecordedCaller = { actor: { kind: 'process' }, requestId: 'erase-again', ip: null };

/**
 * Erases again what a restored database brought back: the accounts that the storage lists as erased (PRV-6). What prevents an erasure is
 * not asked: it was decided before. Their processes remove the bytes afterwards. Idempotent.
 * @returns the numbers of the accounts that were erased now
 */
export async function eraseAgain(platform: CommandPlatform, storage: Pick<Storage, 'get'>): Promise<number[]> {
  const erased: number[] = [];
  for await (const account of readErased(storage))
    if (await commit(platform, migrator, (ctx) => eraseListed(ctx, account))) erased.push(account.id);
  return erased;
}

/** @returns whether the account is there, with its person */
async function eraseListed(ctx: CommandContext, { id, registeredAt }: ErasedAccount): Promise<boolean> {
  const { db, now } = ctx;
  const found = await db.selectFrom('users').select('createdAt').where('id', '=', id).executeTakeFirst();
  if (found?.createdAt.getTime() !== registeredAt.getTime()) return false;
  // A copy may have been made between two steps of the erasure: only after the purge its records are surely erased.
  const erasure = await findErasure(db, id);
  if (erasure !== null && erasure.purgedAt !== null) return false;
  await eraseRecords(ctx, id);
  await saveErasure(ctx, id, { status: 'erased', reason: null, requestIp: null, endsAt: now, erasedAt: now });
  return true;
}
