import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { OpenTransaction } from './open-transaction.ts';

type BeginOptions = Parameters<PostgreSqlConnection['begin']>[0];
type OrmTransaction = Awaited<ReturnType<PostgreSqlConnection['begin']>>;

/**
 * The ORM's driver with transactions of our own (`OpenTransaction`). Those of its query builder wait for BEGIN, keep a connection
 * for ever once the server has cut it, and spend as long on a statement as the driver below. Nothing here listens to the ORM's
 * events about transactions, so they are not sent at the beginning of one.
 */
export class PipelinedDriver extends PostgreSqlDriver {
  protected override readonly connection: PostgreSqlConnection = new PipelinedConnection(this.config);
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
