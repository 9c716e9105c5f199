import { createRandom } from '../../../support/random.ts';
import { followTouched } from '../applications/applications.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { expectedProcess, idsOf, isKnownKind, type KnownKind, knownKinds } from './expected-processes.ts';

/** A process as the list shows it. */
export interface ListedProcess {
  workflow_id: string;
  kind: string;
  id: number;
  state: string;
  waiting_for: string | null;
  next_timer_at: string | null;
}

/** States in the order of the list. */
const states = ['stuck', 'failed', 'running', 'waiting'] as const;
/** The clock shows a due step as due now. */
const clockMs = 2000;

const list = 'GET /admin/processes';
const namesOf = (rows: readonly ListedProcess[]) => rows.map(({ workflow_id: name }) => name);

/** Each living record has its process in the list, with its party, and nothing else is listed (ADM-3). @throws {Finding} */
export async function askProcesses(inquiry: Inquiry): Promise<ListedProcess[]> {
  let rows: ListedProcess[] = [];
  await inquiry.eventually(async () => {
    await followTouched(inquiry, inquiry.model.everything());
    rows = await inquiry.listed<ListedProcess>(list);
    compareList(inquiry, rows);
  });
  return rows;
}

function compareList({ model, now, same }: Inquiry, rows: readonly ListedProcess[]): void {
  same('the list of processes shows each once (ADM-3)', rows.length, new Set(namesOf(rows)).size);
  for (const kind of knownKinds) {
    const listed = new Set(rows.flatMap((row) => (row.kind === kind ? [row.id] : [])));
    const missing = idsOf(model, kind).filter((id) => expectedProcess(model, kind, id, now)?.isLiving === true && !listed.has(id));
    same(`each living ${kind} has its process in the list (ADM-3)`, [], missing);
    const strange = [...listed].filter((id) => (expectedProcess(model, kind, id, now) ?? { isLiving: false }).isLiving === false);
    same(`the list has no process of a ${kind} that waits for nothing (ADM-3)`, [], strange);
  }
  for (const row of rows) compareRow(row);
  const order = rows.map(({ state }) => states.findIndex((name) => name === state));
  same(
    'the list of processes begins with those that need an administrator (ADM-3)',
    order.toSorted((left, right) => left - right),
    order,
  );

  function compareRow(row: ListedProcess): void {
    const { workflow_id: name, kind, id, state, waiting_for: party, next_timer_at: timer } = row;
    same(`the process of ${kind} ${id} has its name (ADM-3)`, `${kind}/${id}`, name);
    const expected = isKnownKind(kind) ? expectedProcess(model, kind, id, now) : null;
    if (expected?.isLiving !== true) return;
    if (expected.waitingFor !== undefined && state === 'waiting')
      same(`the process ${name} waits for the party whose turn it is (ADM-3)`, expected.waitingFor, party);
    const latest = expected.wakesUntil ?? null;
    if (latest === null) return;
    const isInTime = timer !== null && Date.parse(timer) <= Math.max(latest, now.getTime()) + clockMs;
    if (!isInTime)
      throw new Finding(`the process ${name} looks at its record at the latest when a date of it ends`, new Date(latest), timer);
  }
}

/** Filters and search of the list take what they name, and the overview counts the same processes (ADM-3). @throws {Finding} */
export async function askProcessFilters(inquiry: Inquiry): Promise<void> {
  const { model, now, listed, asAdministrator, eventually, same } = inquiry;
  await eventually(async () => {
    const rows = await listed<ListedProcess>(list);
    for (const state of states) {
      const chosen = rows.filter((row) => row.state === state);
      const found = await listed<ListedProcess>(list, `?state=${state}`);
      same(`the filter of the state ${state} (ADM-3)`, namesOf(chosen), namesOf(found));
    }
    for (const kind of new Set(rows.map((row) => row.kind))) {
      const chosen = rows.filter((row) => row.kind === kind);
      same(`the filter of the kind ${kind} (ADM-3)`, namesOf(chosen), namesOf(await listed<ListedProcess>(list, `?kind=${kind}`)));
    }
    const { processes } = (await asAdministrator('GET /admin/overview')).data;
    const countOf = (...names: string[]) => rows.filter((row) => names.includes(row.state)).length;
    same(
      'the overview counts the processes of the list (ADM-3)',
      { stuck: countOf('stuck'), failed: countOf('failed'), others: countOf('running', 'waiting') },
      { stuck: processes.stuck, failed: processes.failed, others: processes.running + processes.waiting },
    );
    const someone = rows[createRandom(rows.length).between(0, Math.max(0, rows.length - 1))];
    if (someone) {
      const found = namesOf(await listed<ListedProcess>(list, `?q=${someone.workflow_id}`));
      same('a search by kind and id finds the process alone (ADM-3)', [someone.workflow_id], found);
      const alike = namesOf(await listed<ListedProcess>(list, `?q=${someone.id}`));
      same(
        'a search by id finds the processes of all records with it (ADM-3)',
        sorted(namesOf(rows.filter(({ id }) => id === someone.id))),
        sorted(alike),
      );
    }
  });
  const ended = knownKinds.flatMap((kind) => endedOf(kind).slice(0, 1));
  for (const name of ended)
    same(
      `a search finds no process of ${name}, which waits for nothing (ADM-3)`,
      [],
      namesOf(await listed<ListedProcess>(list, `?q=${name}`)),
    );

  function endedOf(kind: KnownKind): string[] {
    return idsOf(model, kind).flatMap((id) => (expectedProcess(model, kind, id, now)?.isLiving === false ? [`${kind}/${id}`] : []));
  }
}

const sorted = (names: readonly string[]) => names.toSorted((left, right) => left.localeCompare(right));
