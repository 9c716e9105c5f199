import { Client } from 'pg';
import type { QueryResult } from 'pg';

/**
 * A database connection whose transaction can always be given up. Our query builder returns a connection to the pool only after
 * its ROLLBACK succeeded, and never after a BEGIN that failed; on a connection that the server has cut, neither can succeed,
 * and the pool would lose one place for each cut until nobody gets any. Here both "succeed" on a lost connection: the server
 * has rolled back by itself, the next statement fails and says why, and the pool throws the connection away.
 */
export class ReleasableClient extends Client {
  private isLost = false;

  constructor(...options: ConstructorParameters<typeof Client>) {
    super(...options);
    this.on('error', () => {
      this.isLost = true;
    });
    this.on('end', () => {
      this.isLost = true;
    });
  }

  // The base class overloads this by what is passed; here it is passed on as it came.
  override query(...statement: never[]): never {
    const send = () => (super.query as (...all: unknown[]) => unknown)(...statement);
    const text: unknown = statement[0];
    if (text !== 'begin' && text !== 'rollback') return send() as never;
    if (this.isLost) return Promise.resolve(nothing) as never;
    return Promise.resolve(send()).catch((error: unknown) => {
      // A connection that cannot roll back is in no state to be used again.
      this.isLost = true;
      void this.end().catch(() => undefined);
      if (isAboutTheConnection(error)) return nothing;
      throw error;
    }) as never;
  }
}

const nothing: QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

function isAboutTheConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    /^(57P0\d|08\d\d\d|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(String(code)) ||
    /connection (error|terminated|ended)|not queryable|client was closed/i.test(String(message))
  );
}
