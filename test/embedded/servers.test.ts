import { Client } from 'pg';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { startPostgres } from '../../src/tools/embedded/postgres/postgres.ts';

describe('the embedded PostgreSQL', () => {
  // A folder's name may contain separators of PostgreSQL's settings.
  const dataDir = mkdtempSync(join(tmpdir(), 'registry, "postgres" '));
  // Root included: its PostgreSQL runs as another user.
  chmodSync(dataDir, 0o755);
  const passwords = { postgresPassword: 'one/two', applicationPassword: 'three@four' };
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  async function query(connectionString: string, sql: string): Promise<unknown[]> {
    const client = new Client({ connectionString });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('keeps its data over a kill -9 and a restart, with an application role that owns nothing', async () => {
    const [port = 0] = await freePorts(1);
    const first = await startPostgres({ dataDir, port, ...passwords });
    await query(first.migrationDatabaseUrl, 'create table kept as select 42 as answer; grant select on kept to registry_app');
    await first.server.kill('SIGKILL');
    await first.server.whenReady();
    expect(first.server.restarts).toBe(1);
    expect(await query(first.databaseUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await first.stop();

    const second = await startPostgres({ dataDir, port, ...passwords });
    expect(await query(second.databaseUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await expect(query(second.databaseUrl, 'drop table kept')).rejects.toThrow(/must be owner/);
    expect(
      await query(second.databaseUrl, "select rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = 'registry_app'"),
    ).toEqual([{ rolsuper: false, rolcreatedb: false, rolcreaterole: false }]);
    await second.stop();
  });

  it('serves over a socket, even if another process has the PID of a killed server', async () => {
    const [port = 0] = await freePorts(1);
    const other = spawn('sleep', ['60']);
    writeFileSync(join(dataDir, 'postgres', `.s.PGSQL.${port}.lock`), `${other.pid}\n`);
    const server = await startPostgres({ dataDir, port, ...passwords });
    try {
      const where = 'select current_user as role, inet_server_addr() as address';
      expect(await query(server.socketDatabaseUrl, where)).toEqual([{ role: 'registry_app', address: null }]);
      expect(await query(server.databaseUrl, where)).toEqual([{ role: 'registry_app', address: '127.0.0.1' }]);
    } finally {
      await server.stop();
      other.kill();
    }
  });

  it('serves over TCP if the path of a socket is too long', async () => {
    const deep = join(dataDir, 'long'.repeat(25));
    mkdirSync(deep);
    const [port = 0] = await freePorts(1);
    const server = await startPostgres({ dataDir: deep, port });
    try {
      expect(await query(server.socketDatabaseUrl, 'select inet_server_addr() as address')).toEqual([{ address: '127.0.0.1' }]);
    } finally {
      await server.stop();
    }
  });

  it('reports a wrong password of the data in one line', async () => {
    const [port = 0] = await freePorts(1);
    await expect(startPostgres({ dataDir, port, ...passwords, postgresPassword: 'another' })).rejects.toThrow(
      /^PostgreSQL refuses the password of secrets\.json/,
    );
  });
});
