import { isLiving, isOver, ownerOfApplication, readinessOf, serviceOf } from './applications.ts';
import { isPast } from './documents.ts';
import type { Exchange } from './exchange.ts';
import { Finding } from './finding.ts';
import { dayOf, type Application, type Model, ownerOf } from './model.ts';

/** What the rules say of a request before it is sent: that it must be accepted, must be refused, or that they leave it open here. */
export type Judgement = 'accept' | 'refuse' | 'open';

type Asked = Pick<Exchange, 'operation' | 'params' | 'body' | 'by'>;

/** Judges a request by the rules alone, with the facts of this instant. */
export function judge(model: Model, asked: Asked, now: Date): Judgement {
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
      return judgeReview(model, asked, dayOf(now));
    case 'DELETE /profiles/{id}':
      return judgeDeletion(model, asked, id);
    case 'POST /documents':
      return judgeNewDocument(model, asked, dayOf(now));
    default:
      return 'open';
  }
}

/** @throws {Finding} when an answer is not what the rules say */
export function compare(judgement: Judgement, { operation, params, body, by, status, error }: Exchange): void {
  const isAccepted = status < 300;
  if (judgement === 'open' || isAccepted === (judgement === 'accept')) return;
  const asked = `${operation} ${JSON.stringify(params)} ${JSON.stringify(body) ?? ''} of ${by.name}`;
  throw new Finding(
    `${asked} is ${judgement === 'accept' ? 'accepted' : 'refused'} by the rules`,
    judgement,
    `${status} ${JSON.stringify(error)}`,
  );
}

/** The record of another account does not exist (API-3); a blocked account may do nothing (ACC-11). */
function judgeOwn(model: Model, { by }: Asked, id: number, judgeIt: (application: Application) => Judgement): Judgement {
  const application = model.applications.get(id);
  if (!application) return 'refuse';
  const isOwn = ownerOfApplication(model, application) === by.accountId;
  if (!isOwn || model.accounts.get(by.accountId)?.status !== 'active') return 'refuse';
  return judgeIt(application);
}

/** Every record behind it is approved or in review, and every required paper is there (APP-3). */
function judgeSubmission(model: Model, application: Application, today: string): Judgement {
  if (isOver(model, application, today)) return 'refuse';
  if (application.status === 'submitted' || !isLiving(application)) return 'refuse';
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
  return isProfileThere && unmet.every(isPaperThere) ? 'accept' : 'refuse';
}

/** A submitted one is paid once, from a wallet that holds its price (WAL-2, WAL-12). */
function judgePayment(model: Model, application: Application, accountId: number, today: string): Judgement {
  if (isOver(model, application, today)) return 'open';
  if (application.isPaid) return 'accept';
  if (application.status !== 'submitted') return 'refuse';
  if (application.amount === 0) return 'open';
  return (model.accounts.get(accountId)?.balance ?? 0) >= application.amount ? 'accept' : 'open';
}

function judgeReview(model: Model, { body, by }: Asked, today: string): Judgement {
  const { kind, id, decision, note, updated_at: version, revision } = body as Record<string, unknown>;
  if (model.accounts.get(by.accountId)?.role !== 'administrator') return 'refuse';
  if (decision !== 'approve' && (typeof note !== 'string' || [...note].length < 5)) return 'refuse';
  if (version !== undefined) return 'open';
  if (kind === 'document') {
    const document = model.documents.get(Number(id));
    if (!document) return 'refuse';
    return decision === 'approve' && isPast(document, today) ? 'refuse' : 'accept';
  }
  if (kind === 'profile' || kind === 'photo') {
    const profile = model.profiles.get(Number(id));
    const part = kind === 'photo' ? profile?.photo : profile?.data;
    return part && part.status !== 'draft' ? 'accept' : 'refuse';
  }
  if (kind === 'application' && revision === undefined) return 'refuse';
  return 'open';
}

/** Only while neither its data nor its photo was ever approved (PRO-5). */
function judgeDeletion(model: Model, { by }: Asked, id: number): Judgement {
  const profile = model.profiles.get(id);
  if (!profile || profile.ownerId !== by.accountId) return 'refuse';
  return profile.data.wasApproved || profile.photo?.wasApproved ? 'refuse' : 'open';
}

/** A paper for an own profile, which is still valid today (DOC-4). */
function judgeNewDocument(model: Model, { body, by }: Asked, today: string): Judgement {
  const { profile_id: profileId, expires_at: expiresAt } = body as { profile_id: number; expires_at?: string };
  if (!model.profiles.has(profileId) || ownerOf(model, profileId) !== by.accountId) return 'refuse';
  return expiresAt !== undefined && expiresAt < today ? 'refuse' : 'open';
}
