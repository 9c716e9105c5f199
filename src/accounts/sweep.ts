import type { CommandContext } from '../platform/context.ts';
import { receiptLifetimeDays } from '../platform/receipt-lifetime.ts';
import { closePastResets } from './expire-secret.ts';
import { sessionLimits } from './session-limits.ts';

const dayMs = 24 * 60 * 60_000;
/** Of what every command leaves behind, so much goes with each sweep: a backlog of years must not become one long transaction. */
const batch = 5000;

/**
 * Clears what has served its time: closes secrets whose timer was lost or moved past, deletes sessions that ended more than a
 * day ago (their captchas go with them), counters whose window is over, private inputs older than a day, receipts of commands
 * past their time. The last two in batches, the oldest first.
 * Safe to run again. The secrets go by the domain's clock, the rest guards real time.
 * @returns how many rows it touched
 */
export async function clearLeftovers(ctx: CommandContext): Promise<number> {
  const { em, now } = ctx;
  const present = Date.now();
  const dayAgo = new Date(present - dayMs);
  const statements: [string, (Date | number)[]][] = [
    [`update captchas set closed_at = ?, closed_by = 'time' where closed_at is null and expires_at <= ?`, [now, now]],
    ['delete from sessions where expires_at < ? or last_seen_at < ?', [dayAgo, new Date(present - sessionLimits.idleMs - dayMs)]],
    ['delete from attempt_counts where resets_at < ?', [new Date(present)]],
    [
      'delete from private_inputs where id = any (array(select id from private_inputs where created_at < ? order by created_at limit ?))',
      [dayAgo, batch],
    ],
    [
      // By physical place, not by key: the rows are chosen and deleted in one statement, and no receipt is ever changed again.
      'delete from receipts where ctid = any (array(select ctid from receipts where at < ? order by at limit ?))',
      [new Date(present - receiptLifetimeDays * dayMs), batch],
    ],
  ];
  let touched = await closePastResets(ctx, null);
  for (const [statement, parameters] of statements) {
    const [row] = await em.execute<{ count: number }[]>(
      `with changed as (${statement} returning 1) select count(*)::int as count from changed`,
      parameters,
    );
    touched += row?.count ?? 0;
  }
  return touched;
}
