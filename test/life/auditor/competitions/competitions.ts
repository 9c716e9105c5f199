import { offerPlaces } from '../registrations/places.ts';
import { isDeepStrictEqual } from 'node:util';
import { type Area, type Touched, touchedIds } from '../area.ts';
import { type Event, type Stage, type StageName, stageNames } from './competition-records.ts';
import type { Exchange } from '../exchange.ts';
import { type Model, ownerOf } from '../model.ts';
import { indexYearOf, priceOf } from '../applications/prices.ts';
import { forgetVersion, readVersion } from './versions.ts';
import { type Change, changeOf, instantOf, intakeOf, type SentSettings } from './competition-changes.ts';
import { judgeEvent, judgeStageDecision } from './competition-judgement.ts';
import { askCalendarPage } from './calendar-page.ts';
import { askCalendar, askEvent } from './competition-questions.ts';
import { type Decision, decisionOn } from '../applications/profiles.ts';

/** Competitions and their stages, by `docs/rules/competitions.md`. */
export const competitionsArea: Area = {
  notifies: ['event_stage.approved', 'event_stage.changes', 'event_stage.cancelled', 'event_stage.reopened'],

  judge(model, asked, now) {
    const decided = decisionOn(asked);
    return decided?.kind === 'event_stage' ? judgeStageDecision(model, decided) : judgeEvent(model, asked, now);
  },

  saw(model, exchange) {
    const { operation, params, body, data, by } = exchange;
    if (operation === 'POST /events') {
      model.events.set(data.id, newEvent(exchange));
      model.noted(exchange, 'event.created', 'event', data.id);
      return [{ kind: 'event', id: data.id }];
    }
    const profileId = operation === 'POST /profiles' ? data.id : Number(params['id']);
    if (operation === 'POST /profiles' || /^PATCH \/(?:profiles|admin\/records\/profile)\/\{id\}$/.test(operation))
      return noteOrganizer(model, profileId, body);
    if (operation === 'POST /applications/{id}/pay') return eventsOfFee(model, Number(params['id']));
    const decided = decisionOn(exchange);
    if (decided && decided.kind !== 'event_stage') return [];
    const event = model.events.get(decided?.id ?? Number(params['id']));
    if (!event || (!decided && !operation.includes('/events/{id}'))) return [];
    const ownerId = ownerOf(model, event.profileId);
    if (decided) {
      decide(model, event, decided, exchange);
      return [...withDependents(model, event), { kind: 'account', id: ownerId }];
    }
    switch (operation) {
      case 'PATCH /events/{id}':
        change(model, event, exchange);
        return [{ kind: 'event', id: event.id }];
      case 'POST /events/{id}/submit': {
        const { stage } = body as { stage: StageName };
        Object.assign(event.stages[stage], { status: 'submitted', note: null });
        forgetVersion(model, `event_stage/${event.id}/${stage}`);
        model.noted(exchange, 'event.submitted', 'event', event.id);
        if (stage === 'details' && event.feeId === null) openFee(model, event, exchange);
        return withDependents(model, event);
      }
      case 'POST /events/{id}/cancel':
        end(model, event, 'cancelled', (body as { reason: string }).reason);
        model.noted(exchange, 'event.cancelled', 'event', event.id);
        // Who cancels knows of it; a person who is impersonated does not.
        if (by.accountId !== ownerId || by.administratorId !== null) model.expectNotified(ownerId, 'event_stage.cancelled', event.id);
        return [...withDependents(model, event), { kind: 'account', id: ownerId }];
      case 'PUT /events/{id}/registration-settings': {
        const settings = intakeOf(body as SentSettings);
        if (!isDeepStrictEqual(event.settings, settings)) model.noted(exchange, 'event.registration_settings_updated', 'event', event.id);
        event.settings = settings;
        return [{ kind: 'event', id: event.id }, ...offerPlaces(model, event.id, exchange.at)];
      }
      default:
        return [];
    }
  },

  read(model, { operation, data }) {
    if (operation !== 'GET /admin/queue') return;
    for (const row of data as { kind: string; id: number; stage?: string; updated_at: string | null }[])
      readVersion(model, [row.kind, row.id, ...(row.stage === undefined ? [] : [row.stage])].join('/'), row.updated_at);
  },

  async ask(inquiry, touched) {
    const ids = touchedIds(touched, 'event');
    for (const id of ids) {
      const event = inquiry.model.events.get(id);
      if (event) await inquiry.eventually(() => askEvent(inquiry, event));
    }
    if (ids.length > 0) await inquiry.eventually(() => askCalendarPage(inquiry));
  },

  askAll: askCalendar,
};

/** Everything whose state may follow from the event's. */
function withDependents(model: Model, { id, feeId }: Event): Touched[] {
  const contracts = [...model.contracts.values()].filter(({ eventId }) => eventId === id);
  const documents = [...model.additionalDocuments.values()].filter(({ eventId }) => eventId === id);
  return [
    { kind: 'event', id },
    ...(feeId === null ? [] : [{ kind: 'application' as const, id: feeId }]),
    ...contracts.map((contract) => ({ kind: 'contract' as const, id: contract.id })),
    ...documents.map((document) => ({ kind: 'additional_document' as const, id: document.id })),
  ];
}

/** The page of an event shows the name that its organizer has now. */
function noteOrganizer(model: Model, profileId: number, body: unknown): Touched[] {
  const { data = {} } = body as { data?: Record<string, string> };
  const known = model.organizers.get(profileId) ?? { organization: '', director: '' };
  const { organization_name: organization = known.organization, director_name: director = known.director } = data;
  if (organization === '') return [];
  model.organizers.set(profileId, { organization, director });
  return [...model.events.values()].filter((event) => event.profileId === profileId).map(({ id }) => ({ kind: 'event', id }));
}

function eventsOfFee(model: Model, applicationId: number): Touched[] {
  return [...model.events.values()].filter(({ feeId }) => feeId === applicationId).map(({ id }) => ({ kind: 'event', id }));
}

function newEvent({ body, data }: Exchange): Event {
  const sent = body as Record<string, string> & { profile_id: number; service_id: number; discipline_id: number };
  return {
    id: data.id,
    profileId: sent.profile_id,
    serviceId: sent.service_id,
    disciplineId: sent.discipline_id,
    title: sent['title'] ?? '',
    location: sent['location'] ?? '',
    startsAt: instantOf(sent['starts_at'] ?? null, 'first') ?? 0,
    endsAt: instantOf(sent['ends_at'] ?? null, 'last') ?? 0,
    reserveAt: instantOf(sent['reserve_at'] ?? null, 'last'),
    status: 'draft',
    wasPublished: false,
    cancelReason: null,
    stages: { agreement: stage('open'), details: stage('locked'), regulations: stage('locked'), results: stage('locked') },
    feeId: null,
    settings: null,
  };
}

const stage = (status: Stage['status']): Stage => ({ status, fileId: null, note: null });

/** Equal values change nothing. */
function change(model: Model, event: Event, exchange: Exchange): void {
  const sent = exchange.body as Change;
  const fields = changeOf(sent);
  const isOther = !isDeepStrictEqual({ ...event, ...fields }, event);
  if (isOther) model.noted(exchange, 'event.updated', 'event', event.id);
  Object.assign(event, fields);
  if (sent.stage === undefined) return;
  const fileId = sent.files?.[sent.stage] ?? null;
  if (event.stages[sent.stage].fileId !== fileId) model.noted(exchange, 'event.file_attached', 'event', event.id);
  event.stages[sent.stage].fileId = fileId;
  forgetVersion(model, `event_stage/${event.id}/${sent.stage}`);
}

/** A decision on a submitted stage; a repeat of the last one changes nothing (NOT-1). */
function decide(model: Model, event: Event, { stage: name, decision, note }: Decision, exchange: Exchange): void {
  const decided = event.stages[name as StageName];
  const told = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;
  if (decided.status !== 'submitted') return;
  forgetVersion(model, `event_stage/${event.id}/${name}`);
  model.noted(exchange, `event.${decision === 'changes' ? 'returned' : told[decision]}`, 'event', event.id);
  model.expectNotified(ownerOf(model, event.profileId), `event_stage.${told[decision]}`, event.id);
  decided.note = decision === 'approve' ? null : (note ?? null);
  if (decision === 'cancel') return end(model, event, 'cancelled', note ?? null);
  decided.status = told[decision];
  if (decision === 'changes') return;
  const next = stageNames[stageNames.indexOf(name as StageName) + 1];
  if (next && event.stages[next].status === 'locked') event.stages[next].status = 'open';
  if (name === 'details') Object.assign(event, { status: 'published', wasPublished: true });
  if (name === 'results') end(model, event, 'completed');
}

/** The fee closes with its event and is not returned (EVT-4). */
function end(model: Model, event: Event, status: 'completed' | 'cancelled', reason: string | null = null): void {
  event.cancelReason = reason;
  event.status = status;
  for (const name of stageNames) {
    if (event.stages[name].status === 'approved') continue;
    event.stages[name].status = 'locked';
    // A clerk who read the stage before has read another one (REV-5).
    forgetVersion(model, `event_stage/${event.id}/${name}`);
  }
  const fee = event.feeId === null ? undefined : model.applications.get(event.feeId);
  if (!fee || fee.status === 'closed') return;
  fee.status = 'closed';
  model.happened('application.closed', 'application', fee.id);
}

/** The price of its day, paid like any application (EVT-4, APP-17). */
function openFee(model: Model, event: Event, exchange: Exchange): void {
  const { data, at } = exchange;
  const service = model.services.get(event.serviceId);
  const year = Number(new Date(at.getTime() + 5 * 3_600_000).toISOString().slice(0, 4));
  event.feeId = data.application_id;
  model.applications.set(data.application_id, {
    id: data.application_id,
    profileId: event.profileId,
    serviceId: event.serviceId,
    disciplineId: event.disciplineId,
    year,
    amount: service ? priceOf(model, service, year, 'KZ') : 0,
    status: 'submitted',
    note: null,
    data: { insurance_territory: 'KZ', discipline_id: event.disciplineId },
    since: at,
    isPaid: false,
    payerId: null,
    documentIds: [],
    mustResubmit: false,
    isShared: false,
    certificate: null,
  });
  model.usedIndexes.add(indexYearOf(model, year));
  model.noted(exchange, 'application.created', 'application', data.application_id);
}
