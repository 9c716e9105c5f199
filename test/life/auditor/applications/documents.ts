import { type Area, type Touched, touchedIds } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { refuse } from '../judgement.ts';
import type { Document } from './application-records.ts';
import { dayOf } from '../days.ts';
import { askFile } from '../files/file-uses.ts';
import { type Model, ownerOf } from '../model.ts';
import { isOver } from './ends.ts';
import { countsIn, isPast, judgedDay } from './readiness.ts';
import { type Decision, decisionOn, past, statusAfter } from './decisions.ts';
import { judgeChange, judgeCorrection, judgeDecision, judgeNew } from './document-judgement.ts';

/** What a request may say of a document. */
export interface Sent {
  profile_id: number;
  type?: string;
  file_id?: string;
  number?: string | null;
  country?: string | null;
  issued_at?: string | null;
  expires_at?: string | null;
  updated_at?: string;
}

/** Documents, by `docs/rules/documents.md`. */
export const documentsArea: Area = {
  records: ['document'],
  notifies: ['document'],

  judge(model, asked, now) {
    const { operation, params } = asked;
    const document = model.documents.get(Number(params['id']));
    switch (operation) {
      case 'POST /documents':
        return judgeNew(model, asked, dayOf(now));
      case 'PATCH /documents/{id}':
        return document ? judgeChange(model, document, asked, dayOf(now)) : refuse('not_found');
      case 'PATCH /admin/records/document/{id}':
        return document ? judgeCorrection(model, document, asked, dayOf(now)) : refuse('not_found');
      default: {
        const decided = decisionOn(asked);
        return decided?.kind === 'document' ? judgeDecision(model, decided, dayOf(now)) : null;
      }
    }
  },

  saw(model, exchange) {
    const { operation, params, data } = exchange;
    if (operation === 'POST /documents') return add(model, exchange);
    if (operation === 'DELETE /files/{id}') return loseFile(model, exchange);
    const decided = decisionOn(exchange);
    const document = model.documents.get(decided?.kind === 'document' ? decided.id : Number(params['id']));
    if (!document) return [];
    const touched = take(model, document, decided, exchange);
    if (touched.length > 0) model.shown.shown(`document/${document.id}`, data?.updated_at);
    return touched;
  },

  dayCame: (model, day) => [...model.documents.values()].flatMap((document) => expire(model, document, day)),

  async ask(inquiry, touched) {
    const { model, asOwner, eventually, same } = inquiry;
    for (const id of touchedIds(touched, 'document')) {
      const document = model.documents.get(id);
      if (!document) continue;
      await eventually(async () => {
        const seen = await asOwner(ownerOf(model, document.profileId), 'GET /documents/{id}', { params: { id } });
        if (seen.status !== 200) return;
        same(`document ${id} stands as it was left (DOC-1, DOC-2, DOC-7, DOC-8)`, document.status, seen.data.status);
        if (document.status !== 'expired' && !document.isFileGone)
          same(`document ${id} has the note of its last decision (REV-2, DOC-7)`, document.note, seen.data.review_note);
        same(`document ${id} is used by applications that are no drafts (DOC-3)`, usesOf(model, id), seen.data.used_by.toSorted(ascending));
        const { type, number, country, issued_at: issuedAt, expires_at: expiresAt } = seen.data;
        const expected = { type: document.type, expiresAt: document.expiresAt, ...document.fields };
        same(`document ${id} has the data that it was given (DOC-6, DOC-7)`, expected, { type, expiresAt, number, country, issuedAt });
        document.fileId = askFile(inquiry, `document ${id}`, document.fileId, seen.data.file_id) ?? '';
        model.shown.shown(`document/${id}`, seen.data.updated_at);
      });
    }
  },
};

const ascending = (left: number, right: number) => left - right;

function add(model: Model, exchange: Exchange): Touched[] {
  const { data, at } = exchange;
  const sent = exchange.body as Sent;
  const { number = null, country = null, issued_at: issuedAt = null, expires_at: expiresAt = null } = sent;
  model.documents.set(data.id, {
    id: data.id,
    profileId: sent.profile_id,
    type: sent.type ?? '',
    status: 'pending',
    since: at,
    note: null,
    expiresAt,
    decidedOn: null,
    fields: { number, country, issuedAt },
    fileId: sent.file_id ?? '',
    isFileGone: false,
  });
  model.noted(exchange, 'document.created', 'document', data.id);
  model.shown.shown(`document/${data.id}`, data.updated_at);
  return [{ kind: 'document', id: data.id }];
}

/** A paper that waited or was approved is returned with its file (DOC-8). It happens before the files' area forgets the file. */
function loseFile(model: Model, exchange: Exchange): Touched[] {
  const { uses } = model.files.get(String(exchange.params['id'])) ?? {};
  return [...model.documents.values()].flatMap((document) => {
    if (!uses?.has(`document ${document.id}`)) return [];
    document.isFileGone = true;
    if (document.status === 'pending' || document.status === 'approved') {
      setStatus(model, document, 'changes', exchange.at);
      document.note = null;
      model.noted(exchange, 'document.file_deleted', 'document', document.id);
    }
    return withUsers(model, document.id);
  });
}

function take(model: Model, document: Document, decided: Decision | null, exchange: Exchange): Touched[] {
  const { operation, body, at } = exchange;
  if (decided) {
    if (decided.kind === 'document') decide(model, document, decided, exchange);
  } else if (operation === 'PATCH /documents/{id}') {
    if (!change(document, body as Sent)) return [];
    // Every change by the owner returns it to review (DOC-7).
    setStatus(model, document, 'pending', at);
    document.note = null;
    model.noted(exchange, 'document.updated', 'document', document.id);
  } else if (operation === 'PATCH /admin/records/document/{id}') {
    const expiresAt = document.expiresAt;
    if (!change(document, body as Sent)) return [];
    model.noted(exchange, 'document.corrected', 'document', document.id);
    model.expectNotified(ownerOf(model, document.profileId), 'record.corrected', document.id);
    if (document.expiresAt !== expiresAt) {
      // Its last day was never announced, also when it was returned after that day (DOC-6).
      document.decidedOn = null;
      remind(model, document, at);
      return [...withUsers(model, document.id), ...expire(model, document, dayOf(at))];
    }
  } else return [];
  return withUsers(model, document.id);
}

/** A repeated identical decision on an unchanged record writes nothing (NOT-1). */
function decide(model: Model, document: Document, { decision, note }: Decision, exchange: Exchange): void {
  const status = statusAfter[decision];
  const given = decision === 'approve' ? null : (note ?? null);
  if (document.status === status && document.note === given) return;
  setStatus(model, document, status, exchange.at);
  document.note = given;
  document.decidedOn = dayOf(exchange.at);
  model.noted(exchange, `document.${past[decision]}`, 'document', document.id);
  model.expectNotified(ownerOf(model, document.profileId), `document.${past[decision]}`, document.id);
}

function setStatus(model: Model, document: Document, status: Document['status'], at: Date): void {
  if (document.status !== status) document.since = at;
  document.status = status;
  model.shown.changed(`document/${document.id}`);
  remind(model, document, at);
}

/** Reminders of an approved document with a last day (DOC-5). */
function remind(model: Model, { id, status, expiresAt }: Document, at: Date): void {
  if (status === 'approved' && expiresAt !== null) model.lastDays.begin(`document/${id}`, expiresAt, at);
  else model.lastDays.end(`document/${id}`, at);
}

/** @returns whether a value differs from the stored one */
export function change(document: Document, sent: Sent): boolean {
  const { fields } = document;
  const {
    type = document.type,
    file_id: fileId = document.fileId,
    number = fields.number,
    country = fields.country,
    issued_at: issuedAt = fields.issuedAt,
    expires_at: expiresAt = document.expiresAt,
  } = sent;
  const before = JSON.stringify([document.type, document.fileId, document.expiresAt, fields.number, fields.country, fields.issuedAt]);
  if (fileId !== document.fileId) document.isFileGone = false;
  Object.assign(document, { type, fileId, expiresAt, fields: { number, country, issuedAt } });
  return before !== JSON.stringify([type, fileId, expiresAt, number, country, issuedAt]);
}

/** A document ends with its last day; a refused one and one that was returned after that day keep their decision (DOC-1). */
function expire(model: Model, document: Document, day: string): Touched[] {
  if (!isPast(document, day) || document.status === 'expired' || document.status === 'cancelled') return [];
  if (document.status === 'changes' && document.decidedOn !== null && isPast(document, document.decidedOn)) return [];
  const at = new Date(`${day}T00:00:00+05:00`);
  setStatus(model, document, 'expired', at);
  model.happened('document.expired', 'document', document.id);
  model.expectNotified(ownerOf(model, document.profileId), 'document.expired', document.id);
  for (const application of model.applications.values()) {
    const isLive = application.status === 'submitted' || application.status === 'approved';
    // One that is over by then closes instead (APP-13).
    if (!isLive || isOver(model, application, day) || !application.documentIds.includes(document.id)) continue;
    // A consent does not count for a year in which its holder is of age (APP-19, APP-20).
    if (!countsIn(model, application, document, judgedDay(application, day))) continue;
    application.status = 'changes';
    application.note = null;
    model.shown.changed(`application/${application.id}`);
    model.happened('application.lapsed', 'application', application.id);
    model.expectNotified(ownerOf(model, application.profileId), 'application.changes', application.id);
  }
  return withUsers(model, document.id);
}

/** Applications that are no drafts and have the document, ascending: it is in use (DOC-3). */
export function usesOf(model: Model, documentId: number): number[] {
  const using = [...model.applications.values()].filter(
    ({ status, documentIds }) => status !== 'draft' && documentIds.includes(documentId),
  );
  return using.map(({ id }) => id).toSorted(ascending);
}

/** Whether an application that is no draft, or a registration that was submitted, keeps the document as it is (DOC-3, REG-16). */
export function isDocumentInUse(model: Model, documentId: number): boolean {
  return usesOf(model, documentId).length > 0 || isInSnapshot(model, documentId);
}

export function isInSnapshot({ registrations }: Model, documentId: number): boolean {
  return registrations
    .values()
    .some(({ wasSubmitted, snapshot }) => wasSubmitted && snapshot.some(({ document_id: id }) => id === documentId));
}

function withUsers(model: Model, documentId: number): Touched[] {
  const users = [...model.applications.values()].filter(({ documentIds }) => documentIds.includes(documentId));
  return [{ kind: 'document', id: documentId }, ...users.map(({ id }) => ({ kind: 'application' as const, id }))];
}
