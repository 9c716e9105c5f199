import { type Area, type Asked, touchedIds } from '../area.ts';
import { isPast } from './documents.ts';
import type { Exchange } from '../exchange.ts';
import { type Judgement, refuse } from '../judgement.ts';
import { addDays, type Application, dayOf, type Document, type Model, type Service } from '../model.ts';
import { decisionOn } from './profiles.ts';

/** Applications and certificates, by `docs/rules/applications.md`. */
export const applicationsArea: Area = {
  judge(model, asked, now) {
    const id = Number(asked.params['id']);
    switch (asked.operation) {
      case 'POST /applications/{id}/submit':
        return judgeOwn(model, asked, id, (application) => judgeSubmission(model, application, dayOf(now)));
      case 'POST /applications/{id}/pay':
        return judgeOwn(model, asked, id, (application) => judgePayment(model, application, asked.by.accountId, dayOf(now)));
      case 'POST /applications/{id}/cancel':
        return judgeOwn(model, asked, id, (application) => {
          if (isOver(model, application, dayOf(now))) return 'open';
          return ['draft', 'submitted', 'changes'].includes(application.status) && application.certificate === null ? 'accept' : 'open';
        });
      case 'POST /admin/review':
        return judgeReview(asked);
      default:
        return null;
    }
  },

  saw(model, exchange) {
    const { operation, params, data, by } = exchange;
    if (operation === 'POST /applications') {
      model.applications.set(data.id, newApplication(exchange));
      return [{ kind: 'application', id: data.id }];
    }
    const decided = decisionOn(exchange);
    if (decided && decided.kind !== 'application') return [];
    const application = model.applications.get(decided?.id ?? Number(params['id']));
    if (!application) return [];
    const touched = [{ kind: 'application' as const, id: application.id }];
    switch (decided ? `decide ${decided.decision}` : operation) {
      case 'PATCH /applications/{id}':
        replaceDocuments(model, application, exchange);
        application.disciplineId = data.discipline?.id ?? null;
        return touched;
      case 'POST /applications/{id}/submit':
        application.mustResubmit = false;
        if (application.status !== 'approved') application.status = 'submitted';
        return touched;
      case 'POST /applications/{id}/pay':
        pay(model, application, by.accountId);
        return [...touched, { kind: 'account', id: by.accountId }];
      case 'POST /applications/{id}/cancel':
        application.status = 'cancelled';
        refund(model, application);
        return [...touched, ...(application.payerId === null ? [] : [{ kind: 'account' as const, id: application.payerId }])];
      case 'decide approve':
        application.status = 'approved';
        application.certificate ??= certificateOf(data);
        return touched;
      case 'decide changes':
        application.status = 'changes';
        return touched;
      case 'decide cancel':
        // It annuls and refunds nothing (APP-12).
        application.status = 'cancelled';
        return touched;
      default:
        return [];
    }
  },

  async ask({ model, today, asOwner, asAdministrator, eventually, same }, touched) {
    for (const id of touchedIds(touched, 'application')) {
      const application = model.applications.get(id);
      if (!application) continue;
      const ownerId = ownerOfApplication(model, application);
      await eventually(async () => {
        const record = (await asAdministrator('GET /admin/records/{kind}/{id}', { params: { kind: 'application', id } })).data;
        followApplication(model, application, record, today);
        same(`application ${id} stands as the rules say (APP-2, APP-5, APP-11, APP-12)`, application.status, record.status);
        same(`application ${id} is paid as it was (APP-12, WAL-12)`, application.isPaid, record.paid);
        same(`application ${id} has the documents that its owner gave it`, inOrder(application.documentIds), inOrder(record.document_ids));
        same(`application ${id} has a number when it was approved once (APP-7)`, application.certificate?.number ?? null, record.number);
        const read = await asOwner(ownerId, 'GET /applications/{id}/readiness', { params: { id } });
        if (read.status !== 200) return;
        for (const [rule, isMet] of readinessOf(model, application, today)) {
          const shown = (read.data as { rule: string; ok: boolean }[]).find((row) => row.rule === rule);
          same(`readiness of application ${id} shows the rule ${rule} (APP-4)`, isMet, shown?.ok ?? 'absent');
        }
        const isWaiting = record.status === 'submitted' && serviceOf(model, application).kind !== 'national_certificate';
        const queue = await asAdministrator('GET /admin/queue', { query: '?kind=application&limit=100' });
        const isQueued = (queue.data as { id: number }[]).some((row) => row.id === id);
        if (isWaiting && readinessOf(model, application, today).values().every(Boolean))
          same(`application ${id}, ready for a decision, is in the queue (REV-3)`, true, isQueued);
      });
    }
  },
};

const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);

function newApplication({ body, data }: Exchange): Application {
  const sent = body as { profile_id: number; service_id: number; document_ids?: number[] };
  return {
    id: data.id,
    profileId: sent.profile_id,
    serviceId: sent.service_id,
    disciplineId: data.discipline?.id ?? null,
    year: data.year,
    amount: data.amount_minor,
    status: 'draft',
    isPaid: false,
    payerId: null,
    documentIds: sent.document_ids ?? [],
    mustResubmit: false,
    certificate: null,
  };
}

export function serviceOf(model: Model, { serviceId }: Application): Service {
  const service = model.services.get(serviceId);
  if (!service) throw new Error(`the auditor does not know service ${serviceId}`);
  return service;
}

export function ownerOfApplication(model: Model, { profileId }: Application): number {
  return model.profiles.get(profileId)?.ownerId ?? 0;
}

export function documentsOf(model: Model, { documentIds }: Application): Document[] {
  return documentIds.flatMap((id) => model.documents.get(id) ?? []);
}

/** Takes over what the registry does by itself: it approves a national certificate once every rule holds (APP-5), and closes what is over (APP-13). */
export function followApplication(
  model: Model,
  application: Application,
  record: { status: string; paid: boolean; verification_token: string | null },
  today: string,
): void {
  const { kind } = serviceOf(model, application);
  // A review answers without the token.
  if (application.certificate) application.certificate.token ||= record.verification_token ?? '';
  const isReady = readinessOf(model, application, today).values().every(Boolean);
  if ((kind === 'national_certificate' || kind === 'event_fee') && application.status === 'submitted' && isReady) {
    application.status = 'approved';
    if (kind === 'national_certificate') application.certificate ??= certificateOf(record);
  }
  if (isOver(model, application, today) && record.status === 'closed' && isLiving(application)) {
    application.status = 'closed';
    refund(model, application);
  }
}

/** Whether the year, or the last day of a document of the federation, is over (APP-13). It closes within an hour after. */
export function isOver(model: Model, application: Application, today: string): boolean {
  const { kind } = serviceOf(model, application);
  // A fee closes with its event (APP-17).
  if (kind === 'event_fee') return application.status === 'closed';
  const lastDay = kind === 'document' && application.certificate ? application.certificate.validUntil : `${application.year}-12-31`;
  return today > lastDay;
}

export const isLiving = ({ status }: Application): boolean => status !== 'cancelled' && status !== 'closed';

function certificateOf(record: unknown): Application['certificate'] {
  const { number, valid_from: validFrom, valid_until: validUntil, verification_token: token } = record as Record<string, string>;
  if (number === undefined || number === null || validFrom === undefined || validUntil === undefined) return null;
  return { number, validFrom, validUntil, token: token ?? '' };
}

function pay(model: Model, application: Application, payerId: number): void {
  if (application.isPaid) return;
  application.isPaid = true;
  application.payerId = payerId;
  const account = model.accounts.get(payerId);
  if (account) account.balance -= application.amount;
}

/** Money returns to the wallet that paid, unless a certificate was issued (APP-12, APP-13). */
function refund(model: Model, application: Application): void {
  if (!application.isPaid || application.certificate !== null || application.payerId === null) return;
  application.isPaid = false;
  const account = model.accounts.get(application.payerId);
  if (account) account.balance += application.amount;
}

/** A submitted one returns to its owner; behind a certificate, papers of the same worth leave it in force, others wait for a submission (APP-10). */
function replaceDocuments(model: Model, application: Application, { body, at }: Exchange): void {
  const { document_ids: documentIds } = body as { document_ids?: number[] };
  if (documentIds === undefined || isSameSet(documentIds, application.documentIds)) return;
  const wasInOrder = readinessOf(model, application, dayOf(at))
    .entries()
    .every(([rule, isMet]) => isMet || rule === 'submitted' || rule === 'payment');
  application.documentIds = documentIds;
  if (application.status === 'submitted') application.status = 'changes';
  if (application.status === 'approved' && (application.mustResubmit || !wasInOrder)) application.mustResubmit = true;
}

function isSameSet(left: readonly number[], right: readonly number[]): boolean {
  return new Set([...left, ...right]).size === new Set(left).size && new Set(left).size === new Set(right).size;
}

/** Every rule of readiness, by its name (APP-4), for the day. */
export function readinessOf(model: Model, application: Application, today: string): Map<string, boolean> {
  const profile = model.profiles.get(application.profileId);
  const { required, kind } = serviceOf(model, application);
  const isSettled = application.isPaid || application.amount === 0;
  // A fee is only paid (APP-17).
  if (kind === 'event_fee') return new Map([['payment', isSettled]]);
  const day = application.year > Number(today.slice(0, 4)) ? `${application.year}-01-01` : today;
  const isMinor = profile?.birthDate !== undefined && profile.birthDate !== null && day < addYears(profile.birthDate, 18);
  const needed = required.filter(({ onlyMinors }) => !onlyMinors || isMinor);
  const ended = required.filter(({ onlyMinors }) => onlyMinors && !isMinor);
  // A paper whose every requirement has ended counts no more (APP-20).
  const counted = documentsOf(model, application).filter(
    ({ type }) => !ended.some(({ types }) => types.includes(type)) || needed.some(({ types }) => types.includes(type)),
  );
  const isInOrder = (document: Document) => document.status === 'approved' && !isPast(document, day);
  const rules = new Map<string, boolean>();
  rules.set('submitted', application.status === 'submitted' || (application.status === 'approved' && !application.mustResubmit));
  rules.set('profile', profile?.data.status === 'approved');
  if (profile?.kind === 'athlete') rules.set('photo', profile.photo?.status === 'approved');
  const serving = new Set<Document>();
  for (const { code, types } of needed) {
    const fitting = counted.filter(({ type }) => types.includes(type));
    const best = fitting.toSorted((left, right) => worthOf(right, day) - worthOf(left, day))[0];
    if (best) serving.add(best);
    rules.set(code, best !== undefined && isInOrder(best));
  }
  for (const document of counted) if (!serving.has(document)) rules.set(`document:${document.id}`, isInOrder(document));
  rules.set('payment', isSettled);
  return rules;
}

function worthOf(document: Document, day: string): number {
  if (document.status === 'expired' || isPast(document, day)) return 0;
  return document.status === 'approved' ? 3 : document.status === 'pending' ? 2 : 1;
}

/** The birthday some years later; 29 February becomes 1 March. */
export function addYears(day: string, years: number): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return addDays(`${Number(year) + years}-${month}-01`, Number(date) - 1);
}

/** The record of another account does not exist (API-3). */
function judgeOwn(model: Model, { by }: Asked, id: number, judgeIt: (application: Application) => Judgement): Judgement {
  const application = model.applications.get(id);
  if (!application) return refuse('not_found');
  return ownerOfApplication(model, application) === by.accountId ? judgeIt(application) : refuse('not_found');
}

/** Every record behind it is approved or in review, and every required paper is there (APP-3). */
function judgeSubmission(model: Model, application: Application, today: string): Judgement {
  if (isOver(model, application, today)) return refuse();
  if (application.status === 'submitted' || !isLiving(application)) return refuse();
  const profile = model.profiles.get(application.profileId);
  const parts = [profile?.data, ...(profile?.kind === 'athlete' ? [profile.photo] : [])];
  if (application.status === 'approved') return 'open';
  const isProfileThere = parts.every(
    (part) => part !== null && part !== undefined && (part.status === 'pending' || part.status === 'approved'),
  );
  const unmet = [...readinessOf(model, application, today)].filter(
    ([rule, isMet]) => !isMet && !['submitted', 'payment', 'profile', 'photo'].includes(rule),
  );
  const isPaperThere = ([rule]: [string, boolean]) => {
    const types = serviceOf(model, application).required.find(({ code }) => code === rule)?.types;
    return application.documentIds
      .flatMap((id) => model.documents.get(id) ?? [])
      .some(
        (document) =>
          (types?.includes(document.type) ?? rule === `document:${document.id}`) &&
          document.status === 'pending' &&
          !isPast(document, today),
      );
  };
  return isProfileThere && unmet.every(isPaperThere) ? 'accept' : refuse();
}

/** A submitted one is paid once, from a wallet that holds its price (WAL-2, WAL-12). */
function judgePayment(model: Model, application: Application, accountId: number, today: string): Judgement {
  if (isOver(model, application, today)) return 'open';
  if (application.isPaid) return 'accept';
  if (application.status !== 'submitted') return refuse();
  if (application.amount === 0) return 'open';
  return (model.accounts.get(accountId)?.balance ?? 0) >= application.amount ? 'accept' : 'open';
}

/** A decision names the revision that the clerk read (APP-6). */
function judgeReview({ body }: Asked): Judgement | null {
  const { kind, revision } = body as { kind: string; revision?: number };
  if (kind !== 'application') return null;
  return revision === undefined ? refuse() : 'open';
}
