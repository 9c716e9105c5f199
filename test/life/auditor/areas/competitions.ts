import { type Area, touchedIds } from '../area.ts';
import { type Event, type Stage, type StageName, stageNames } from '../competition-records.ts';
import type { Exchange } from '../exchange.ts';
import { type Model, ownerOf, priceOf } from '../model.ts';
import { notifyOnce } from './notifications.ts';
import { type Decision, decisionOn } from './profiles.ts';

/** Competitions and their stages, by `docs/rules/competitions.md`. */
export const competitionsArea: Area = {
  saw(model, exchange) {
    const { operation, params, body, data } = exchange;
    if (operation === 'POST /events') {
      model.events.set(data.id, newEvent(exchange));
      return [{ kind: 'event', id: data.id }];
    }
    const decided = decisionOn(exchange);
    if (decided && decided.kind !== 'event_stage') return [];
    const event = model.events.get(decided?.id ?? Number(params['id']));
    if (!event || (!decided && !operation.includes('/events/{id}'))) return [];
    const touched = [{ kind: 'event' as const, id: event.id }];
    if (decided) {
      decide(model, event, decided);
      return [...touched, ...feeOf(event), { kind: 'account', id: ownerOf(model, event.profileId) }];
    }
    switch (operation) {
      case 'PATCH /events/{id}':
        change(event, body as Change);
        return touched;
      case 'POST /events/{id}/submit': {
        const { stage } = body as { stage: StageName };
        Object.assign(event.stages[stage], { status: 'submitted', note: null });
        if (stage === 'details' && event.feeId === null) openFee(model, event, exchange);
        return [...touched, ...feeOf(event)];
      }
      case 'POST /events/{id}/cancel':
        end(model, event, 'cancelled');
        if (exchange.by.accountId !== ownerOf(model, event.profileId) || exchange.by.administratorId !== null)
          notifyOnce(model, ownerOf(model, event.profileId), 'event_stage.cancelled', event.id);
        return [...touched, ...feeOf(event), { kind: 'account', id: ownerOf(model, event.profileId) }];
      case 'PUT /events/{id}/registration-settings': {
        const { opens_at: opensAt, closes_at: closesAt, classes } = body as { opens_at?: string; closes_at?: string; classes: string[] };
        event.settings = { opensAt: instantOf(opensAt ?? null, 'first'), closesAt: instantOf(closesAt ?? null, 'last'), classes };
        return touched;
      }
      default:
        return [];
    }
  },

  async ask({ model, asOwner, publicly, eventually, same }, touched) {
    for (const id of touchedIds(touched, 'event')) {
      const event = model.events.get(id);
      if (!event) continue;
      await eventually(async () => {
        const seen = await asOwner(ownerOf(model, event.profileId), 'GET /events/{id}', { params: { id } });
        if (seen.status === 200) {
          const { status, title, location } = event;
          const shown = { status: seen.data.status, title: seen.data.title, location: seen.data.location };
          same(`event ${id} stands as it was left (EVT-2, EVT-3, EVT-9)`, { status, title, location }, shown);
          for (const name of stageNames) {
            // Stages that were not approved are over with a cancelled event.
            if (status === 'cancelled' && event.stages[name].status !== 'approved') continue;
            same(
              `the stage ${name} of event ${id} stands as the rules say (EVT-2, EVT-3)`,
              event.stages[name],
              stageOf(seen.data.stages[name]),
            );
          }
        }
        const open = await publicly('GET /events/public/{id}', { params: { id } });
        same(`event ${id} is public once it was published (EVT-3, EVT-17)`, event.wasPublished ? 200 : 404, open.status);
      });
    }
  },
};

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
    stages: { agreement: stage('open'), details: stage('locked'), regulations: stage('locked'), results: stage('locked') },
    feeId: null,
    settings: null,
  };
}

const stage = (status: Stage['status']): Stage => ({ status, fileId: null, note: null });

interface Change {
  title?: string;
  location?: string;
  starts_at?: string;
  ends_at?: string;
  reserve_at?: string | null;
  discipline_id?: number;
  service_id?: number;
  stage?: StageName;
  files?: Partial<Record<StageName, string>>;
}

function change(event: Event, sent: Change): void {
  event.title = sent.title ?? event.title;
  event.location = sent.location ?? event.location;
  event.startsAt = instantOf(sent.starts_at ?? null, 'first') ?? event.startsAt;
  event.endsAt = instantOf(sent.ends_at ?? null, 'last') ?? event.endsAt;
  if (sent.reserve_at !== undefined) event.reserveAt = instantOf(sent.reserve_at, 'last');
  event.disciplineId = sent.discipline_id ?? event.disciplineId;
  event.serviceId = sent.service_id ?? event.serviceId;
  if (sent.stage !== undefined) event.stages[sent.stage].fileId = sent.files?.[sent.stage] ?? null;
}

/** A decision on a submitted stage; a repeat of the last one changes nothing (NOT-1). */
function decide(model: Model, event: Event, { stage: name, decision, note }: Decision): void {
  const decided = event.stages[name as StageName];
  const told = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;
  if (decided.status !== 'submitted') return;
  notifyOnce(model, ownerOf(model, event.profileId), `event_stage.${told[decision]}`, event.id);
  decided.note = decision === 'approve' ? null : (note ?? null);
  if (decision === 'cancel') return end(model, event, 'cancelled');
  decided.status = told[decision];
  if (decision === 'changes') return;
  const next = stageNames[stageNames.indexOf(name as StageName) + 1];
  if (next && event.stages[next].status === 'locked') event.stages[next].status = 'open';
  if (name === 'details') Object.assign(event, { status: 'published', wasPublished: true });
  if (name === 'results') end(model, event, 'completed');
}

/** The fee closes with its event and is not returned (EVT-4). */
function end(model: Model, event: Event, status: 'completed' | 'cancelled'): void {
  event.status = status;
  const fee = event.feeId === null ? undefined : model.applications.get(event.feeId);
  if (fee) fee.status = 'closed';
}

/** The price of its day, paid like any application (EVT-4, APP-17). */
function openFee(model: Model, event: Event, { data, at }: Exchange): void {
  const service = model.services.get(event.serviceId);
  const year = Number(new Date(at.getTime() + 5 * 3_600_000).toISOString().slice(0, 4));
  event.feeId = data.application_id;
  model.applications.set(data.application_id, {
    id: data.application_id,
    profileId: event.profileId,
    serviceId: event.serviceId,
    year,
    amount: service ? priceOf(model, service, year) : 0,
    status: 'submitted',
    isPaid: false,
    payerId: null,
    documentIds: [],
    mustResubmit: false,
    certificate: null,
  });
}

function feeOf({ feeId }: Event) {
  return feeId === null ? [] : [{ kind: 'application' as const, id: feeId }];
}

interface ShownStage {
  status: Stage['status'];
  file_id: string | null;
  review_note: string | null;
}

const stageOf = ({ status, file_id: fileId, review_note: note }: ShownStage): Stage => ({ status, fileId, note });

/** An instant in milliseconds; a day alone is its first or last second in UTC+5, as is one without an offset. */
export function instantOf(text: string | null, side: 'first' | 'last'): number | null {
  if (text === null) return null;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Date.parse(`${text}T${side === 'first' ? '00:00:00' : '23:59:59'}+05:00`);
  return Math.floor(Date.parse(text) / 1000) * 1000;
}
