import type { SentClass } from './competition-changes.ts';
import type { Exchange } from '../exchange.ts';
import { createHash } from 'node:crypto';
import { type Event, type Stage, type StageName, stageNames } from './competition-records.ts';
import { differencesOf, isInTurn, isLivingEvent, isPaidFee, liveContractOf } from './competitions-of.ts';
import type { Inquiry } from '../inquiry.ts';
import { publicEntries } from './participants.ts';
import { hasWords, queryOf, searchesFor } from './calendar-words.ts';
import { type Model, ownerOf } from '../model.ts';

/** What an event's organizer, an administrator and everybody see of it. */
export async function askEvent(inquiry: Inquiry, event: Event): Promise<void> {
  const { model, asOwner, asAdministrator, same } = inquiry;
  const { id } = event;
  const params = { params: { id } };
  const seen = await asOwner(ownerOf(model, event.profileId), 'GET /events/{id}', params);
  const record = (await asAdministrator('GET /events/{id}', params)).data;
  if (seen.status === 200) {
    const common = { ...record, process: undefined, stages: stagesOf(record.stages) };
    same(`an administrator sees event ${id} as its organizer does`, common, {
      ...seen.data,
      process: undefined,
      stages: stagesOf(seen.data.stages),
    });
  }
  same(`event ${id} stands as it was left (EVT-2, EVT-3, EVT-5, EVT-6, EVT-9)`, expectedRecord(model, event), shownRecord(record));
  for (const name of stageNames)
    if (event.status !== 'cancelled' || event.stages[name].status === 'approved')
      same(`the stage ${name} of event ${id} stands as the rules say (EVT-2, EVT-3)`, event.stages[name], stageOf(record.stages[name]));
  for (const [name, deadline] of deadlinesOf(event))
    same(`the deadline of the stage ${name} of event ${id} (EVT-8)`, deadline, Date.parse(record.stages[name].deadline));
  same(`event ${id} waits for who can act (EVT-3, EVT-4, EVT-7, EVT-8)`, partyOf(model, event, inquiry.now), record.process.waiting_for);
  await askEventQueue(inquiry, event);
  await askIntake(inquiry, event);
  await askPublicEvent(inquiry, event);
}

function expectedRecord(model: Model, event: Event) {
  const fee = event.feeId === null ? undefined : model.applications.get(event.feeId);
  return {
    status: event.status,
    title: event.title,
    location: event.location,
    dates: [event.startsAt, event.endsAt, event.reserveAt],
    discipline_id: event.disciplineId,
    service_id: event.serviceId,
    agreement_differs: differencesOf(model, event),
    fee: fee ? { application_id: fee.id, status: fee.status, paid: fee.isPaid || fee.amount === 0 } : null,
    was_published: event.wasPublished,
    cancel_reason: event.cancelReason,
  };
}

function shownRecord(row: Exchange['data']) {
  const { status, title, location, discipline_id, service_id, agreement_differs, fee, cancel_reason } = row;
  const instants = [row.starts_at, row.ends_at, row.reserve_at].map((text) => (text === null ? null : Date.parse(text)));
  return {
    status,
    title,
    location,
    dates: instants,
    discipline_id,
    service_id,
    agreement_differs,
    fee,
    was_published: row.published_at !== null,
    cancel_reason,
  };
}

interface ShownStage {
  status: Stage['status'];
  file_id: string | null;
  review_note: string | null;
}

const stageOf = ({ status, file_id: fileId, review_note: note }: ShownStage): Stage => ({ status, fileId, note });

const stagesOf = (stages: Record<StageName, ShownStage>) => stageNames.map((name) => stageOf(stages[name]));

const dayMs = 86_400_000;

/** 45, 30 and 14 days before the start, 7 after the end (EVT-8). */
export function deadlinesOf({ startsAt, endsAt }: Event): Map<StageName, number> {
  return new Map<StageName, number>([
    ['agreement', startsAt - 45 * dayMs],
    ['details', startsAt - 30 * dayMs],
    ['regulations', startsAt - 14 * dayMs],
    ['results', endsAt + 7 * dayMs],
  ]);
}

/** Who must act next; null for an event that is over. */
function partyOf(model: Model, event: Event, now: Date): string | null {
  const stage = stageNames.find((name) => event.stages[name].status !== 'approved');
  if (!isLivingEvent(event) || stage === undefined) return null;
  if (event.stages[stage].status === 'submitted') return stage === 'details' && !isPaidFee(model, event) ? 'owner' : 'administrator';
  if (stage === 'agreement') return liveContractOf(model, event.id)?.status === 'pending' ? 'administrator' : 'owner';
  return stage === 'results' && event.stages.results.status === 'open' && now.getTime() < event.endsAt ? 'date' : 'owner';
}

/** A submitted stage waits in the queue while it can be decided: after all earlier ones, and details once the fee is paid. */
async function askEventQueue({ model, asAdministrator, same }: Inquiry, event: Event): Promise<void> {
  const waiting = stageNames.filter(
    (name) => event.stages[name].status === 'submitted' && isInTurn(event, name) && (name !== 'details' || isPaidFee(model, event)),
  );
  const queue = await asAdministrator('GET /admin/queue', { query: '?kind=event_stage&limit=100' });
  const all = queue.data as { id: number; stage: StageName; flags: string[]; waiting_since: string }[];
  const instants = all.map((row) => Date.parse(row.waiting_since));
  same(
    'the queue shows stages oldest first (REV-3)',
    instants.toSorted((left, right) => left - right),
    instants,
  );
  const rows = all.filter(({ id }) => id === event.id);
  same(
    `the queue holds the stage of event ${event.id} that an administrator can decide on (EVT-3, EVT-4, REV-3)`,
    waiting,
    rows.map(({ stage }) => stage),
  );
  const differs = rows.filter(({ stage }) => stage === 'details').map(({ flags }) => flags.includes('agreement_differs'));
  if (differs.length > 0)
    same(`the queue says whether event ${event.id} differs from its agreement (EVT-6)`, [differencesOf(model, event).length > 0], differs);
}

/** It closes when the organizer says, by default at the start, at the latest with the event (EVT-14). */
async function askIntake({ model, asOwner, same }: Inquiry, event: Event): Promise<void> {
  const { settings, startsAt, endsAt } = event;
  const shown = await asOwner(ownerOf(model, event.profileId), 'GET /events/{id}/registration-settings', { params: { id: event.id } });
  if (shown.status !== 200) return;
  const { opens_at: opensAt, closes_at: closesAt, classes, class_limits: limits } = shown.data;
  const limitOfShown = ({ name, capacity, waiting_list: waitingList, offer_hours: offerHours }: Required<SentClass>) =>
    [name, { capacity, waitingList, offerHours }] as const;
  same(
    `the intake of event ${event.id} is as its organizer set it (EVT-14)`,
    {
      opensAt: settings?.opensAt ?? null,
      closesAt: Math.min(settings?.closesAt ?? startsAt, endsAt),
      classes: settings?.classes ?? [],
      limits: settings?.limits ?? {},
    },
    {
      opensAt: opensAt === null ? null : Date.parse(opensAt),
      closesAt: Date.parse(closesAt),
      classes,
      limits: Object.fromEntries(limits.map(limitOfShown)),
    },
  );
}

interface PublicResult {
  name: string;
  class: string | null;
  start_number: string | null;
  result_status: string;
  place: number | null;
  result: string | null;
}

/** Everybody sees an event that was published, the organization without its director, and what was approved (EVT-3, EVT-10, EVT-17). */
async function askPublicEvent({ model, publicly, same, registryUrl }: Inquiry, event: Event): Promise<void> {
  const { id } = event;
  const shown = await publicly('GET /events/public/{id}', { params: { id } });
  same(`event ${id} is public once it was published (EVT-3, EVT-17)`, event.wasPublished ? 200 : 404, shown.status);
  const base = `${registryUrl}/api/v1/events/public/${id}/documents`;
  for (const stage of ['regulations', 'results'] as const) {
    const { status, fileId } = event.stages[stage];
    const file = event.wasPublished && status === 'approved' && fileId !== null ? model.files.get(fileId) : undefined;
    const answer = await publicly(`GET /events/public/{id}/documents/${stage}`, { params: { id } });
    same(`the ${stage} of event ${id} are public once approved (EVT-17)`, file ? 200 : 404, answer.status);
    if (file) same(`the public ${stage} of event ${id} are the approved file`, file.sha256, sha256(answer.bytes));
    if (shown.status === 200)
      same(
        `the page of event ${id} links its ${stage} once approved (EVT-17)`,
        file ? `${base}/${stage}` : null,
        shown.data.documents[stage].url,
      );
  }
  if (shown.status !== 200) return;
  const { title, location, status } = shown.data;
  same(
    `everybody sees what event ${id} is`,
    { title: event.title, location: event.location, status: event.status },
    { title, location, status },
  );
  same(
    `everybody sees when event ${id} is`,
    [event.startsAt, event.endsAt, event.reserveAt],
    [shown.data.starts_at, shown.data.ends_at, shown.data.reserve_at].map((text) => (text === null ? null : Date.parse(text))),
  );
  const organizer = model.organizers.get(event.profileId);
  if (organizer) {
    same(`event ${id} names its organization (EVT-17)`, organizer.organization, shown.data.organizer_name);
    same(`event ${id} does not name the director (EVT-17)`, false, shown.bytes.toString().includes(organizer.director));
  }
  const results = publicEntries(model, id).map(({ name, category, startNumber, resultStatus, place, result }) => ({
    name,
    class: category,
    start_number: startNumber,
    result_status: resultStatus,
    place,
    result,
  }));
  same(`everybody reads the results of event ${id} once they are approved (EVT-17)`, asLines(results), asLines(shown.data.results));
  const approved = [...model.additionalDocuments.values()]
    .filter((document) => document.eventId === id && document.status === 'approved')
    .toSorted((left, right) => left.id - right.id);
  same(
    `event ${id} shows its approved bulletins (EVT-10)`,
    approved.map((document) => ({ document_id: document.id, title: document.title, url: `${base}/additional/${document.id}` })),
    (shown.data.documents.additional as { document_id: number; title: string; url: string }[]).map((row) => ({
      document_id: row.document_id,
      title: row.title,
      url: row.url,
    })),
  );
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The calendar holds every event that was published, by its start, and no other (EVT-11). */
export async function askCalendar({ model, publicly, same }: Inquiry): Promise<void> {
  const published = [...model.events.values()].filter(({ wasPublished }) => wasPublished);
  const inOrder = (events: readonly Event[]) =>
    events.toSorted((left, right) => left.startsAt - right.startsAt || left.id - right.id).map(({ id }) => id);
  const listed = async (query: string) => {
    const { data } = await publicly('GET /events/public', { query: `?limit=100${query}` });
    return (data as { id: number }[]).map(({ id }) => id);
  };
  same('the calendar holds every event that was published (EVT-11)', inOrder(published), await listed(''));
  const [some] = published;
  if (!some) return;
  const ofDiscipline = published.filter(({ disciplineId }) => disciplineId === some.disciplineId);
  same('the calendar finds events by discipline (EVT-11)', inOrder(ofDiscipline), await listed(`&discipline_id=${some.disciplineId}`));
  const day = new Date(some.startsAt + 5 * 3_600_000).toISOString().slice(0, 10);
  const from = Date.parse(`${day}T00:00:00+05:00`);
  const onDay = published.filter(({ startsAt }) => startsAt >= from && startsAt < from + dayMs);
  same('the calendar finds events by the day of their start (EVT-11)', inOrder(onDay), await listed(`&from=${day}&to=${day}`));
  for (const words of searchesFor(model, some)) {
    const found = published.filter((event) => hasWords(model, event, words));
    same(`the calendar finds events by the words ${words.join(' ')} (EVT-11)`, inOrder(found), await listed(`&q=${queryOf(words)}`));
  }
  const feed = (await publicly('GET /events/public.ics')).bytes.toString();
  const inFeed = [...feed.matchAll(/^UID:event-(\d+)@/gm)].map(([, id]) => Number(id));
  same('the feed holds every event that was published (EVT-11)', inOrder(published), inFeed);
}

/** The lines of a table, in any order. */
function asLines(rows: readonly PublicResult[]): string[] {
  return rows
    .map((row) => [row.name, row.class, row.start_number, row.result_status, row.place, row.result].join(' | '))
    .toSorted((left, right) => left.localeCompare(right));
}
