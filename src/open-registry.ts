import type { MikroORM } from '@mikro-orm/postgresql';
import { entities } from './entities.ts';
import { type DatabasePatience, openDatabase } from './platform/database/orm.ts';

/** Opens a database with all tables of the registry. Parameters: `openDatabase`. */
export function openRegistry(databaseUrl: string, poolSize: number, patience?: DatabasePatience): Promise<MikroORM> {
  return openDatabase(entities, databaseUrl, poolSize, patience);
}
