import { createHash } from 'node:crypto';
import { type Area, type Touched, touchedIds } from '../area.ts';
import type { AdditionalDocument } from './competition-records.ts';
import { isLivingEvent } from './competitions-of.ts';
import type { Exchange } from '../exchange.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import { type Model, ownerOf } from '../model.ts';
import { forgetVersion, versionStands } from './versions.ts';
import { ofOwner } from './competition-judgement.ts';
import { type Decision, decisionOn } from '../applications/profiles.ts';

const mostOfEvent = 100;
const after = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;

/** Bulletins, schemes and other documents of events (EVT-10). */
export const additionalDocumentsArea: Area = {
  records: ['additional_document'],
  notifies: ['additional_document'],

  judge(model, asked) {
    const id = Number(asked.params['id']);
    const decided = decisionOn(asked);
    if (decided?.kind === 'additional_document') return judgeDecision(model, decided);
    if (asked.operation === 'POST /events/{id}/additional-documents')
      return ofOwner(model, asked, id, (event) => {
        if (!isLivingEvent(event)) return refuse('invalid_state');
        const { file_id: fileId } = asked.body as { file_id: string };
        if (model.files.get(fileId)?.ownerId !== asked.by.accountId) return refuse('validation_failed');
        return documentsOfEvent(model, id).length < mostOfEvent ? 'accept' : refuse('quota_exceeded');
      });
    if (asked.operation === 'DELETE /events/{id}/additional-documents/{document_id}')
      return ofOwner(model, asked, id, (event) => {
        if (model.additionalDocuments.get(Number(asked.params['document_id']))?.eventId !== id) return refuse('not_found');
        return isLivingEvent(event) ? 'accept' : refuse('invalid_state');
      });
    return null;
  },

  saw(model, exchange) {
    const { operation, params } = exchange;
    if (operation === 'POST /events/{id}/additional-documents') return add(model, exchange);
    if (operation === 'DELETE /events/{id}/additional-documents/{document_id}') {
      model.additionalDocuments.delete(Number(params['document_id']));
      model.noted(exchange, 'additional_document.deleted', 'additional_document', Number(params['document_id']));
      return [
        { kind: 'event', id: Number(params['id']) },
        { kind: 'additional_document', id: Number(params['document_id']) },
      ];
    }
    const decided = decisionOn(exchange);
    const document = decided?.kind === 'additional_document' ? model.additionalDocuments.get(decided.id) : undefined;
    return decided && document ? decide(model, document, decided, exchange) : [];
  },

  async ask(inquiry, touched) {
    for (const id of touchedIds(touched, 'additional_document')) await inquiry.eventually(() => askDocument(inquiry, id));
  },
};

function documentsOfEvent(model: Model, eventId: number): AdditionalDocument[] {
  return [...model.additionalDocuments.values()].filter((document) => document.eventId === eventId);
}

function judgeDecision(model: Model, { id, updated_at: version }: Decision): Judgement {
  if (!model.additionalDocuments.has(id)) return refuse('not_found');
  return versionStands(model, `additional_document/${id}`, version) ? 'accept' : refuse('stale_revision');
}

function add(model: Model, exchange: Exchange): Touched[] {
  const { params, body, data } = exchange;
  const { file_id: fileId, title } = body as { file_id: string; title: string };
  const id = data.document_id;
  model.additionalDocuments.set(id, { id, eventId: Number(params['id']), fileId, title, status: 'pending', note: null });
  model.noted(exchange, 'additional_document.added', 'additional_document', id);
  return [{ kind: 'additional_document', id }];
}

/** An administrator decides at any time, so that what is public can be withdrawn; a repeat changes nothing (NOT-1). */
function decide(model: Model, document: AdditionalDocument, { decision, note }: Decision, exchange: Exchange): Touched[] {
  const [status, given] = [after[decision], decision === 'approve' ? null : (note ?? null)];
  if (document.status === status && document.note === given) return [];
  Object.assign(document, { status, note: given });
  forgetVersion(model, `additional_document/${document.id}`);
  const ownerId = ownerOf(model, model.events.get(document.eventId)?.profileId ?? 0);
  model.noted(exchange, `additional_document.${status}`, 'additional_document', document.id);
  model.expectNotified(ownerId, `additional_document.${status}`, document.id);
  return [
    { kind: 'additional_document', id: document.id },
    { kind: 'event', id: document.eventId },
    { kind: 'account', id: ownerId },
  ];
}

async function askDocument({ model, asOwner, asAdministrator, publicly, same }: Inquiry, id: number): Promise<void> {
  const document = model.additionalDocuments.get(id);
  const event = document && model.events.get(document.eventId);
  const queue = await asAdministrator('GET /admin/queue', { query: '?kind=additional_document&limit=100' });
  const isQueued = (queue.data as { id: number }[]).some((row) => row.id === id);
  // Whether a bulletin still waits after its event is over, the rules do not say.
  if (!event || isLivingEvent(event))
    same(`bulletin ${id} is in the queue while it waits (EVT-10, REV-3)`, document?.status === 'pending', isQueued);
  if (!document || !event) return;
  const list = await asOwner(ownerOf(model, event.profileId), 'GET /events/{id}/additional-documents', {
    params: { id: event.id },
    query: '?limit=100',
  });
  if (list.status === 200) {
    const shown = (list.data as { document_id: number; status: string; review_note: string | null }[]).map((row) => ({
      id: row.document_id,
      status: row.status,
      note: row.review_note,
    }));
    const known = documentsOfEvent(model, event.id).map(({ id: own, status, note }) => ({ id: own, status, note }));
    same(
      `the bulletins of event ${event.id} stand as they were decided (EVT-10, REV-2)`,
      known.toSorted((left, right) => left.id - right.id),
      shown,
    );
  }
  const isPublic = event.wasPublished && document.status === 'approved';
  const answer = await publicly('GET /events/public/{id}/documents/additional/{document_id}', {
    params: { id: event.id, document_id: id },
  });
  same(`bulletin ${id} is public once it is approved and its event was published (EVT-10)`, isPublic ? 200 : 404, answer.status);
  const file = model.files.get(document.fileId);
  if (isPublic && file?.mime === 'application/pdf')
    same(`the public bulletin ${id} is the approved file`, file.sha256, createHash('sha256').update(answer.bytes).digest('hex'));
}
