import { p } from '@mikro-orm/core';

/** Defines a property that holds the key of another entity, with its column and its foreign key. */
export function referenceTo<Target extends Parameters<typeof p.manyToOne>[0]>(entity: Target, column: string, foreignKey: string) {
  return p.manyToOne(entity).mapToPk().fieldName(column).foreignKeyName(foreignKey);
}
