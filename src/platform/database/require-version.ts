import { DomainError } from '../../errors.ts';
import { formatVersion } from '../date-time.ts';

/**
 * Refuses to change a row that changed since the client read it. Each change increases `updated_at` (`migrations/guards.sql`), so versions
 * differ. The row must be locked.
 * @param readAt `updated_at` as the client read it; compared to the millisecond
 * @throws {DomainError} stale_revision with the current `updated_at`
 */
export function requireVersion({ updatedAt }: { readonly updatedAt: Date }, readAt: Date): void {
  if (updatedAt.getTime() !== readAt.getTime()) throw new DomainError('stale_revision', { updated_at: formatVersion(updatedAt) });
}
