import { type Area, type Asked, type Touched } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Application } from '../applications/application-records.ts';
import { dayOf } from '../days.ts';
import type { Model } from '../model.ts';
import { isExplained } from '../competitions/competition-judgement.ts';
import { isLiving, isOver } from '../applications/ends.ts';
import { serviceOf } from '../applications/readiness.ts';
import { takeOverDecision } from '../applications/decided.ts';
import { askAllNational, askLists, type ExportList } from './national-questions.ts';

export type NationalList = 'review' | ExportList;

const most = 200;
const changing = /^POST \/admin\/national\/lists\/(review|insurance|print)$/;
const exporting = /^POST \/admin\/national\/lists\/(insurance|print)\/export$/;
const bulk = 'POST /admin/national/lists/review/review';

interface Change {
  operation: 'add' | 'remove' | 'clear' | 'auto';
  ids?: number[];
  year?: number;
}

/** What the rules say of a change, by its body; a race is not judged. */
const judged = new WeakMap<object, { ids: number[]; added: number; removed: number; skipped: number[] }>();

/** National lists, by `docs/rules/national.md`. */
export const nationalArea: Area = {
  records: ['national_list'],

  judge(model, asked) {
    const { operation, by, body } = asked;
    const list = (changing.exec(operation) ?? exporting.exec(operation))?.[1] as NationalList | undefined;
    if (list === undefined && operation !== bulk) return null;
    if (model.accounts.get(by.accountId)?.role !== 'administrator') return refuse('forbidden', 'insufficient_scope', 'unauthenticated');
    if (operation === bulk) return judgeBulk(body);
    if (exporting.test(operation)) return judgeExport(model, asked, list as ExportList);
    const change = body as Change;
    if (change.ids !== undefined && (change.ids.length === 0 || change.ids.length > most)) return refuse('validation_failed');
    judged.set(body as object, changed(model, listOf(model, by.accountId, list ?? 'review'), list ?? 'review', change));
    return 'accept';
  },

  saw(model, exchange) {
    const { operation, by } = exchange;
    const list = changing.exec(operation)?.[1] as NationalList | undefined;
    if (list !== undefined) return takeOverChange(model, exchange, list);
    if (operation === bulk) return takeOverBulk(model, exchange);
    if (!exporting.test(operation) || exchange.data.status !== 'ready') return [];
    const { list: exported, id } = exchange.data as { list: ExportList; id: number };
    const left = new Set((exchange.data.not_marked as { id: number }[]).map((one) => one.id));
    const ids = [...new Set((exchange.body as { ids: number[] }).ids)];
    model.nationalFiles.set(id, ids);
    model.nationalFilesMadeAt.set(id, exchange.at);
    for (const one of ids)
      if (!left.has(one)) model.nationalExports[exported].set(one, (model.nationalExports[exported].get(one) ?? 0) + 1);
    return [
      { kind: 'national_export', id },
      { kind: 'national_list', id: by.accountId },
    ];
  },

  ask: askLists,
  askAll: askAllNational,
};

/** An administrator's own list, in the order of addition (NAT-1). */
export function listOf(model: Model, administratorId: number, list: NationalList): number[] {
  return model.nationalLists.get(`${administratorId}/${list}`) ?? [];
}

/** Whether an application fits a list (NAT-2, APP-21). */
export function isFit(model: Model, application: Application | undefined, list: NationalList): boolean {
  if (!application || serviceOf(model, application).kind !== 'national_certificate') return false;
  if (list === 'review') return ['submitted', 'changes', 'approved'].includes(application.status);
  return application.certificate !== null && application.status !== 'cancelled' && (application.isPaid || application.amount === 0);
}

function changed(model: Model, before: readonly number[], list: NationalList, { operation, ids = [], year }: Change) {
  const wanted = [...new Set(ids)];
  if (operation === 'clear') return { ids: [], added: 0, removed: before.length, skipped: [] };
  if (operation === 'remove') {
    const left = before.filter((id) => !wanted.includes(id));
    return { ids: left, added: 0, removed: before.length - left.length, skipped: [] };
  }
  const fresh = operation === 'auto' ? automatic(model, before, list, year ?? 0) : wanted.filter((id) => !before.includes(id));
  const fitting = fresh.filter((id) => isFit(model, model.applications.get(id), list)).slice(0, most - before.length);
  const skipped = operation === 'auto' ? [] : fresh.filter((id) => !fitting.includes(id));
  return { ids: [...before, ...fitting], added: fitting.length, removed: 0, skipped };
}

/** The oldest fit records of a year that were never exported for this list; for review, the oldest submitted ones (NAT-3). */
function automatic(model: Model, before: readonly number[], list: NationalList, year: number): number[] {
  const ofYear = [...model.applications.values()].filter((one) => one.year === year && isFit(model, one, list) && !before.includes(one.id));
  const waiting =
    list === 'review'
      ? ofYear.filter(({ status }) => status === 'submitted')
      : ofYear.filter(({ id }) => !model.nationalExports[list].has(id));
  return waiting.map(({ id }) => id).toSorted((left, right) => left - right);
}

/** How the audit names each change of a list. */
const pastOf = { add: 'added', auto: 'filled', remove: 'removed', clear: 'cleared' } as const;

function takeOverChange(model: Model, exchange: Exchange, list: NationalList): Touched[] {
  const { by, body, data } = exchange;
  const expected = judged.get(body as object);
  judged.delete(body as object);
  const seen = {
    ids: inOrder(data.ids),
    added: data.added,
    removed: data.removed,
    skipped: inOrder((data.skipped as { id: number }[]).map(({ id }) => id)),
  };
  if (expected) {
    const wanted = { ...expected, ids: inOrder(expected.ids), skipped: inOrder(expected.skipped) };
    if (JSON.stringify(wanted) !== JSON.stringify(seen))
      throw new Finding(`${JSON.stringify(body)} changes the list ${list} by the rules (NAT-1, NAT-2, NAT-3)`, wanted, seen);
  }
  if (data.added + data.removed > 0) model.noted(exchange, `national_list.${pastOf[(body as Change).operation]}`, 'national_list', list);
  model.nationalLists.set(`${by.accountId}/${list}`, data.ids);
  return [{ kind: 'national_list', id: by.accountId }];
}

const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);

/** Records that no longer fit refuse the whole, then ids that differ from the list (NAT-4). */
function judgeExport(model: Model, { by, body }: Asked, list: ExportList): Judgement {
  const ids = [...new Set((body as { ids: number[] }).ids)];
  if (ids.length === 0 || ids.length > most) return refuse('validation_failed');
  const known = ids.filter((id) => model.applications.has(id));
  if (known.some((id) => !isFit(model, model.applications.get(id), list))) return refuse('export_not_possible');
  const stored = listOf(model, by.accountId, list);
  return stored.length === ids.length && ids.every((id) => stored.includes(id)) ? 'accept' : refuse('selection_changed');
}

interface BulkReview {
  ids: number[];
  decision: 'approve' | 'changes' | 'cancel';
  note?: string;
}

function judgeBulk(body: unknown): Judgement {
  const { ids, decision, note } = body as BulkReview;
  const isUnexplained = decision !== 'approve' && !isExplained(note);
  return isUnexplained || ids.length === 0 || ids.length > most ? refuse('validation_failed') : 'accept';
}

/** Each record is decided by itself; the answer names each once, and decided ones leave the review list (NAT-7). */
function takeOverBulk(model: Model, exchange: Exchange): Touched[] {
  const { ids, decision } = exchange.body as BulkReview;
  model.changes.separate.add(exchange.requestId);
  const { succeeded, failed } = exchange.data as { succeeded: number[]; failed: { id: number; code: string }[] };
  const named = [...succeeded, ...failed.map(({ id }) => id)];
  const unique = [...new Set(ids)];
  if (JSON.stringify(inOrder(named)) !== JSON.stringify(inOrder(unique)))
    throw new Finding('a bulk review names each record once (NAT-7)', inOrder(unique), inOrder(named));
  for (const id of unique) {
    const wanted = outcomeOf(model, id, decision, exchange.at);
    if (wanted !== null && wanted !== succeeded.includes(id))
      throw new Finding(
        `${decision} of application ${id} in a bulk review is decided by the rules (NAT-7)`,
        wanted ? 'succeeded' : 'failed',
        exchange.data,
      );
  }
  const key = `${exchange.by.accountId}/review`;
  const before = model.nationalLists.get(key) ?? [];
  const left = before.filter((id) => !succeeded.includes(id));
  if (left.length < before.length) model.happened('national_list.reviewed', 'national_list', 'review');
  model.nationalLists.set(key, left);
  const touched = succeeded.flatMap((id) => takeOverDecision(model, exchange, id));
  return [...touched, { kind: 'national_list', id: exchange.by.accountId }];
}

/** Whether a decision on an application must succeed; null where the rules leave it open. */
function outcomeOf(model: Model, id: number, decision: BulkReview['decision'], at: Date): boolean | null {
  const application = model.applications.get(id);
  if (!application || serviceOf(model, application).kind !== 'national_certificate') return false;
  if (isOver(model, application, dayOf(at)) || application.status === 'changes') return null;
  if (!isLiving(application)) return decision === 'cancel' ? null : false;
  if (application.status === 'draft') return false;
  if (decision !== 'approve') return true;
  // One that is ready was approved by the registry.
  return application.status === 'submitted' ? false : null;
}
