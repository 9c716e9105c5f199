import type { Asked } from '../area.ts';
import { type Decision, decisionOn } from './decisions.ts';
import { type Judgement, refuse, refuseWith } from '../judgement.ts';
import type { Application, Document, Profile, Service } from './application-records.ts';
import { dayOf } from '../days.ts';
import { type Model, ownerOf } from '../model.ts';
import { bestOf, countedDocuments, isRenewal, isSameSet, judgedDay, neededOn, readinessOf, serviceOf } from './readiness.ts';
import { isOver } from './ends.ts';

interface Sent {
  profile_id?: number;
  service_id?: number;
  year?: number;
  document_ids?: number[];
  data?: { discipline_id?: number; insurance_territory?: string; team?: string | null; sport?: string | null };
  revision?: number;
  reason?: string;
}

/** What the rules say of a request about an application, by `docs/rules/applications.md`. */
export function judgeApplications(model: Model, asked: Asked, now: Date): Judgement | null {
  const today = dayOf(now);
  const application = model.applications.get(Number(asked.params['id']));
  const sent = (asked.body ?? {}) as Sent;
  switch (asked.operation) {
    case 'POST /applications':
      return judgeNew(model, asked, sent, today);
    case 'POST /applications/quote':
      return judgeQuote(model, sent, today);
    case 'PATCH /applications/{id}':
      return judgeOwn(model, asked, application, (own) => judgeChange(model, own, sent, today));
    case 'POST /applications/{id}/submit':
      return judgeOwn(model, asked, application, (own) => judgeSubmission(model, own, today));
    case 'POST /applications/{id}/pay':
      return judgeOwn(model, asked, application, (own) => judgePayment(model, own, asked.by.accountId, today));
    case 'POST /applications/{id}/cancel':
      return judgeOwn(model, asked, application, (own) => judgeCancel(model, own, sent, today));
    default: {
      const decided = decisionOn(asked);
      return decided?.kind === 'application' ? judgeReview(model, decided, today) : null;
    }
  }
}

/** The record of another account does not exist (API-3). */
function judgeOwn(model: Model, { by }: Asked, application: Application | undefined, judgeIt: (own: Application) => Judgement): Judgement {
  if (!application || ownerOf(model, application.profileId) !== by.accountId) return refuse('not_found');
  return judgeIt(application);
}

/** What a service is sold for: discipline, territory and year (CAT-2, CAT-8, APP-19). */
function isSoldSo(service: Service, { year, data = {} }: Sent, today: string): boolean {
  const { disciplineIds, cisCoefficient, kind } = service;
  const { discipline_id: disciplineId, insurance_territory: territory = 'KZ' } = data;
  const isDiscipline = disciplineIds.length === 0 ? disciplineId === undefined : disciplineIds.includes(disciplineId ?? 0);
  return isDiscipline && (territory === 'KZ' || cisCoefficient !== null) && isYearOpen(kind, year, today);
}

function isYearOpen(kind: Service['kind'], year: number | undefined, today: string): boolean {
  const current = Number(today.slice(0, 4));
  if (year === undefined) return true;
  return kind !== 'document' && (year === current || (year === current + 1 && today.slice(5) >= '11-01'));
}

function judgeNew(model: Model, { by }: Asked, sent: Sent, today: string): Judgement {
  const { profile_id: profileId = 0, service_id: serviceId = 0, document_ids: documentIds = [], data = {} } = sent;
  const profile = model.profiles.get(profileId);
  if (profile?.ownerId !== by.accountId) return refuse('not_found');
  const service = model.services.get(serviceId);
  if (!service?.isActive || service.kind === 'event_fee' || service.profileKind !== profile.kind) return refuse('validation_failed');
  const areOwn = documentIds.every((id) => model.documents.get(id)?.profileId === profileId);
  const year = sent.year ?? Number(today.slice(0, 4));
  const isWithoutIndex = year > Number(today.slice(0, 4)) && !model.baseIndexes.has(year);
  if (!isSoldSo(service, sent, today)) return refuse('validation_failed');
  if (isWithoutIndex) return areOwn ? refuse('base_index_missing') : refuse('base_index_missing', 'validation_failed');
  if (!areOwn) return refuse('validation_failed');
  const key = { profileId, serviceId, year, disciplineId: data.discipline_id };
  return judgeDuplicate(model, key, null, today) ?? 'accept';
}

function judgeQuote(model: Model, sent: Sent, today: string): Judgement {
  const service = model.services.get(sent.service_id ?? 0);
  if (!service?.isActive) return refuse('validation_failed');
  const { insurance_territory: territory = 'KZ' } = sent.data ?? {};
  if ((territory === 'CIS' && service.cisCoefficient === null) || !isYearOpen(service.kind, sent.year, today))
    return refuse('validation_failed');
  const isAhead = (sent.year ?? 0) > Number(today.slice(0, 4));
  return isAhead && !model.baseIndexes.has(sent.year ?? 0) ? refuse('base_index_missing') : 'accept';
}

interface Key {
  profileId: number;
  serviceId: number;
  year: number;
  disciplineId: unknown;
}

/** One active application for a profile, service, discipline and year (APP-1); one that has ended frees its place (APP-13). */
function judgeDuplicate(model: Model, key: Key, except: number | null, today: string): Judgement | null {
  const other = model.applications.values().find((application) => {
    const { id, profileId, serviceId, year, status, data } = application;
    const isAlike =
      profileId === key.profileId && serviceId === key.serviceId && year === key.year && data['discipline_id'] === key.disciplineId;
    const isEnded = status === 'cancelled' || status === 'closed' || isOver(model, application, today);
    return id !== except && isAlike && !isEnded;
  });
  return other ? refuseWith('duplicate_application', { application_id: other.id }) : null;
}

function judgeChange(model: Model, application: Application, sent: Sent, today: string): Judgement {
  const { id, status } = application;
  const { document_ids: documentIds = application.documentIds, revision } = sent;
  const isSeen = revision === undefined ? true : model.shown.isCurrent(`application/${id}`, revision);
  if (isSeen === false) return refuse('stale_revision');
  if (isSeen === null) return 'open';
  // It may have closed meanwhile, which is a new revision.
  if (isOver(model, application, today)) return refuse('invalid_state', 'stale_revision');
  if (isEnded(application) || isFee(model, application)) return refuse('invalid_state');
  const data: Record<string, unknown> = { ...application.data, ...sent.data };
  const isDataNew = Object.keys(data).some((field) => (data[field] ?? undefined) !== application.data[field]);
  const areDocumentsNew = !isSameSet(documentIds, application.documentIds);
  if (!isDataNew && !areDocumentsNew) return 'accept';
  const areOwn = documentIds.every((one) => model.documents.get(one)?.profileId === application.profileId);
  if (status === 'draft' || status === 'changes') return judgeData(model, application, data, areOwn, today);
  if (isDataNew) return refuse('invalid_state');
  return judgeExchange(model, application, documentIds, areOwn, today);
}

/** Discipline and territory are fixed once it is paid or was issued (APP-9). */
function judgeData(model: Model, application: Application, data: Record<string, unknown>, areOwn: boolean, today: string): Judgement {
  const { discipline_id: disciplineId, insurance_territory: territory } = data;
  const isOther = disciplineId !== application.data['discipline_id'] || territory !== application.data['insurance_territory'];
  if (isOther && (application.isPaid || application.certificate !== null)) return refuse('invalid_state');
  const isFixed = application.isPaid || application.certificate !== null;
  const sent = { data: { discipline_id: disciplineId, insurance_territory: territory } } as Sent;
  if (!areOwn || (!isFixed && isOther && !isSoldSo(serviceOf(model, application), sent, today))) return refuse('validation_failed');
  return judgeDuplicate(model, { ...application, disciplineId }, application.id, today) ?? 'accept';
}

/** Documents of a submitted or approved one are replaced while something behind it needs a correction, or renewed (APP-10). */
function judgeExchange(model: Model, application: Application, next: readonly number[], areOwn: boolean, today: string): Judgement {
  const isApproved = application.status === 'approved';
  const isWanted = isOpenForPapers(model, application, today);
  // Its process may have approved it since the last question (APP-5).
  const mayBeApproved = application.status === 'submitted' && readinessOf(model, application, today).values().every(Boolean);
  if (!isWanted && !isApproved && !mayBeApproved) return refuse('invalid_state');
  if (!areOwn) return mayBeApproved ? refuse('validation_failed', 'invalid_state') : refuse('validation_failed');
  const after = { ...application, documentIds: [...next] };
  if (!isWanted && !(isRenewal(model, application, next, today) && isBehindInOrder(model, after, today))) return refuse('invalid_state');
  if (!isWanted && !isApproved) return 'open';
  // The papers that stay are judged at the submission, so that several returned ones are replaced one after another.
  const isKept = new Set(application.documentIds);
  const missing = missingOf(model, after, today, (id) => isKept.has(id)).filter((rule) => rule !== 'profile' && rule !== 'photo');
  return isApproved && missing.length > 0 ? refuseWith('incomplete_application', { missing }) : 'accept';
}

/** Whether its owner may replace any document: before the submission, and while something behind it needs a correction (APP-10). */
export function isOpenForPapers(model: Model, application: Application, today: string): boolean {
  if (application.status === 'approved') return application.mustResubmit || !isBehindInOrder(model, application, today);
  return application.status !== 'submitted' || missingOf(model, application, today).length > 0;
}

/** Whether every record behind an application is approved. */
function isBehindInOrder(model: Model, application: Application, today: string): boolean {
  return readinessOf(model, application, today)
    .entries()
    .every(([rule, isMet]) => isMet || rule === 'submitted' || rule === 'payment');
}

/** What its owner must bring before the submission (APP-3): a review that is pending prevents nothing. */
export function missingOf(model: Model, application: Application, today: string, isExempt = (_documentId: number) => false): string[] {
  const day = judgedDay(application, today);
  const profile = model.profiles.get(application.profileId);
  const missing = profile ? missingParts(profile) : [];
  const counted = countedDocuments(model, application, today).map((document): Document =>
    isExempt(document.id) ? { ...document, status: 'approved', expiresAt: null, isFileGone: false } : document,
  );
  const isThere = (document: Document | undefined) =>
    document !== undefined &&
    (document.status === 'approved' || document.status === 'pending') &&
    !(document.expiresAt !== null && day > document.expiresAt);
  const serving = new Set<Document>();
  for (const { code, types } of neededOn(model, application, day)) {
    const best = bestOf(counted, types, day);
    if (best) serving.add(best);
    if (!isThere(best)) missing.push(code);
  }
  for (const document of counted) if (!serving.has(document) && !isThere(document)) missing.push(`document:${document.id}`);
  if (counted.some(({ isFileGone }) => isFileGone)) missing.push('files');
  return missing;
}

function missingParts({ kind, data, photo }: Profile): string[] {
  const isThere = (status: string | undefined) => status === 'pending' || status === 'approved';
  return [...(isThere(data.status) ? [] : ['profile']), ...(kind === 'athlete' && !isThere(photo?.status) ? ['photo'] : [])];
}

const isEnded = ({ status }: Application) => status === 'cancelled' || status === 'closed';
const isFee = (model: Model, application: Application) => serviceOf(model, application).kind === 'event_fee';

/** Every record behind it is approved or in review, and every required paper is there (APP-3). */
function judgeSubmission(model: Model, application: Application, today: string): Judgement {
  const { status } = application;
  if (isFee(model, application) || isEnded(application) || status === 'submitted') return refuseWith('invalid_state', { status });
  if (isOver(model, application, today)) return refuse('invalid_state');
  const missing = missingOf(model, application, today);
  // Nothing was replaced, so nothing is submitted (APP-10).
  if (status === 'approved' && !application.mustResubmit) return missing.length > 0 ? 'open' : 'accept';
  if (missing.length > 0) return refuseWith('incomplete_application', { missing });
  const isSold = application.data['insurance_territory'] === 'KZ' || serviceOf(model, application).cisCoefficient !== null;
  return status === 'draft' && !isSold ? refuse('validation_failed') : 'accept';
}

/** A submitted one is paid once, from a wallet that holds its price (WAL-2, WAL-12). */
function judgePayment(model: Model, application: Application, accountId: number, today: string): Judgement {
  const { status, amount } = application;
  if (application.isPaid || amount === 0) return 'accept';
  if (status !== 'submitted') return refuseWith('invalid_state', { status });
  if (isOver(model, application, today)) return refuse('invalid_state');
  const balance = model.accounts.get(accountId)?.balance ?? 0;
  if (balance >= amount) return 'accept';
  // Money may come from the bank at any time.
  const isComing = model.invoices
    .values()
    .some((invoice) => invoice.ownerId === accountId && !invoice.isCredited && invoice.bankSays !== null);
  return isComing ? 'open' : refuseWith('insufficient_funds', { balance_minor: balance, amount_minor: amount });
}

/** The owner ends it before an approval (APP-12). */
function judgeCancel(model: Model, application: Application, { reason = '' }: Sent, today: string): Judgement {
  const { status } = application;
  if ([...reason].length < 5 || [...reason].length > 3000) return refuse('validation_failed');
  if (isFee(model, application) || !['draft', 'submitted', 'changes'].includes(status)) return refuseWith('invalid_state', { status });
  // Its money returns when it closes, too.
  return isOver(model, application, today) ? 'open' : 'accept';
}

/** A decision names the revision that the clerk read (APP-6). */
function judgeReview(model: Model, decided: Decision, today: string): Judgement {
  const { id, decision, revision, note = null } = decided;
  if (revision === undefined) return refuse('validation_failed');
  const application = model.applications.get(id);
  if (!application) return refuse('not_found');
  const isCurrent = model.shown.isCurrent(`application/${id}`, revision);
  if (isCurrent === false) return refuse('stale_revision');
  if (isCurrent === null) return 'open';
  const { status } = application;
  if (decision === 'approve') return judgeApproval(model, application, decided, today);
  if (isFee(model, application)) return refuse('invalid_state');
  const isRepeat = status === (decision === 'changes' ? 'changes' : 'cancelled') && application.note === note;
  const isPossible = decision === 'changes' ? ['submitted', 'approved'] : ['submitted', 'changes', 'approved'];
  return isRepeat || isPossible.includes(status) ? 'accept' : refuseWith('invalid_state', { status });
}

/** Every condition holds, and the given days lie in the application's year (APP-4, APP-8). */
function judgeApproval(
  model: Model,
  application: Application,
  { valid_from: from, valid_until: until }: Decision,
  today: string,
): Judgement {
  const { status, year, certificate } = application;
  const isApproved = status === 'approved';
  if (!isApproved && (status !== 'submitted' || isOver(model, application, today))) return refuse('invalid_state');
  const start = from ?? certificate?.validFrom ?? judgedDay(application, today);
  const isDocument = serviceOf(model, application).kind === 'document';
  const areDaysWrong =
    (typeof from === 'string' && (from < `${year}-01-01` || from > `${year}-12-31`)) ||
    (typeof until === 'string' && (until < start || (isDocument && until > `${year}-12-31`)));
  if (areDaysWrong) return refuse('validation_failed');
  const isReady = [...readinessOf(model, application, today).values()].every(Boolean);
  return isApproved || isReady ? 'accept' : refuse('not_ready');
}
