import { type EntityManager, type EntityName, type FilterQuery, LockMode, type QueryOrderMap } from '@mikro-orm/postgresql';
import { DomainError } from '../../errors.ts';
import { formatVersion } from '../time/date-time.ts';

declare const locked: unique symbol;

/** A row that this transaction locked for a change. Writers require this type, so a row without a lock does not compile. */
export type Locked<E> = E & { readonly [locked]: true };

/**
 * Locks a row until the transaction ends, and reads its current state. The command's end writes changes of the row. The only way to change
 * a stored row.
 * @returns null when there is no such row
 */
export async function lockForChange<E extends object>(
  em: Pick<EntityManager, 'findOne'>,
  entity: EntityName<E>,
  where: FilterQuery<NoInfer<E>>,
): Promise<Locked<E> | null> {
  // The lock justifies the type.
  return (await em.findOne(entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })) as Locked<E> | null;
}

/**
 * Locks several rows in one statement and one order, so that two commands never deadlock.
 * @param orderBy order of the locks and of the returned rows
 */
export async function lockAllForChange<E extends object>(
  em: Pick<EntityManager, 'find'>,
  entity: EntityName<E>,
  where: FilterQuery<NoInfer<E>>,
  // The rule mistakes the mapped type of an unknown entity for an empty one.
  // oxlint-disable-next-line typescript/no-generated-empty-object-type
  orderBy: QueryOrderMap<E>,
): Promise<Locked<E>[]> {
  // The lock justifies the type.
  return (await em.find(entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy })) as Locked<E>[];
}

/**
 * Locks a row against changes and deletion until the transaction ends; other transactions may read and share-lock it.
 * @returns the row, read-only; null when there is none
 */
export function holdUnchanged<E extends object>(
  em: Pick<EntityManager, 'findOne'>,
  entity: EntityName<E>,
  where: FilterQuery<NoInfer<E>>,
): Promise<Readonly<E> | null> {
  return em.findOne(entity, where, { lockMode: LockMode.PESSIMISTIC_READ, refresh: true, disableIdentityMap: true });
}

/** Marks a row that this transaction created as locked: other transactions cannot see it before the commit. */
export function lockedAsNew<E extends object>(row: E): Locked<E> {
  // No other transaction sees the row, which justifies the type.

  return row as Locked<E>;
}

/**
 * Refuses a decision on another version of a row than its reader has seen (REV-5). The row must be locked.
 * @param seen `updated_at` as it was read, an ISO 8601 instant; undefined accepts every version
 * @throws {DomainError} stale_revision with the current `updated_at`
 */
export function requireSeen(row: { readonly updatedAt: Date }, seen: string | undefined): void {
  if (seen !== undefined) requireVersion(row, new Date(seen));
}

/**
 * Refuses to change a row that changed since the client read it. Each change increases `updated_at` (`migrations/guards.sql`), so versions
 * differ. The row must be locked.
 * @param readAt `updated_at` as the client read it; compared to the millisecond
 * @throws {DomainError} stale_revision with the current `updated_at`
 */
export function requireVersion({ updatedAt }: { readonly updatedAt: Date }, readAt: Date): void {
  if (updatedAt.getTime() !== readAt.getTime()) throw new DomainError('stale_revision', { updated_at: formatVersion(updatedAt) });
}
