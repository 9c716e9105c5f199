import { commit, query } from '../../../platform/commands/command.ts';
import { type Caller, type CommandContext, unrecorded } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import type { Platform } from '../../../platform/platform.ts';
import { dayMs } from '../../../platform/time/date-time.ts';
import { closeAccount, lockUser } from '../../accounts/index.ts';
import { purgeFilesOf } from '../../files/index.ts';
import { notify } from '../../notifications/index.ts';
import { AccountErasureEntity } from '../entities.ts';
import { privacyNotifications } from '../notifications.ts';
import { eraseRecords, listErasedKeys } from './erase-records.ts';
import { listErased } from './erased-list.ts';
import { findBlockers } from './queries.ts';

/**
 * Carries out what is due of an erasure (PRV-5): closes the account, takes the person out of the records in one transaction, lists the
 * account as erased for later restores, removes the bytes of its files; a day later it does all of it a second time, for what was made
 * meanwhile.
 *
 * Idempotent: each step finds what an interrupted attempt has done.
 * @param caller the process
 * @param signal stops the work between two files
 * @throws any error is temporary and may be retried
 */
export async function eraseAccount(platform: Platform, caller: Caller, userId: number, signal: AbortSignal): Promise<void> {
  const erased = await commit(platform, unrecorded(caller), (ctx) => closeWhenDue(ctx, userId));
  if (erased === null) return;
  await commit(platform, unrecorded(caller), (ctx) => eraseRecords(ctx, userId));
  await listErased(platform, { id: userId, registeredAt: erased.registeredAt });
  for (const key of await query(platform, (db) => listErasedKeys(db, platform.extensions, userId))) {
    signal.throwIfAborted();
    await platform.storage.delete(key);
  }
  await purgeFilesOf(platform, userId, signal);
  await commit(platform, unrecorded(caller), (ctx) => recordPurge(ctx, userId, erased.isLast));
}

/**
 * Closes an account whose wait is over, or tries again a day later while something prevents it; the owner is notified the first time. From
 * here on no command of the account commits, so the records are erased without a race.
 * @returns when the account was registered, and whether this is the second look; null when nothing is due
 */
async function closeWhenDue(ctx: CommandContext, userId: number): Promise<{ registeredAt: Date; isLast: boolean } | null> {
  const { db, extensions, now } = ctx;
  const user = await lockUser(ctx, userId);
  const { createdAt: registeredAt } = user;
  const erasure = await lockForChange(ctx.em, AccountErasureEntity, { id: userId });
  if (erasure?.status === 'erased') return { registeredAt, isLast: erasure.purgedAt !== null };
  if (erasure?.status !== 'waiting' || erasure.endsAt > now) return null;
  if ((await findBlockers(db, extensions, userId)).length > 0) {
    const isFirst = erasure.blockedAt === null;
    erasure.blockedAt ??= now;
    erasure.endsAt = new Date(now.getTime() + dayMs);
    if (isFirst) await notify(ctx, userId, privacyNotifications['account_erasure.blocked'], { kind: 'account_erasure', id: userId });
    return null;
  }
  await closeAccount(ctx, user);
  erasure.status = 'erased';
  erasure.erasedAt = now;
  return { registeredAt, isLast: false };
}

async function recordPurge(ctx: CommandContext, userId: number, isLast: boolean): Promise<void> {
  const erasure = await lockForChange(ctx.em, AccountErasureEntity, { id: userId });
  if (erasure?.status !== 'erased') return;
  erasure.purgedAt ??= ctx.now;
  if (!isLast) return;
  erasure.status = 'done';
  erasure.dueAt = null;
}
