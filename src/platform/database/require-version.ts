import { DomainError } from '../../errors.ts';
import { formatVersion } from '../date-time.ts';

/**
 * Refuses to change a row that is no longer as it was read. `updated_at` grows with every change of a row (`migrations/guards.sql`), so
 * that no two versions share one. The row must be locked.
 * @param readAt its `updated_at` as the client has read it; compared to the millisecond
 * @throws {DomainError} stale_revision with the present `updated_at`
 */
export function requireVersion({ updatedAt }: { readonly updatedAt: Date }, readAt: Date): void {
  if (updatedAt.getTime() !== readAt.getTime()) throw new DomainError('stale_revision', { updated_at: formatVersion(updatedAt) });
}
