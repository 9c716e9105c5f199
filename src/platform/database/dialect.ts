import { createPostgreSqlTypeParsers } from '@mikro-orm/postgresql';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { Pool, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult as PgResult, TypeOverrides } from 'pg';
import { parse as parseArray } from 'postgres-array';
import { createHash } from 'node:crypto';
import { isStalePlan, sqlStateOf, StalePlanError } from './constraint-errors.ts';

/**
 * Connects the ORM and Kysely to PostgreSQL by their documented extension points (`driverOptions`, `Dialect`). All our own connection
 * handling is here:
 * - a statement with parameters has a name, so that each connection plans it once, unless it says `plannedEachTime`;
 * - BEGIN travels with the first statement of its transaction (`pipeline` of the driver);
 * - a COMMIT that the server answered with ROLLBACK is an error;
 * - a broken connection leaves the pool.
 */
export function createDialect(config: PoolConfig): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(config),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PostgresDriver implements Driver {
  readonly #config: PoolConfig;
  #pool: Pool | undefined;

  constructor(config: PoolConfig) {
    this.#config = config;
  }

  async init(): Promise<void> {
    this.#pool = new Pool({ ...this.#config, pipeline: true, types: typeParsers() });
    // The server may close an idle connection at any time; the pool has removed it by then.
    this.#pool.on('error', () => undefined);
    // Nor may one that is cut between its leaving the pool and its first statement end the process; that statement fails.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async acquireConnection(): Promise<Connection> {
    if (!this.#pool) throw new Error('the database is closed');
    return new Connection(await this.#pool.connect());
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const modes = [settings.isolationLevel && `isolation level ${settings.isolationLevel}`, settings.accessMode];
    own(connection).begin(`begin ${modes.filter(Boolean).join(', ')}`);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).rollback();
  }

  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint "${name}"`));
  }

  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to savepoint "${name}"`));
  }

  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release savepoint "${name}"`));
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    own(connection).release();
  }

  async destroy(): Promise<void> {
    await this.#pool?.end();
    this.#pool = undefined;
  }
}

function own(connection: DatabaseConnection): Connection {
  if (!(connection instanceof Connection)) throw new TypeError('this connection is of another driver');
  return connection;
}

let cursors = 0;

/** A connection from its leaving the pool until its return. */
class Connection implements DatabaseConnection {
  readonly #client: PoolClient;
  #begun: Promise<unknown> | undefined;
  #isInTransaction = false;
  #isBroken = false;

  constructor(client: PoolClient) {
    this.#client = client;
    client.on('error', this.#onError);
  }

  readonly #onError = (): void => {
    this.#isBroken = true;
  };

  /** Sends BEGIN and does not wait for its answer: the first statement does. */
  begin(statement: string): void {
    this.#isInTransaction = true;
    this.#begun = this.#send({ text: statement });
    // The first statement, or the end of the transaction, gets the error.
    this.#begun.catch(() => undefined);
  }

  /** @throws {Error} when the server rolled back instead, because an earlier statement had failed */
  async commit(): Promise<void> {
    const { command } = await this.#run({ text: 'commit' });
    this.#isInTransaction = false;
    if (command !== 'COMMIT') throw new Error('the transaction had failed before its end and was rolled back');
  }

  /** Never fails: without a connection the server rolls back by itself. */
  async rollback(): Promise<void> {
    this.#isInTransaction = false;
    await this.#run({ text: 'rollback' }).catch(() => {
      this.#isBroken = true;
    });
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, rowCount, command } = await this.#runAnew(query);
    const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
    // The rows have the shape that the query's types say.
    return { rows: rows as Row[], ...(isChange ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  /** By a cursor of the server, in the open transaction or in one of its own; at most `chunkSize` rows are held at a time. */
  async *streamQuery<Row>({ sql, parameters }: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    const isOwnTransaction = !this.#isInTransaction;
    const cursor = `rows_${(cursors += 1)}`;
    if (isOwnTransaction) this.begin('begin read only');
    try {
      await this.#run({ text: `declare ${cursor} no scroll cursor for ${sql}`, values: [...parameters] });
      for (;;) {
        const { rows } = await this.#run({ text: `fetch ${chunkSize} from ${cursor}` });
        if (rows.length === 0) break;
        yield { rows: rows as Row[] };
      }
      await (isOwnTransaction ? this.commit() : this.#run({ text: `close ${cursor}` }));
    } finally {
      // The reader stopped early or failed.
      if (isOwnTransaction && this.#isInTransaction) await this.rollback();
    }
  }

  release(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(this.#isBroken);
  }

  /** A transaction fails with a stale plan and is run again by `commit`; a reading is simply read again, by a new name. */
  async #runAnew(query: CompiledQuery): Promise<PgResult> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#run(statementOf(query));
      } catch (error) {
        // Several migrations may follow each other.
        if (this.#isInTransaction || !isStalePlan(error) || attempt === mostReadings) throw error;
      }
    }
  }

  async #run(statement: QueryConfig): Promise<PgResult> {
    const begun = this.#begun;
    this.#begun = undefined;
    const [result] = await Promise.all([this.#send(statement), begun]);
    return result;
  }

  async #send(statement: QueryConfig): Promise<PgResult> {
    const { name } = statement;
    try {
      const result = await this.#client.query(statement);
      if (name) plannedBy(this.#client).add(name);
      return result;
    } catch (error) {
      if (!isRefusal(error)) this.#isBroken = true;
      const isStale = isStalePlan(error) || (name !== undefined && plannedBy(this.#client).has(name) && isMisfit(error));
      if (!isStale) throw error;
      forgetNames();
      throw new StalePlanError(error);
    }
  }
}

/** How often a reading is planned anew. */
const mostReadings = 3;

/** Names by which a connection has run a statement. */
const planned = new WeakMap<PoolClient, Set<string>>();

function plannedBy(client: PoolClient): Set<string> {
  const names = planned.get(client) ?? new Set<string>();
  planned.set(client, names);
  return names;
}

/**
 * Whether the server says that a statement does not fit its tables (SQLSTATE class 42, but for a lacking permission). Of one that has run
 * before it means that the types of its parameters were fixed before a migration changed a column's: planned anew it may fit.
 */
function isMisfit(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== null && state.startsWith('42') && state !== '42501';
}

/** Texts that vary without end must not fill every connection with plans: the first thousand of a process get a name. */
const mostNames = 1000;
const names = new Map<string, string>();
let generation = 0;

/** Part of a statement's text that makes the server plan it for its values each time (`plannedEachTime` of `database.ts`). */
export const plannedEachTimeMark = '/* planned each time */';
/** Many rows written at once have another text for each number of rows, and next to nothing to plan: these get no name. */
const mostNamedParameters = 60;

function statementOf({ sql, parameters }: CompiledQuery): QueryConfig {
  if (parameters.length === 0) return { text: sql };
  const isUnnamed = parameters.length > mostNamedParameters || sql.includes(plannedEachTimeMark);
  return { name: isUnnamed ? '' : nameOf(sql), text: sql, values: [...parameters] };
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= mostNames) return '';
  const name = createHash('sha256').update(`${generation} ${text}`).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}

/** Renames all prepared statements on every connection, after a migration changed their result types. */
function forgetNames(): void {
  generation += 1;
  names.clear();
}

/** Returns whether the server refused a statement and stays available: an SQL state other than a lost connection or a stopping server. */
function isRefusal(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== null && !state.startsWith('08') && !state.startsWith('57P');
}

const [int8, timestamptz] = [20, 1184];

/**
 * Converts column types: days stay text (`YYYY-MM-DD`), instants become Dates, bigints numbers. Money in tiyn stays far below the largest
 * safe integer, which the ledger's checks ensure. The rest follows the ORM.
 */
function typeParsers(): TypeOverrides {
  const types = new TypeOverrides();
  for (const [oid, parser] of Object.entries(createPostgreSqlTypeParsers((text) => parseArray(text))))
    types.setTypeParser(Number(oid), parser);
  types.setTypeParser(int8, Number);
  types.setTypeParser(timestamptz, (text) => new Date(text));
  return types;
}
