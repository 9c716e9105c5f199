import { PostgreSqlConnection, PostgreSqlDriver, isRaw } from '@mikro-orm/postgresql';
import type {
  EntityDictionary,
  EntityKey,
  EntityMetadata,
  EntityName,
  EntityProperty,
  FilterQuery,
  NativeInsertUpdateOptions,
  Primary,
  QueryResult,
  UpsertOptions,
} from '@mikro-orm/postgresql';
import { OpenTransaction, prepare } from './open-transaction.ts';
import type { Prepared } from './open-transaction.ts';

type BeginOptions = Parameters<PostgreSqlConnection['begin']>[0];
type OrmTransaction = Awaited<ReturnType<PostgreSqlConnection['begin']>>;

/**
 * The ORM's driver with transactions of our own (`OpenTransaction`). Those of its query builder wait for BEGIN, keep a connection
 * for ever once the server has cut it, and spend as long on a statement as the driver below. Nothing here listens to the ORM's
 * events about transactions, so they are not sent at the beginning of one.
 */
export class PipelinedDriver extends PostgreSqlDriver {
  protected override readonly connection: PostgreSqlConnection = new PipelinedConnection(this.config);

  /**
   * Writes a changed entity by a prepared statement: the ORM would build the query anew, write the values into its text, and
   * have PostgreSQL plan it again, which takes three times as long as writing the row.
   */
  override async nativeUpdate<T extends object>(
    entity: EntityName<T>,
    where: FilterQuery<T>,
    data: EntityDictionary<T>,
    options: NativeInsertUpdateOptions<T> & UpsertOptions<T> = {},
  ): Promise<QueryResult<T>> {
    const view: unknown = options.ctx;
    const isInOwnSchema = options.schema === undefined || options.schema === this.platform.getDefaultSchemaName();
    const isFlushed = options.convertCustomTypes === false && options.upsert !== true;
    const statement = isFlushed && isInOwnSchema ? updateOf(this.metadata.get(entity), where, data) : null;
    if (!statement || !(view instanceof OrmView)) return super.nativeUpdate(entity, where, data, options);
    const { rowCount } = await this.rethrow(view.transaction.query(statement));
    return { affectedRows: rowCount ?? 0, insertId: 0 as Primary<T> };
  }
}

/** The update of the row with this key; null where the ORM does more than put values into columns. */
function updateOf<T extends object>(meta: EntityMetadata<T>, where: FilterQuery<T>, data: EntityDictionary<T>): Prepared | null {
  const key = Object.entries(where);
  const changes = Object.entries(data);
  const property = (name: string) => meta.properties[name as EntityKey<T>];
  const isPlain = [...changes, ...key].every(([name, value]) => isColumn(property(name)) && value !== undefined && !isRaw(value));
  const isReadBack = meta.props.some(({ version, generated }) => version ?? generated);
  if (!isPlain || isReadBack || meta.schema || changes.length === 0 || key.length === 0) return null;
  const values: unknown[] = [];
  const assign = ([name, value]: [string, unknown]) => `"${property(name).fieldNames[0]}" = $${values.push(value)}`;
  return prepare(`update "${meta.tableName}" set ${changes.map(assign).join(', ')} where ${key.map(assign).join(' and ')}`, values);
}

/** Whether a property is one column that takes its value as it is. */
function isColumn(property: EntityProperty): boolean {
  return property.fieldNames.length === 1 && property.embedded === undefined && !property.hasConvertToDatabaseValueSQL;
}

class PipelinedConnection extends PostgreSqlConnection {
  override async begin(options: BeginOptions = {}): Promise<OrmTransaction> {
    if (options.ctx) return super.begin(options);
    const modes = [options.isolationLevel && `isolation level ${options.isolationLevel}`, options.readOnly && 'read only'];
    const pool = await this.getNativeClient();
    const transaction = new OpenTransaction(await pool.connect(), `begin ${modes.filter(Boolean).join(', ')}`);
    // The ORM's base class only ever asks of a transaction what is there.
    return new OrmView(transaction) as unknown as OrmTransaction;
  }
}

/** A transaction as the ORM's base class speaks to it. */
export class OrmView {
  readonly transaction: OpenTransaction;

  constructor(transaction: OpenTransaction) {
    this.transaction = transaction;
  }

  async executeQuery({ sql }: { sql: string }): Promise<{ rows: unknown[]; numAffectedRows: number | undefined }> {
    const { rows, rowCount, command } = await this.transaction.query(sql);
    return { rows, numAffectedRows: command === 'SELECT' ? undefined : (rowCount ?? 0) };
  }

  commit(): { execute(): Promise<void> } {
    return { execute: () => this.transaction.commit() };
  }

  rollback(): { execute(): Promise<void> } {
    return { execute: () => this.transaction.rollback() };
  }

  savepoint(name: string): { execute(): Promise<OrmView> } {
    return { execute: async () => this.transaction.query(`savepoint ${name}`).then(() => new OrmView(this.transaction)) };
  }

  releaseSavepoint(name: string): { execute(): Promise<unknown> } {
    return { execute: () => this.transaction.query(`release savepoint ${name}`) };
  }

  rollbackToSavepoint(name: string): { execute(): Promise<unknown> } {
    return { execute: () => this.transaction.query(`rollback to savepoint ${name}`) };
  }

  /** Statements queue on the connection by themselves, so there is nothing to wait for before a rollback. */
  getExecutor(): { provideConnection(): Promise<void> } {
    return { provideConnection: async () => undefined };
  }
}
