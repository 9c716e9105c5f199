import { Client } from 'pg';
import type { Programs } from '../../src/tools/embedded/scripts.ts';
import { type Stack, startThrowawayStack } from '../../src/tools/embedded/stack.ts';
import { captchaAnswer } from '../support/identities/captcha-answer.ts';
import { TestClient } from '../support/client.ts';
import { type InsertedPerson, insertPeople, openRecord } from '../support/factories.ts';

/** The configuration of every stack under faults: a sandbox clock, a fixed captcha answer, high limits. */
export const faultEnvironment = {
  SANDBOX: 'true',
  CAPTCHA_FIXED_ANSWER: captchaAnswer,
  RATE_LIMIT_KEY_PER_MINUTE: '1000000',
  RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000',
  RATE_LIMIT_CALLBACKS_PER_MINUTE: '1000000',
  RATE_LIMIT_SESSIONS_PER_10_MINUTES: '100000',
  RATE_LIMIT_RESETS_PER_HOUR: '100000',
  RATE_LIMIT_LOGINS_PER_15_MINUTES: '1000',
  RATE_LIMIT_UPLOADS_PER_HOUR: '1000000',
  RATE_LIMIT_EXPORTS_PER_HOUR: '1000000',
  QUOTA_FILES: '1000000',
  QUOTA_BYTES: '1000000000000',
  LOG_LEVEL: 'warn',
};

/** Real processes and the means to kill them. */
export interface FaultStack {
  stack: Stack;
  baseUrl: string;
  administratorId: number;
  administratorKey: string;
  /** Runs SQL as the owner of the database over a separate connection. */
  sql<Row extends object>(statement: string, params?: unknown[]): Promise<Row[]>;
  /** People who are ready to apply; a batch is one transaction. */
  people(count: number, isMedicalPending?: (index: number) => boolean): Promise<InsertedPerson[]>;
  stop(): Promise<void>;
}

export async function startFaultStack(programs: Partial<Programs> = {}): Promise<FaultStack> {
  const stack = await startThrowawayStack({ env: faultEnvironment, programs });
  try {
    const baseUrl = `http://127.0.0.1:${stack.config.PORT}`;
    const administrator = new TestClient(baseUrl);
    await administrator.login(stack.administrator.email, stack.administrator.password);
    const connected = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
      const client = new Client({ connectionString: stack.migrationDatabaseUrl });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return await work(client);
      } finally {
        await client.end().catch(() => undefined);
      }
    };
    return {
      stack,
      baseUrl,
      administratorId: administrator.userId,
      administratorKey: await administrator.makeKey(['admin:read', 'admin:write']),
      sql: (statement, params = []) => connected(async (client) => (await client.query(statement, params)).rows),
      people: async (count, isMedicalPending = () => false) => {
        await using record = openRecord(stack.migrationDatabaseUrl);
        const people = await insertPeople(record, count, {
          administratorId: administrator.userId,
          dataDir: stack.dataDir,
          isMedicalPending,
        });
        const profiles = people.map(({ profileId }) => profileId);
        // What the commands that these rows stand for would have started.
        await connected((client) =>
          client.query(
            `insert into outbox (process, request_id, available_at)
              select 'document/' || id, 'fixture', now() from documents where profile_id = any ($1)`,
            [profiles],
          ),
        );
        return people;
      },
      stop: () => stack.stop(),
    };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
