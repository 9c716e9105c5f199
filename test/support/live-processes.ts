import { Client as EngineClient, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { requiredTsToMs, tsToMs } from '@temporalio/common/lib/time.js';
import { Client } from 'pg';
import { retryTimer } from '../../workflows/contracts/process.contract.ts';
import { waitFor } from './wait-for.ts';

/** Every record that waits for a person or a date, by the id of its process; independent of the sweeper, which it checks. */
const liveSql = `
  select 'application/' || id as process from applications where status not in ('cancelled', 'closed')
  union all select 'document/' || id from documents where status in ('pending', 'changes') or (status = 'approved' and expires_at is not null)
  union all select 'profile/' || id from profiles where status in ('pending', 'changes') or photo_status in ('pending', 'changes')
  union all select 'invoice/' || id from invoices where next_ask_at is not null
  union all select 'event/' || id from events where status not in ('completed', 'cancelled')
  union all select 'agreement/' || id from contracts where status in ('generated', 'pending', 'rejected')
  union all select 'status-list/' || id from status_lists
  union all select 'webhook/' || id from webhooks where status = 'enabled'
  union all select 'national-export/' || id from national_exports where due_at is not null
  union all select 'account-erasure/' || id from account_erasures where due_at is not null
  union all select 'account-export/' || id from account_exports where due_at is not null
  union all select 'import/' || id from imports where due_at is not null
  union all select 'registration/' || r.id from registrations r
    join events e on e.id = r.event_id
    cross join (select now() + make_interval(secs => offset_seconds) as now from sandbox_clock) clock
    where r.status not in ('rejected', 'withdrawn')
      and (e.status = 'published' and greatest(e.ends_at, r.due_at) > clock.now or e.status = 'cancelled' and r.due_at is not null)`;

const recordProcesses = [
  'applicationLifecycle',
  'documentReview',
  'profileReview',
  'invoiceReconciliation',
  'eventStages',
  'agreement',
  'eventRegistration',
  'nationalExport',
  'accountErasure',
  'accountExport',
  'importRows',
  'statusList',
  'webhook',
]
  .map((type) => `'${type}'`)
  .join(', ');

/** A difference that lasts so long counts, milliseconds. */
const differenceMs = 60_000;
/** The last pause of a process whose own step has failed three times in a row (`pauseAfter` in `workflows/failures.ts`), milliseconds. */
export const longestPauseMs = 30_000;

interface Difference {
  missing: string[];
  idle: string[];
}

/**
 * Whether each live record has its running process, and each running process a record that needs it. The engine lists what runs a moment
 * later than it runs, so a difference must last to count. A process whose step failed while the world was away is given the rest of its
 * pause: its record may have been settled meanwhile, and nothing wakes it for that; it must end with its next try.
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
    const isFitting = ({ missing, idle }: Difference) => missing.length === 0 && idle.length === 0;
    const settle = (deadlineMs: number) =>
      waitFor(async () => (last = await compare()), isFitting, 'the processes to fit the record', deadlineMs).catch(() => undefined);
    await settle(differenceMs);
    const pauses = await Promise.all(last.idle.map((process) => pauseOf(engine, process)));
    if (last.missing.length === 0 && pauses.length > 0 && pauses.every((pauseMs) => pauseMs > 0))
      await settle(Math.min(Math.max(...pauses), longestPauseMs) + differenceMs);
    const idle = last.idle.map(
      async (process) => `${process} runs and has nothing to wait for, after ${await lastEvents(engine, process)}`,
    );
    return [...last.missing.map((process) => `${process} is live and its process is missing`), ...(await Promise.all(idle))];
  } finally {
    await owner.end();
    await connection.close();
  }
}

/** The last events of a process, which tell what it has missed. */
async function lastEvents(engine: EngineClient, process: string): Promise<string> {
  const { events } = await engine.workflow.getHandle(process).fetchHistory();
  const words = events?.slice(-12).map((event) => {
    const type = Object.keys(event).find((name) => name.endsWith('EventAttributes'));
    return `${type?.replace('EventAttributes', '')} ${new Date(requiredTsToMs(event.eventTime, 'eventTime')).toISOString()}`;
  });
  return words?.join(', ') ?? 'no event';
}

/** Milliseconds until a process tries again what has failed; 0 for one that waits for anything else. */
async function pauseOf(engine: EngineClient, process: string): Promise<number> {
  const { events } = await engine.workflow.getHandle(process).fetchHistory();
  const ended = new Set(
    events?.map(({ timerFiredEventAttributes: fired, timerCanceledEventAttributes: cancelled }) =>
      String((fired ?? cancelled)?.startedEventId),
    ),
  );
  const timer = events?.findLast(({ eventId, timerStartedEventAttributes: started }) => started && !ended.has(String(eventId)));
  const summary = timer?.userMetadata?.summary;
  if (!summary || defaultPayloadConverter.fromPayload(summary) !== retryTimer) return 0;
  const endsAt = requiredTsToMs(timer.eventTime, 'eventTime') + tsToMs(timer.timerStartedEventAttributes?.startToFireTimeout);
  return Math.max(0, endsAt - Date.now());
}
