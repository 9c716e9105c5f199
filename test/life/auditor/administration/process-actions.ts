import { isExplained } from '../competitions/competition-judgement.ts';
import type { Area, Asked, Touched } from '../area.ts';
import { actorOf, type Exchange } from '../exchange.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse, refuseWith } from '../judgement.ts';
import type { Model } from '../model.ts';
import { expectedProcess, isKnownKind } from './expected-processes.ts';
import { askOverview } from './overview.ts';
import { askProcesses, askProcessFilters } from './process-list.ts';

const act = 'POST /admin/processes/{kind}/{id}/actions';

/** For how long a read tells that a workflow runs, milliseconds. */
const freshMs = 5000;

export type ProcessActionName = 'retry' | 'ask_bank' | 'restart';

interface SentAction {
  action: ProcessActionName;
  reason: string;
}

/** An action as the list shows it. */
export interface ProcessAction {
  workflow_id: string;
  action: ProcessActionName;
  reason: string;
  actor_id: number;
  request_id: string;
}

/** Processes of records, and what administrators do with them (ADM-3, ADM-4). */
export const processesArea: Area = {
  records: ['process'],

  judge: (model, asked, now) => (asked.operation === act ? judgeAction(model, asked, now) : null),

  saw(model, exchange) {
    if (exchange.operation !== act) return [];
    const { kind, id, name } = refOf(exchange);
    const { action, reason } = exchange.body as SentAction;
    const { workflow_id: shown } = exchange.data as { workflow_id: string };
    model.processes.answers.push({ asked: name, shown });
    model.processes.actions.push({ workflow_id: name, action, reason, actor_id: actorOf(exchange.by), request_id: exchange.requestId });
    model.noted(exchange, `process.${action}`, subjects[kind] ?? kind, id);
    // The bank is asked as by the owner (WAL-15).
    if (action === 'ask_bank')
      model.facts.push({
        action: 'invoice.verified',
        subject: `invoice/${id}`,
        by: exchange.by,
        requestIds: [exchange.requestId],
        isCertain: false,
      });
    const touched = touchedKinds[kind];
    return touched === undefined ? [] : [{ kind: touched, id }];
  },

  read(model, exchange) {
    noteHealth(model, exchange);
  },

  async ask(inquiry) {
    const { model, same } = inquiry;
    for (const { asked, shown } of model.processes.answers.splice(0))
      same('the answer to an action shows its process (ADM-4)', asked, shown);
    if (model.processes.asked === model.processes.actions.length) return;
    model.processes.asked = model.processes.actions.length;
    const { data, meta } = await inquiry.asAdministrator('GET /admin/processes/actions', { query: '?limit=5' });
    const actions = model.processes.actions.toReversed();
    same(
      'the list of actions has each with its reason, newest first (ADM-4)',
      actions.slice(0, 5),
      (data as ProcessAction[]).map(shownAction),
    );
    same('the list of actions counts them (ADM-4)', actions.length, meta.total);
  },

  async askAll(inquiry) {
    await askActions(inquiry);
    await askProcesses(inquiry);
    await askProcessFilters(inquiry);
    await askOverview(inquiry);
  },
};

/** A reason, a known record, and an action that fits its state (ADM-4). */
function judgeAction(model: Model, asked: Asked, now: Date): Judgement {
  const { kind, id, name } = refOf(asked);
  const { action, reason } = asked.body as SentAction;
  if (!isExplained(reason)) return refuse('validation_failed');
  if (kind === 'delivery') {
    if (!model.accounts.has(id)) return refuse('not_found');
    // Mails go out at any moment.
    return action === 'retry' ? 'open' : refuse('invalid_state');
  }
  // A transfer is over with its answer.
  if (kind === 'ownership-transfer') return refuse(model.profiles.has(id) ? 'invalid_state' : 'not_found');
  if (!isKnownKind(kind)) return kind === 'captcha' ? refuse('not_found') : 'open';
  const expected = expectedProcess(model, kind, id, now);
  if (expected === null) return refuse('not_found');
  if (kind === 'webhook') return 'open';
  if (action === 'ask_bank') return judgeQuestion(model, kind, id);
  if (expected.isLiving === false) return refuseWith('invalid_state', { status: 'over', ...(kind === 'invoice' ? {} : { allowed: [] }) });
  if (expected.isLiving === null) return 'open';
  if (action === 'retry') return kind === 'invoice' ? 'open' : 'accept';
  const health = model.processes.health.get(name);
  const isHealthy = health !== undefined && health.runs && health.listed && now.getTime() - health.at.getTime() < freshMs;
  if (!isHealthy) return 'open';
  return refuseWith('invalid_state', { allowed: kind === 'invoice' ? ['retry', 'ask_bank'] : ['retry'] });
}

/** The bank is asked about an invoice that it can still settle (WAL-13, ADM-4). */
function judgeQuestion(model: Model, kind: string, id: number): Judgement {
  if (kind !== 'invoice') return refuse('invalid_state');
  const invoice = model.invoices.get(id);
  if (!invoice || (invoice.bankSays !== null && !invoice.isCredited && invoice.status !== 'mismatch')) return 'open';
  if (invoice.status === 'paid' || invoice.status === 'mismatch') return refuse('invalid_state');
  return invoice.unanswered === 0 ? 'accept' : 'open';
}

function refOf({ params }: Pick<Asked, 'params'>) {
  const [kind, id] = [String(params['kind']), Number(params['id'])];
  return { kind, id, name: `${kind}/${id}` };
}

/** Names of records in the audit, where they differ from the kind of the process. */
const subjects: Readonly<Record<string, string>> = {
  agreement: 'contract',
  delivery: 'user',
  'status-list': 'status_list',
  'national-export': 'national_export',
};

const touchedKinds: Readonly<Record<string, Touched['kind']>> = {
  application: 'application',
  document: 'document',
  profile: 'profile',
  invoice: 'invoice',
  event: 'event',
  agreement: 'contract',
  registration: 'registration',
};

/** The routes that show an administrator the workflow of a record, by the kind of its process. */
export const processRoutes: Readonly<Record<string, string>> = {
  application: 'GET /admin/records/application/{id}',
  document: 'GET /admin/records/document/{id}',
  profile: 'GET /admin/records/profile/{id}',
  invoice: 'GET /invoices/{id}',
  event: 'GET /events/{id}',
  agreement: 'GET /contracts/{id}',
  registration: 'GET /event-registrations/{id}',
};

/** Notes which workflows run, as a record's answer says, and which processes the list calls well. */
function noteHealth(model: Model, { operation, query, data, at }: Exchange): void {
  const note = (name: string, fact: { runs: boolean } | { listed: boolean }) => {
    const { runs = false, listed = false } = model.processes.health.get(name) ?? {};
    model.processes.health.set(name, { runs, listed, ...fact, at });
  };
  if (operation === 'GET /admin/processes' && query.includes('q=')) {
    for (const { workflow_id: name, state } of data as { workflow_id: string; state: string }[])
      note(name, { listed: state === 'waiting' });
    return;
  }
  if (!Object.values(processRoutes).includes(operation)) return;
  const process = (data as { process?: { workflow_id: string; status: string; waiting_for: string | null } }).process;
  if (process) note(process.workflow_id, { runs: process.status === 'running' && process.waiting_for !== 'support' });
}

/** All actions of the life, and those on one process alone (ADM-4). */
async function askActions({ model, listed, same }: Inquiry): Promise<void> {
  const rows = await listed<ProcessAction>('GET /admin/processes/actions');
  const actions = model.processes.actions.toReversed();
  same('the list of actions has each of the life (ADM-4)', actions, rows.map(shownAction));
  const [latest] = actions;
  if (!latest) return;
  const { workflow_id: name } = latest;
  const ofOne = await listed<ProcessAction>('GET /admin/processes/actions', `?process=${name}`);
  same(
    `the list of actions on ${name} (ADM-4)`,
    actions.filter((action) => action.workflow_id === name),
    ofOne.map(shownAction),
  );
}

function shownAction({ workflow_id, action, reason, actor_id, request_id }: ProcessAction): ProcessAction {
  return { workflow_id, action, reason, actor_id, request_id };
}
