import { type Area, type Asked, type Touched, touchedIds } from '../area.ts';
import { type Judgement, refuse } from '../judgement.ts';
import { dayOf, type Document, type Model, ownerOf } from '../model.ts';
import { decisionOn } from './profiles.ts';

/** Documents, by `docs/rules/documents.md`. */
export const documentsArea: Area = {
  judge(model, asked, now) {
    if (asked.operation === 'POST /documents') return judgeNewDocument(model, asked, dayOf(now));
    const decided = decisionOn(asked);
    if (decided?.kind !== 'document') return null;
    const document = model.documents.get(decided.id);
    if (!document) return refuse('not_found');
    if (decided.updated_at !== undefined) return 'open';
    return decided.decision === 'approve' && isPast(document, dayOf(now)) ? refuse() : 'accept';
  },

  saw(model, exchange) {
    const { operation, params, body, data, at } = exchange;
    if (operation === 'POST /documents') {
      const sent = body as { profile_id: number; type: string; expires_at?: string | null };
      const expiresAt = sent.expires_at ?? null;
      model.documents.set(data.id, {
        id: data.id,
        profileId: sent.profile_id,
        type: sent.type,
        status: 'pending',
        expiresAt,
        decidedOn: null,
      });
      return [{ kind: 'document', id: data.id }];
    }
    const decided = decisionOn(exchange);
    if (decided?.kind === 'document') {
      const document = model.documents.get(decided.id);
      if (!document) return [];
      document.status = ({ approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const)[decided.decision];
      document.decidedOn = dayOf(at);
      return withUsers(model, decided.id);
    }
    const document = model.documents.get(Number(params['id']));
    if (!document) return [];
    if (operation === 'PATCH /documents/{id}') {
      // Every change by the owner returns it to review (DOC-7).
      const { expires_at: expiresAt, type } = body as { expires_at?: string | null; type?: string };
      document.status = 'pending';
      if (expiresAt !== undefined) document.expiresAt = expiresAt;
      if (type !== undefined) document.type = type;
      return withUsers(model, document.id);
    }
    if (operation === 'PATCH /admin/records/document/{id}') {
      const { expires_at: expiresAt } = body as { expires_at?: string | null };
      if (expiresAt !== undefined) document.expiresAt = expiresAt;
      return [...withUsers(model, document.id), ...expire(model, document, dayOf(at))];
    }
    return [];
  },

  dayCame: (model, day) => [...model.documents.values()].flatMap((document) => expire(model, document, day)),

  async ask({ model, asOwner, asAdministrator, eventually, same }, touched) {
    for (const id of touchedIds(touched, 'document')) {
      const document = model.documents.get(id);
      if (!document) continue;
      await eventually(async () => {
        const seen = await asOwner(ownerOf(model, document.profileId), 'GET /documents/{id}', { params: { id } });
        if (seen.status === 200) same(`document ${id} stands as it was left (DOC-1, DOC-2, DOC-7)`, document.status, seen.data.status);
        const queue = await asAdministrator('GET /admin/queue', { query: '?kind=document&limit=100' });
        const isQueued = (queue.data as { id: number }[]).some((row) => row.id === id);
        same(`document ${id} is in the queue while it waits for an administrator (REV-3)`, document.status === 'pending', isQueued);
      });
    }
  },
};

/** A document ends with its last day; a refused one and one that was returned after that day keep their decision (DOC-1). */
function expire(model: Model, document: Document, day: string): Touched[] {
  if (!isPast(document, day) || document.status === 'expired' || document.status === 'cancelled') return [];
  if (document.status === 'changes' && document.decidedOn !== null && isPast(document, document.decidedOn)) return [];
  document.status = 'expired';
  for (const application of model.applications.values()) {
    const isLive = application.status === 'submitted' || application.status === 'approved';
    if (isLive && application.documentIds.includes(document.id)) application.status = 'changes';
  }
  return withUsers(model, document.id);
}

/** Whether the last day is over on a day. */
export function isPast({ expiresAt }: Pick<Document, 'expiresAt'>, day: string): boolean {
  return expiresAt !== null && day > expiresAt;
}

function withUsers(model: Model, documentId: number): Touched[] {
  const users = [...model.applications.values()].filter(({ documentIds }) => documentIds.includes(documentId));
  return [{ kind: 'document', id: documentId }, ...users.map(({ id }) => ({ kind: 'application' as const, id }))];
}

/** A paper for an own profile, which is still valid today (DOC-4). */
function judgeNewDocument(model: Model, { body, by }: Asked, today: string): Judgement {
  const { profile_id: profileId, expires_at: expiresAt } = body as { profile_id: number; expires_at?: string };
  if (!model.profiles.has(profileId) || ownerOf(model, profileId) !== by.accountId) return refuse();
  return expiresAt !== undefined && expiresAt < today ? refuse() : 'open';
}
