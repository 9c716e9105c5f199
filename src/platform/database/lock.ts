import { type EntityManager, type EntityName, type FilterQuery, LockMode, type QueryOrderMap } from '@mikro-orm/postgresql';

declare const locked: unique symbol;

/**
 * A row that this transaction holds and may change. Whatever writes asks for this type, so a row that was read only to be looked at
 * cannot be given to it.
 */
export type Locked<E> = E & { readonly [locked]: true };

/**
 * Takes hold of a row that a command is about to change, until the transaction ends, and reads it as it stands now, whatever was read
 * before. What is changed of it is written at the end of the command. The only way to a stored row that can be written.
 * @returns null when there is no such row
 */
export async function lockForChange<E extends object>(
  em: Pick<EntityManager, 'findOne'>,
  entity: EntityName<E>,
  where: FilterQuery<NoInfer<E>>,
): Promise<Locked<E> | null> {
  // The lock is what the type stands for.
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
 * Keeps a row as it is until the transaction ends: others may look at it and hold it the same way, nobody changes or deletes it.
 * @returns the row, to be looked at only; null when there is none
 */
export function holdUnchanged<E extends object>(
  em: Pick<EntityManager, 'findOne'>,
  entity: EntityName<E>,
  where: FilterQuery<NoInfer<E>>,
): Promise<Readonly<E> | null> {
  return em.findOne(entity, where, { lockMode: LockMode.PESSIMISTIC_READ, refresh: true, disableIdentityMap: true });
}

/** A row that this transaction has made, to be changed further: nobody else sees it until the transaction ends, so it is held. */
export function lockedAsNew<E extends object>(row: E): Locked<E> {
  // That nobody else has it is what the type stands for.
  return row as Locked<E>;
}
