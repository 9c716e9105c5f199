import type { Asked } from '../area.ts';
import { type Judgement, refuse, refuseWith } from '../judgement.ts';
import { type Model, ownerOf } from '../model.ts';
import type { Document } from './application-records.ts';
import { type Decision, judgeSeen } from './decisions.ts';
import { change, isDocumentInUse, isInSnapshot, type Sent } from './documents.ts';
import { isPast } from './readiness.ts';

/** Days that no document has (DOC-4). @param isCorrection an administrator may set a last day that is over (DOC-6) */
function areDaysWrong(issuedAt: string | null, expiresAt: string | null, today: string, isCorrection: boolean): boolean {
  const isOver = !isCorrection && expiresAt !== null && expiresAt < today;
  return isOver || (issuedAt !== null && (issuedAt > today || (expiresAt !== null && issuedAt > expiresAt)));
}

const mostDocuments = 100;

/** A paper for an own profile, with days that can be (DOC-4), while the profile has a place for it (DOC-9). */
export function judgeNew(model: Model, { body, by }: Asked, today: string): Judgement {
  const { profile_id: profileId, file_id: fileId, issued_at: issuedAt = null, expires_at: expiresAt = null } = body as Sent;
  if (!model.profiles.has(profileId) || ownerOf(model, profileId) !== by.accountId) return refuse('not_found');
  if (areDaysWrong(issuedAt, expiresAt, today, false)) return refuse('validation_failed');
  if (model.files.get(fileId ?? '')?.ownerId !== by.accountId) return 'open';
  const used = [...model.documents.values()].filter((document) => document.profileId === profileId).length;
  return used < mostDocuments ? 'accept' : refuseWith('quota_exceeded', { quota: 'documents', used, limit: mostDocuments });
}

/** Only the owner's unused document is changed (DOC-3, REG-16), and any value of it that is given (DOC-4, DOC-7). */
export function judgeChange(model: Model, document: Document, { body, by }: Asked, today: string): Judgement {
  if (ownerOf(model, document.profileId) !== by.accountId) return refuse('not_found');
  if (isDocumentInUse(model, document.id)) return refuse('document_in_use');
  const trial = { ...document, fields: { ...document.fields } };
  if (!change(trial, body as Sent)) return 'accept';
  if (areDaysWrong(trial.fields.issuedAt, trial.expiresAt, today, false)) return refuse('validation_failed');
  const isOtherFile = trial.fileId !== document.fileId;
  return isOtherFile && model.files.get(trial.fileId)?.ownerId !== by.accountId ? 'open' : 'accept';
}

/** A correction names what was read (PRO-7), and leaves the type of a document in use (DOC-6). */
export function judgeCorrection(model: Model, document: Document, { body }: Asked, today: string): Judgement {
  const {
    updated_at: version = '',
    issued_at: issuedAt = document.fields.issuedAt,
    expires_at: expiresAt = document.expiresAt,
  } = body as Sent;
  const isCurrent = model.shown.isCurrent(`document/${document.id}`, version);
  if (isCurrent === false) return refuse('stale_revision');
  if (isCurrent === null) return 'open';
  const trial = { ...document, fields: { ...document.fields } };
  if (!change(trial, body as Sent)) return 'accept';
  const isUsed = [...model.applications.values()].some(
    ({ status, documentIds }) => documentIds.includes(document.id) && status !== 'cancelled' && status !== 'closed',
  );
  if (trial.type !== document.type) return isUsed || isInSnapshot(model, document.id) ? refuse('document_in_use') : 'open';
  return areDaysWrong(issuedAt, expiresAt, today, true) ? refuse('validation_failed') : 'accept';
}

/** Possible in every status; one that is over, or whose file was deleted, is not approved (DOC-2, REV-6). */
export function judgeDecision(model: Model, decided: Decision, today: string): Judgement {
  const document = model.documents.get(decided.id);
  if (!document) return refuse('not_found');
  const seen = judgeSeen(model, `document/${decided.id}`, decided);
  if (seen !== null) return seen;
  const codes = [...(isPast(document, today) ? ['invalid_state'] : []), ...(document.isFileGone ? ['file_missing'] : [])];
  return decided.decision === 'approve' && codes.length > 0 ? refuse(...codes) : 'accept';
}
