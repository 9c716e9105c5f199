import type { MikroORM } from '@mikro-orm/postgresql';
import { entities } from './entities.ts';
import { type DatabaseTimeouts, openDatabase } from '../platform/database/orm.ts';

/** Opens a database with all tables of the registry. Parameters: `openDatabase`. */
export function openRegistry(databaseUrl: string, poolSize: number, timeouts?: DatabaseTimeouts): Promise<MikroORM> {
  return openDatabase(entities, databaseUrl, poolSize, timeouts);
}
