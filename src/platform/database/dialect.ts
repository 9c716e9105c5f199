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
import { type SpanFacts, tracing, type Tracing } from '../tracing/tracing.ts';
import { isStalePlan, sqlStateOf, StalePlanError } from './constraint-errors.ts';

/**
 * Connects the ORM and Kysely to PostgreSQL by their documented extension points (`driverOptions`, `Dialect`). It contains all connection
 * handling of the service:
 * - names statements with parameters, so that each connection plans them once, except with `customPlan`;
 * - sends BEGIN with the first statement of the transaction (`pipeline` of the driver);
 * - raises an error when the server answers COMMIT with ROLLBACK;
 * - removes broken connections from the pool.
 *
 * @param watch measures the pool
 */
export function createDialect(config: PoolConfig, watch?: PoolWatch): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(config, watch),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Measures a pool. */
export interface PoolWatch {
  opened(pool: Pool): void;
  closed(pool: Pool): void;
  /** A connection was waited for. */
  waited(seconds: number): void;
}

class PostgresDriver implements Driver {
  readonly #config: PoolConfig;
  readonly #watch: PoolWatch | undefined;
  #pool: Pool | undefined;

  constructor(config: PoolConfig, watch: PoolWatch | undefined) {
    this.#config = config;
    this.#watch = watch;
  }

  async init(): Promise<void> {
    this.#pool = new Pool({ ...this.#config, pipeline: true, types: typeParsers() });
    // The server may close an idle connection at any time; the pool has removed it by then.
    this.#pool.on('error', () => undefined);
    // A connection may also break between acquisition and its first statement; that statement then fails.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#watch?.opened(this.#pool);
  }

  async acquireConnection(): Promise<Connection> {
    if (!this.#pool) throw new Error('the database is closed');
    const startedAt = performance.now();
    try {
      return new Connection(await this.#pool.connect());
    } finally {
      this.#watch?.waited((performance.now() - startedAt) / 1000);
    }
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
    if (this.#pool) this.#watch?.closed(this.#pool);
    await this.#pool?.end();
    this.#pool = undefined;
  }
}

function own(connection: DatabaseConnection): Connection {
  if (!(connection instanceof Connection)) throw new TypeError('the connection belongs to another driver');
  return connection;
}

let cursors = 0;

/** A connection from its acquisition to its release. */
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

  /** Sends BEGIN without waiting; the first statement waits for its answer. */
  begin(statement: string): void {
    this.#isInTransaction = true;
    this.#begun = this.#send({ text: statement });
    // The next statement raises the error.
    this.#begun.catch(() => undefined);
  }

  /** @throws {Error} when the server rolled back instead, because an earlier statement had failed */
  async commit(): Promise<void> {
    const { command } = await this.#run({ text: 'commit' });
    this.#isInTransaction = false;
    if (command !== 'COMMIT') throw new Error('a statement of the transaction failed, so it was rolled back');
  }

  /** Never fails: after a connection loss the server rolls back by itself. */
  async rollback(): Promise<void> {
    this.#isInTransaction = false;
    await this.#run({ text: 'rollback' }).catch(() => {
      this.#isBroken = true;
    });
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, rowCount, command } = await this.#runWithRetry(query);
    const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
    // The query's types describe the rows.
    return { rows: rows as Row[], ...(isChange ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  /** Reads by a server cursor, in the open transaction or a new one; at most `chunkSize` rows are in memory. */
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

  /** Repeats a read with a stale plan under a new name. A transaction fails instead, and `commit` repeats it. */
  async #runWithRetry(query: CompiledQuery): Promise<PgResult> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#run(statementOf(query));
      } catch (error) {
        // Several migrations may follow each other.
        if (this.#isInTransaction || !isStalePlan(error) || attempt === maxReadAttempts) throw error;
      }
    }
  }

  async #run(statement: QueryConfig): Promise<PgResult> {
    const begun = this.#begun;
    this.#begun = undefined;
    const [result] = await Promise.all([this.#send(statement), begun]);
    return result;
  }

  #queryInSpan(traces: Tracing, statement: QueryConfig): Promise<PgResult> {
    const { name, facts } = factsOf(statement.text);
    return traces.inSpan(name, facts, () => this.#client.query(statement));
  }

  async #send(statement: QueryConfig): Promise<PgResult> {
    const { name } = statement;
    try {
      const result = await (tracing === null ? this.#client.query(statement) : this.#queryInSpan(tracing, statement));
      if (name) plannedBy(this.#client).add(name);
      return result;
    } catch (error) {
      if (!isRefusal(error)) this.#isBroken = true;
      const isStale = isStalePlan(error) || (name !== undefined && plannedBy(this.#client).has(name) && isSchemaMismatch(error));
      if (!isStale) throw error;
      forgetNames();
      throw new StalePlanError(error);
    }
  }
}

/** Names the span of a statement by its verb and first table. Texts and values stay out. */
function factsOf(text: string): { name: string; facts: SpanFacts } {
  const [verb = 'sql'] = /[a-z]+/i.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update)\s+"?([a-z_]+)/i.exec(text) ?? [];
  const operation = verb.toUpperCase();
  return {
    name: table === undefined ? operation : `${operation} ${table}`,
    facts: { 'db.system.name': 'postgresql', 'db.operation.name': operation, ...(table && { 'db.collection.name': table }) },
  };
}

/** Attempts of a read with stale plans. */
const maxReadAttempts = 3;

/** Names by which a connection has run a statement. */
const planned = new WeakMap<PoolClient, Set<string>>();

function plannedBy(client: PoolClient): Set<string> {
  const names = planned.get(client) ?? new Set<string>();
  planned.set(client, names);
  return names;
}

/**
 * Returns whether the statement does not match its tables (SQL state class 42, except missing permission). For a statement that ran before,
 * a migration changed a column's type: a new plan may match.
 */
function isSchemaMismatch(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== null && state.startsWith('42') && state !== '42501';
}

/** Limits the plans of a connection: only the first thousand texts of a process get a name. */
const maxNames = 1000;
const names = new Map<string, string>();
let generation = 0;

/** Marks a statement that the server must plan for its values each time (`customPlan` in `database.ts`). */
export const customPlanMark = '/* custom plan */';
/** Inserts of many rows have a different text for each number of rows and need little planning: they get no name. */
const maxNamedParameters = 60;

function statementOf({ sql, parameters }: CompiledQuery): QueryConfig {
  if (parameters.length === 0) return { text: sql };
  const isUnnamed = parameters.length > maxNamedParameters || sql.includes(customPlanMark);
  return { name: isUnnamed ? '' : nameOf(sql), text: sql, values: [...parameters] };
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= maxNames) return '';
  const name = createHash('sha256').update(`${generation} ${text}`).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}

/** Renames all prepared statements on every connection, after a migration changed their result types. */
function forgetNames(): void {
  generation += 1;
  names.clear();
}

/** Returns whether the server refused the statement but the connection still works. */
function isRefusal(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== null && !state.startsWith('08') && !state.startsWith('57P');
}

const [int8, timestamptz] = [20, 1184];

/**
 * Converts column types: days stay text (`YYYY-MM-DD`), instants become Dates, bigints numbers. The ledger's checks keep money in tiyn far
 * below the largest safe integer. Other types follow the ORM.
 */
function typeParsers(): TypeOverrides {
  const types = new TypeOverrides();
  for (const [oid, parser] of Object.entries(createPostgreSqlTypeParsers((text) => parseArray(text))))
    types.setTypeParser(Number(oid), parser);
  types.setTypeParser(int8, Number);
  types.setTypeParser(timestamptz, (text) => new Date(text));
  return types;
}
