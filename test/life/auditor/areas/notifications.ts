import { type Area, touchedIds } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { type Model, ownerOf } from '../model.ts';
import { type Decision, decisionOn } from './profiles.ts';

const statusAfter = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;

/** Notifications of decisions, by `docs/rules/notifications.md`. It sees a decision before the areas take it over. */
export const notificationsArea: Area = {
  saw(model, exchange) {
    const decided = decisionOn(exchange);
    if (!decided || !namedByDecision.has(decided.kind) || isRepeat(model, decided, exchange)) return [];
    const ownerId = ownerOfRecord(model, decided);
    if (ownerId === null) return [];
    notifyOnce(model, ownerId, `${decided.kind}.${statusAfter[decided.decision]}`, decided.id);
    return [{ kind: 'account', id: ownerId }];
  },

  async ask({ model, asOwner, same }, touched) {
    for (const id of touchedIds(touched, 'account')) {
      const expected = model.notified.get(id);
      if (!expected) continue;
      const list = await asOwner(id, 'GET /notifications', { query: '?limit=100' });
      if (list.status !== 200 || list.meta.total > 100) continue;
      const counts = new Map<string, number>();
      for (const { type, subject } of list.data as { type: string; subject: { id: string } }[]) addOne(counts, `${type} ${subject.id}`);
      for (const [name, times] of expected)
        same(`account ${id} was notified of ${name} once for each decision (NOT-1)`, times, counts.get(name) ?? 0);
    }
  },
};

/** Kinds of records whose owner learns of every decision that is no repeat. */
const namedByDecision: ReadonlySet<string> = new Set(['profile', 'photo', 'document', 'application']);

/** Notes that an account is notified of a fact, once more. */
export function notifyOnce(model: Model, accountId: number, type: string, id: number): void {
  const ofAccount = model.notified.get(accountId) ?? new Map<string, number>();
  model.notified.set(accountId, ofAccount);
  addOne(ofAccount, `${type} ${id}`);
}

/** A repeated identical decision on an unchanged record writes nothing (NOT-1). */
function isRepeat(model: Model, { kind, id, decision }: Decision, { body }: Exchange): boolean {
  const { note = null } = body as { note?: string | null };
  const given = decision === 'approve' ? null : note;
  const isSame = model.lastNotes.has(`${kind}/${id}`) && model.lastNotes.get(`${kind}/${id}`) === given;
  model.lastNotes.set(`${kind}/${id}`, given);
  return isSame && statusOf(model, kind, id) === statusAfter[decision];
}

function statusOf(model: Model, kind: string, id: number): string | undefined {
  if (kind === 'document') return model.documents.get(id)?.status;
  if (kind === 'application') return model.applications.get(id)?.status;
  return kind === 'photo' ? model.profiles.get(id)?.photo?.status : model.profiles.get(id)?.data.status;
}

function ownerOfRecord(model: Model, { kind, id }: Decision): number | null {
  const document = kind === 'document' ? model.documents.get(id) : undefined;
  if (document) return ownerOf(model, document.profileId);
  const profileId = kind === 'application' ? model.applications.get(id)?.profileId : id;
  return profileId === undefined ? null : (model.profiles.get(profileId)?.ownerId ?? null);
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
