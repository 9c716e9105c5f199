import { type EntityManager, type EntityName, type FilterQuery, LockMode, type QueryOrderMap } from '@mikro-orm/postgresql';

declare const locked: unique symbol;

/** A row locked by this transaction, which may change it. Writers require this type, so they cannot take a row that was only read. */
export type Locked<E> = E & { readonly [locked]: true };

/**
 * Locks a row for a change until the transaction ends, and reads its current state. Changes are written at the end of the command. The only
 * way to change a stored row.
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
 * The same for rows that change together, in one statement and always in one order, so that two commands never hold each other up.
 * @param orderBy the order in which they are taken; the rows come back in it
 */
export async function lockAllForChange<E extends object>(
  em: Pick<EntityManager, 'find'>,
  entity: EntityName<E>,
  where: FilterQuery<NoInfer<E>>,
  // The rule takes the mapped type for empty as long as the entity is not known.
  // oxlint-disable-next-line typescript/no-generated-empty-object-type
  orderBy: QueryOrderMap<E>,
): Promise<Locked<E>[]> {
  // The lock is what the type stands for.
  return (await em.find(entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy })) as Locked<E>[];
}

/**
 * Locks a row against changes and deletion until the transaction ends; others may read and share-lock it.
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
  // Invisible to others, which justifies the type.
  return row as Locked<E>;
}
