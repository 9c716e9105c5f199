import { withTemporal } from '../bench/stack.ts';
import { TestClient } from '../support/client.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { findStaleDueDates } from '../support/stale-due-dates.ts';
import { compareProcesses, longestPauseMs } from '../support/live-processes.ts';
import { readStatusList } from '../support/credentials/status-list.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Accepted } from './applicant.ts';
import type { FaultStack } from './fault-stack.ts';

/** The rows of one applicant; each count must be exactly one. */
interface Found {
  applications: number;
  submitted: number;
  paid: number;
  issued: number;
  invoices: number;
  checked_out: number;
  charges: number;
  credits: number;
  reviews: number;
  status: string;
  number: string | null;
  token: string | null;
  balance: number;
}

const foundSql = `
  select (select count(*)::int from applications a where a.profile_id = $1) as applications,
    (select count(*)::int from audit_events e where e.action = 'application.submitted' and e.subject_id = $2::text) as submitted,
    (select count(*)::int from audit_events e where e.action = 'application.paid' and e.subject_id = $2::text) as paid,
    (select count(*)::int from audit_events e where e.action = 'application.approved' and e.subject_id = $2::text) as issued,
    (select count(*)::int from invoices i where i.owner_id = $3) as invoices,
    (select count(*)::int from audit_events e where e.action = 'invoice.checked_out' and e.subject_id = $4::text) as checked_out,
    (select count(*)::int from ledger_transactions t where t.application_id = $2::int and t.type = 'application_payment') as charges,
    (select count(*)::int from ledger_transactions t where t.invoice_id = $4::int and t.type = 'invoice_payment') as credits,
    (select count(*)::int from review_decisions d where d.subject_kind = 'document' and d.subject_id = $5) as reviews,
    (select a.status from applications a where a.id = $2::int) as status,
    (select c.number from certificates c where c.application_id = $2::int) as number,
    (select c.token from certificates c where c.application_id = $2::int) as token,
    (select w.balance_minor::float8 from wallets w where w.user_id = $3) as balance`;

/** Its process may be in the pause after a failed step, or its wake-up may be, with the same limit (`leaseMs` in the outbox). */
const approvalMs = longestPauseMs + 20_000;

const once = ['applications', 'submitted', 'paid', 'issued', 'invoices', 'checked_out', 'charges', 'credits', 'reviews'] as const;

/** Whether every accepted command is in effect exactly once, and nothing else. @returns a line for each error */
export async function findFaults(faultStack: FaultStack, accepted: Accepted[]): Promise<string[]> {
  const { baseUrl, stack } = faultStack;
  const faults: string[] = [];
  faults.push(...(await sweepAll(faultStack)));
  const tokens = new Map<string, number>();
  for (const one of accepted) {
    const found = await waitFor(
      () => look(faultStack, one),
      (seen) => seen.status === 'approved',
      `application ${one.applicationId} (${one.story}) to be approved`,
      approvalMs,
    ).catch(async (error: Error) => {
      faults.push(error.message);
      return look(faultStack, one);
    });
    const who = `application ${one.applicationId} (${one.story})`;
    for (const name of once) if (found[name] !== 1) faults.push(`${who}: ${name} is ${found[name]} and not 1`);
    const rest = one.toppedUpMinor - one.priceMinor;
    if (found.balance !== rest) faults.push(`${who}: the wallet holds ${found.balance} and not ${rest}`);
    if (found.token !== null) tokens.set(found.token, one.applicationId);
  }
  faults.push(...(await checkNumbers(faultStack)));
  faults.push(...(await checkVerification(baseUrl, tokens)));
  faults.push(...(await checkStatusLists(faultStack)));
  faults.push(...(await compareProcesses(stack.migrationDatabaseUrl, stack.temporalAddress, stack.config.TEMPORAL_NAMESPACE)));
  faults.push(...(await findBrokenInvariants(stack.migrationDatabaseUrl)), ...(await findStaleDueDates(stack.migrationDatabaseUrl)));
  return faults;
}

async function look({ sql }: FaultStack, { person, applicationId, invoiceId }: Accepted): Promise<Found> {
  const [found] = await sql<Found>(foundSql, [person.profileId, applicationId, person.userId, invoiceId, person.documentIds[1]]);
  if (!found) throw new Error('the database said nothing');
  return found;
}

/** Triggers all interrupted work at once, when all parts run again. */
async function sweepAll({ baseUrl, stack }: FaultStack): Promise<string[]> {
  const browser = new TestClient(baseUrl);
  let answer = await browser.post('/sandbox/sweep');
  // It says that it is safe to repeat: one of its pages may have been interrupted too often.
  for (let repeats = 0; answer.status === 503 && repeats < mostRepeats; repeats += 1) answer = await browser.post('/sandbox/sweep');
  if (answer.status === 200) return [];
  return [`a sweep got ${answer.bytes.toString()}`, ...(await listFailed(stack, "WorkflowType = 'sweep'")).slice(0, mostNamed)];
}

/** Repeats of refused sweeps in a verdict. */
const mostRepeats = 3;
/** Failed sweeps that a verdict names. */
const mostNamed = 3;

/** Workflows that failed, with their causes, the newest first. @param query which */
export async function listFailed(stack: FaultStack['stack'], query: string): Promise<string[]> {
  return withTemporal(stack, stack.config.TEMPORAL_NAMESPACE, async (client) => {
    const failed: string[] = [];
    for await (const { workflowId, runId } of client.workflow.list({ query: `ExecutionStatus = 'Failed' AND ${query}` })) {
      const cause = await client.workflow
        .getHandle(workflowId, runId)
        .result()
        .catch((error: Error) => error.cause ?? error);
      failed.push(`${workflowId} failed: ${String(cause)}`);
    }
    return failed;
  });
}

/** Running workflows whose task was tried more than once or that wait for an activity, with the attempts. */
export async function listBlocked(stack: FaultStack['stack']): Promise<string[]> {
  return withTemporal(stack, stack.config.TEMPORAL_NAMESPACE, async (client) => {
    const blocked: string[] = [];
    for await (const { workflowId, runId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
      const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
      const { pendingWorkflowTask: task, pendingActivities } = raw;
      const tries = [
        ...((task?.attempt ?? 0) > 1 ? [`task ${task?.attempt}`] : []),
        ...(pendingActivities ?? []).map(({ activityType, attempt }) => `${activityType?.name} ${attempt}`),
      ];
      if (tries.length > 0) blocked.push(`${workflowId} at attempt: ${tries.join(', ')}`);
    }
    return blocked;
  });
}

/** The numbers must be consecutive from 1. */
async function checkNumbers({ sql }: FaultStack): Promise<string[]> {
  const rows = await sql<{ number: string; year: number }>(
    `select number, year from certificates where number like 'KZ-N-%' order by number`,
  );
  return rows.flatMap(({ number, year }, index) => {
    const wanted = `KZ-N-${year}-${String(index + 1).padStart(6, '0')}`;
    return number === wanted ? [] : [`certificate number ${number} stands where ${wanted} should`];
  });
}

async function checkVerification(baseUrl: string, tokens: Map<string, number>): Promise<string[]> {
  const stranger = new TestClient(baseUrl);
  const faults: string[] = [];
  for (const [token, applicationId] of tokens) {
    const { status, body } = await stranger.get(`/verify/${token}`);
    if (status !== 200 || body.data.valid !== true || body.data.state !== 'valid')
      faults.push(`application ${applicationId}: its certificate verifies as ${status} ${JSON.stringify(body)}`);
  }
  return faults;
}

/** The values of a list for the states that its dates do not decide. */
const listedAs: Readonly<Record<string, number>> = {
  valid: 0,
  annulled: 1,
  under_correction: 2,
  under_review: 2,
  unpaid: 2,
  incomplete: 2,
};

/** Within a minute each place of a status list says what the online answer says (VER-12). */
export async function checkStatusLists({ baseUrl, sql }: Pick<FaultStack, 'baseUrl' | 'sql'>): Promise<string[]> {
  const stranger = new TestClient(baseUrl);
  const find = async () => {
    const places = await sql<{ number: string; token: string; list_id: number; place: number }>(
      'select number, token, list_id, place from credentials join certificates using (application_id) order by list_id',
    );
    const lists = new Map<number, Awaited<ReturnType<typeof readStatusList>>>();
    for (const id of new Set(places.map((one) => one.list_id))) lists.set(id, await readStatusList(baseUrl, id));
    const faults: string[] = [];
    for (const { number, token, list_id: id, place } of places) {
      const { state } = (await stranger.get(`/verify/${token}`)).body.data;
      const [wanted, listed] = [listedAs[state], lists.get(id)?.statusAt(place)];
      if (wanted !== undefined && listed !== wanted) faults.push(`${number}: ${state} online, ${listed} in status list ${id}`);
    }
    return faults;
  };
  return waitFor(find, (faults) => faults.length === 0, 'the status lists', 60_000).catch(find);
}
