import { Client } from 'pg';
import { databaseOf } from '../../src/platform/database/database.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { cloneDatabase } from './database.ts';

/**
 * Opens a database for a test file that needs no service; call it once, at the top of the file.
 * @param fill writes its rows, before the service opens it
 * @returns the database as the service (`orm`, `db`, and `connect` for further connections) and as its owner see it
 */
export async function useDatabase(fill: (ownerUrl: string) => Promise<void> = async () => undefined) {
  const database = await cloneDatabase();
  await fill(database.ownerUrl);
  const orm = await openRegistry(database.url, 4);
  const clients: Client[] = [];
  const connect = async (connectionString = database.url): Promise<Client> => {
    const client = new Client({ connectionString });
    await client.connect();
    clients.push(client);
    return client;
  };
  const owner = await connect(database.ownerUrl);
  afterAll(async () => {
    await Promise.all([...clients.map((client) => client.end()), orm.close(true)]);
    await database.drop();
  });
  return { database, orm, owner, connect, db: () => databaseOf(orm.em.fork()) };
}
