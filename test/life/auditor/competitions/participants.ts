import { isDeepStrictEqual } from 'node:util';
import { type Area, type Asked, type Touched } from '../area.ts';
import { type Claim, daysOf, type Eligibility, fits, isInOrder, judgeEligibility } from '../registrations/eligibility.ts';
import type { Exchange } from '../exchange.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Application } from '../applications/application-records.ts';
import { dayOf } from '../days.ts';
import type { Model } from '../model.ts';
import type { Participant } from '../registrations/registration-records.ts';
import { eventOf, organizerOf } from '../registrations/registrations-of.ts';
import { askEligibility } from '../registrations/registration-questions.ts';

/** Participants of an event and their results (EVT-7, EVT-12, EVT-13, EVT-20, EVT-21). */
export const participantsArea: Area = {
  judge(model, asked, now) {
    switch (asked.operation) {
      case 'POST /events/{id}/participants':
        return judgeList(model, asked) ?? judgeAddition(model, asked, now);
      case 'PATCH /events/{id}/participants/{application_id}':
      case 'DELETE /events/{id}/participants/{application_id}':
        return judgeList(model, asked) ?? (model.participants.has(keyOf(asked.params)) ? 'accept' : refuse('not_found'));
      default:
        return null;
    }
  },

  saw(model, exchange) {
    const { operation, params, body, data } = exchange;
    const eventId = Number(params['id']);
    switch (operation) {
      case 'POST /events/{id}/participants':
        return takeOverLine(model, exchange, data.application_id, changesOf(body as Fields));
      case 'PATCH /events/{id}/participants/{application_id}':
        return takeOverLine(model, exchange, Number(params['application_id']), changesOf(body as Fields));
      case 'DELETE /events/{id}/participants/{application_id}': {
        const removed = model.participants.get(keyOf(params));
        if (removed) model.removedParticipants.push(removed);
        model.participants.delete(keyOf(params));
        model.noted(exchange, 'event.participant_removed', 'event', eventId);
        return [{ kind: 'participant', id: keyOf(params) }];
      }
      default:
        return [];
    }
  },

  async ask(inquiry, touched) {
    for (const eventId of eventsOf(inquiry.model, touched)) await inquiry.eventually(() => askList(inquiry, eventId));
  },

  async askAll(inquiry) {
    for (const eventId of new Set([...inquiry.model.participants.values()].map((one) => one.eventId))) await askList(inquiry, eventId);
  },
};

const keyOf = (params: Exchange['params']) => `${params['id']}/${params['application_id']}`;

interface Fields {
  category?: string | null;
  start_number?: string | number | null;
  result_status?: string;
  place?: number | null;
  result?: string | null;
}

/** The list is open to the organizer while the event is published and no results wait or are approved (EVT-7). */
export function judgeList(model: Model, { params, by }: Pick<Asked, 'params' | 'by'>): Judgement | null {
  const event = model.events.get(Number(params['id']));
  if (!event || organizerOf(model, event.id) !== by.accountId) return refuse('not_found');
  const { status } = event.stages.results;
  return event.status !== 'published' || status === 'submitted' || status === 'approved' ? refuse('participants_closed') : null;
}

/** The certificate is one of this registry, each once in the list (EVT-12, EVT-13). */
function judgeAddition(model: Model, { params, body }: Asked, now: Date): Judgement {
  const eventId = Number(params['id']);
  const application = referred(model, (body as { certificate: string }).certificate);
  if (application === 'foreign') return refuse('validation_failed');
  if (application === null) return refuse('not_found');
  const entry = judgeEntry(model, eventId, application, now);
  const isOther = typeof entry !== 'string' && !entry.codes.includes('certificate_not_valid');
  if (isOther || !model.participants.has(`${eventId}/${application.id}`)) return entry;
  return refuse('duplicate_participant', ...(typeof entry === 'string' ? [] : entry.codes));
}

/** The certificate fits the discipline and is valid on every day of the event (EVT-12). */
export function judgeEntry(model: Model, eventId: number, application: Application, now: Date): Judgement {
  const event = eventOf(model, eventId);
  const kind = model.services.get(application.serviceId)?.kind;
  if (kind === 'document') return refuse('validation_failed');
  if (!fits(model, application, { profileId: application.profileId, event, applicationIds: [], paperIds: [] }))
    return refuse('licence_not_fitting');
  const inForce = isInOrder(judgeParticipant(model, event.id, application, dayOf(now)));
  if (inForce === false) return refuse('certificate_not_valid');
  return inForce === null ? 'open' : 'accept';
}

/** Characters of a verification code. */
const tokenLength = 43;

/** The certificate by its number, its code, or the link of its QR (VER-8); 'foreign' for a link to another host. */
export function referred(model: Model, text: string): Application | 'foreign' | null {
  const isOwnLink = text.startsWith(`${model.origin}/v/`);
  if (text.includes('://') && !isOwnLink) return 'foreign';
  const link = isOwnLink ? text.slice(`${model.origin}/v/`.length).slice(0, tokenLength) : undefined;
  const issued = [...model.applications.values()].filter(({ certificate }) => certificate !== null);
  const isNamed = ({ certificate }: Application) =>
    certificate !== null && (certificate.token === (link ?? text) || certificate.number === text.trim().toUpperCase());
  return issued.find(isNamed) ?? null;
}

/** A line of the list that a request added or changed; equal values change nothing. */
export function takeOverLine(model: Model, exchange: Exchange, applicationId: number, changes: Partial<Participant>): Touched[] {
  const eventId = Number(exchange.params['id']);
  const key = `${eventId}/${applicationId}`;
  const participant = model.participants.get(key);
  if (!participant) {
    model.participants.set(key, { ...entered(model, eventId, applicationId), ...changes });
    model.noted(exchange, 'event.participant_added', 'event', eventId);
  } else if (!isDeepStrictEqual({ ...participant, ...changes }, participant)) {
    model.noted(exchange, 'event.participant_changed', 'event', eventId);
    Object.assign(participant, changes);
  }
  return [{ kind: 'participant', id: key }];
}

function entered(model: Model, eventId: number, applicationId: number): Participant {
  const application = model.applications.get(applicationId);
  const before = { category: null, startNumber: null, resultStatus: 'registered', place: null, result: null };
  return {
    eventId,
    applicationId,
    profileId: application?.profileId ?? 0,
    number: application?.certificate?.number ?? '',
    name: application?.certificate?.holder.filter(Boolean).join(' ') ?? '',
    ...before,
  };
}

/** An absent field stays as it is. */
function changesOf({ category, start_number: number, result_status: status, place, result }: Fields): Partial<Participant> {
  return {
    ...(category === undefined ? {} : { category }),
    ...(number === undefined ? {} : { startNumber: number === null ? null : String(number) }),
    ...(status === undefined ? {} : { resultStatus: status }),
    ...(place === undefined ? {} : { place }),
    ...(result === undefined ? {} : { result }),
  };
}

/** The entries of an event's list, which everybody reads once its results are approved (EVT-17); none before. */
export function publicEntries(model: Model, eventId: number): Participant[] {
  const event = model.events.get(eventId);
  if (event?.wasPublished !== true || event.stages.results.status !== 'approved') return [];
  return [...model.participants.values()].filter((one) => one.eventId === eventId);
}

/** In an event across New Year, another certificate of the athlete may cover the days outside the dates of the entered one. */
function judgeParticipant(model: Model, eventId: number, own: Application, today: string): Eligibility {
  const event = eventOf(model, eventId);
  const { first, last } = daysOf(event);
  const claim: Claim = { profileId: own.profileId, event, applicationIds: [], paperIds: [] };
  const dates = own.certificate;
  const isDatedForEvent = dates !== null && dates.validFrom <= last && dates.validUntil >= first;
  const others = [...model.applications.values()].filter(({ id, profileId, certificate }) => {
    if (id === own.id || profileId !== own.profileId || certificate === null || dates === null) return false;
    const isApart = certificate.validUntil < dates.validFrom || certificate.validFrom > dates.validUntil;
    return isApart && certificate.validFrom <= last && certificate.validUntil >= first;
  });
  const added = isDatedForEvent && first.slice(0, 4) !== last.slice(0, 4) ? others.filter((other) => fits(model, other, claim)) : [];
  return judgeEligibility(model, { ...claim, applicationIds: [own.id, ...added.map(({ id }) => id)] }, today);
}

/** Events whose list, or the eligibility of an athlete in it, a step may have changed. */
function eventsOf(model: Model, touched: readonly Touched[]): Set<number> {
  const entered = [...model.participants.values()];
  const named = touched.flatMap(({ kind, id }) => {
    if (kind === 'participant') return [Number(String(id).split('/')[0])];
    if (kind === 'application') return entered.filter((one) => one.applicationId === id).map((one) => one.eventId);
    if (kind === 'event') return entered.filter((one) => one.eventId === id).map((one) => one.eventId);
    return [];
  });
  return new Set(named);
}

interface Shown {
  application_id: number;
  name: string;
  certificate_number: string;
  category: string | null;
  start_number: string | null;
  result_status: string;
  place: number | null;
  result: string | null;
  eligibility: never;
}

async function askList(inquiry: Inquiry, eventId: number): Promise<void> {
  const { model, today, asOwner, asAdministrator, same } = inquiry;
  const participants = [...model.participants.values()].filter((one) => one.eventId === eventId);
  const answer = await asOwner(organizerOf(model, eventId), 'GET /events/{id}/participants', {
    params: { id: eventId },
    query: '?limit=100',
  });
  const judged = participants.flatMap((one) => {
    const application = model.applications.get(one.applicationId);
    return application ? [{ one, eligibility: judgeParticipant(model, eventId, application, today) }] : [];
  });
  if (answer.status === 200 && answer.meta.total <= 100) {
    const rows = answer.data as Shown[];
    same(
      `the list of participants of event ${eventId} is what its organizer entered (EVT-12, EVT-13, EVT-20)`,
      byCertificate(participants.map(asShown)),
      byCertificate(rows.map(withoutEligibility)),
    );
    const places = rows.flatMap(({ place }) => place ?? []);
    same(
      `the participants of event ${eventId} are listed by place`,
      places.toSorted((left, right) => left - right),
      places,
    );
    for (const { one, eligibility } of judged) {
      const seen = rows.find(({ application_id: id }) => id === one.applicationId);
      if (seen) askEligibility(inquiry, `participant ${one.number} of event ${eventId}`, eligibility, seen.eligibility);
    }
  }
  if (eventOf(model, eventId).stages.results.status !== 'submitted') return;
  const inOrder = new Set(judged.map(({ eligibility }) => isInOrder(eligibility)));
  if (inOrder.has(null)) return;
  const { flags } = (await asAdministrator('GET /events/{id}', { params: { id: eventId } })).data.stages.results;
  same(
    `the review of the results of event ${eventId} says whether a participant is not eligible (EVT-21)`,
    inOrder.has(false) ? ['participants_not_valid'] : [],
    flags ?? [],
  );
  const queue = await asAdministrator('GET /admin/queue', { query: '?kind=event_stage&limit=100' });
  const row = (queue.data as { id: number; stage: string; flags: string[] }[]).find(
    ({ id, stage }) => id === eventId && stage === 'results',
  );
  if (row)
    same(
      `the queue says whether a participant of event ${eventId} is not eligible (EVT-21)`,
      inOrder.has(false),
      row.flags.includes('participants_not_valid'),
    );
}

function asShown({ applicationId, number, name, category, startNumber, resultStatus, place, result }: Participant) {
  return {
    application_id: applicationId,
    certificate_number: number,
    name,
    category,
    start_number: startNumber,
    result_status: resultStatus,
    place,
    result,
  };
}

function withoutEligibility({ application_id, certificate_number, name, category, start_number, result_status, place, result }: Shown) {
  return { application_id, certificate_number, name, category, start_number, result_status, place, result };
}

function byCertificate<Row extends { application_id: number }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((left, right) => left.application_id - right.application_id);
}
