import { Client as EngineClient, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { waitFor } from './wait-for.ts';

/** Every record that waits for somebody or for a date, by the id of its process; written apart from the sweeper, which it checks. */
const liveSql = `
  select 'application/' || id as process from applications where status not in ('cancelled', 'closed')
  union all select 'document/' || id from documents where status in ('pending', 'changes') or (status = 'approved' and expires_at is not null)
  union all select 'profile/' || id from profiles where status in ('pending', 'changes') or photo_status in ('pending', 'changes')
  union all select 'invoice/' || id from invoices where next_ask_at is not null`;

const recordProcesses = ["'applicationLifecycle'", "'documentReview'", "'profileReview'", "'invoiceReconciliation'"].join(', ');

interface Difference {
  missing: string[];
  idle: string[];
}

/**
 * Whether each live record has its running process, and each running process a record that needs it. The engine lists what
 * runs a moment later than it runs, so a difference must last to count.
 * @returns a line for each process that is missing or has nothing to do
 */
export async function compareProcesses(databaseUrl: string, temporalAddress: string, namespace: string): Promise<string[]> {
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const engine = new EngineClient({ connection, namespace });
    const compare = async (): Promise<Difference> => {
      const running = new Set<string>();
      const query = `WorkflowType IN (${recordProcesses}) AND ExecutionStatus = 'Running'`;
      for await (const { workflowId } of engine.workflow.list({ query, pageSize: 1000 })) running.add(workflowId);
      const live = new Set((await owner.query<{ process: string }>(liveSql)).rows.map((row) => row.process));
      const lacking = (wanted: Set<string>, there: Set<string>) => [...wanted].filter((process) => !there.has(process));
      return { missing: lacking(live, running), idle: lacking(running, live) };
    };
    let last: Difference = { missing: [], idle: [] };
    await waitFor(
      async () => (last = await compare()),
      ({ missing, idle }) => missing.length === 0 && idle.length === 0,
      'the processes to fit the record',
    ).catch(() => undefined);
    return [
      ...last.missing.map((process) => `${process} is live and its process is missing`),
      ...last.idle.map((process) => `${process} runs and has nothing to wait for`),
    ];
  } finally {
    await owner.end();
    await connection.close();
  }
}
