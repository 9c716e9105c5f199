import type { Touched } from '../area.ts';
import { inOrder, judgeEligibility, type Reason } from './eligibility.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Registration } from './registration-records.ts';
import { athleteOf, claimOf, eventOf, isLive, organizerOf, registrationsOf } from './registrations-of.ts';
import { settleRegistrations } from '../notifications/settling.ts';
import { followApplication } from '../applications/applications.ts';
import { askExport } from './registration-export.ts';
import { askPlace, askPlaces } from './places.ts';
import { askNotices, askSubmissionNotices } from './registration-notices.ts';
import { askOptions } from './registration-options.ts';

/** Asks about the registrations that a step touched, and about those whose judgement it changed. */
export async function askAboutTouched(inquiry: Inquiry, touched: readonly Touched[]): Promise<void> {
  const { model, now, today } = inquiry;
  if (model.registrations.size === 0) return;
  await followLicences(inquiry, touched);
  settleRegistrations(model, now, true);
  const isTouched = (kind: Touched['kind'], id: number) => touched.some((one) => one.kind === kind && one.id === id);
  const concerned = [...model.registrations.values()].filter((registration) => {
    const judgement = JSON.stringify(judgeEligibility(model, claimOf(model, registration), today));
    const isChanged = isLive(registration) && model.lastJudgements.get(registration.id) !== judgement;
    model.lastJudgements.set(registration.id, judgement);
    return isChanged || isTouched('registration', registration.id) || isTouched('event', registration.eventId);
  });
  for (const registration of concerned) await inquiry.eventually(() => askOne(inquiry, registration));
  for (const eventId of new Set(concerned.map((one) => one.eventId))) {
    await askOrganizersList(inquiry, eventId);
    await inquiry.eventually(() => askPlaces(inquiry, eventOf(model, eventId)));
  }
  for (const accountId of new Set(concerned.map((one) => athleteOf(model, one)))) await askOwnList(inquiry, accountId);
  for (const eventId of eventsOf(touched, concerned)) await askSubmissionNotices(inquiry, eventId);
  const sides = concerned.flatMap((one) => [athleteOf(model, one), organizerOf(model, one.eventId)]);
  await askNotices(inquiry, new Set([...sides, ...model.untold]));
  await askOptions(inquiry, touched, concerned);
}

/** Asks about every registration, list and export. */
export async function askAboutAll(inquiry: Inquiry): Promise<void> {
  const { model } = inquiry;
  for (const registration of model.registrations.values()) await askTimeline(inquiry, registration);
  for (const { id } of model.events.values()) {
    if (registrationsOf(model, id).length === 0) continue;
    await askExport(inquiry, id);
    await askSubmissionNotices(inquiry, id, true);
  }
  await askNotices(inquiry, new Set(model.told.keys()));
}

function eventsOf(touched: readonly Touched[], concerned: readonly Registration[]): Set<number> {
  const isSent = (one: Registration) => touched.some(({ kind, id }) => kind === 'registration' && id === one.id);
  return new Set(concerned.filter(isSent).map(({ eventId }) => eventId));
}

/** The registry approves a certificate by itself; eligibility follows. */
async function followLicences({ model, now, asAdministrator }: Inquiry, touched: readonly Touched[]): Promise<void> {
  const named = new Set([...model.registrations.values()].flatMap(({ applicationIds }) => applicationIds));
  for (const { kind, id } of touched) {
    const application = kind === 'application' && typeof id === 'number' && named.has(id) ? model.applications.get(id) : undefined;
    if (!application) continue;
    const record = await asAdministrator('GET /admin/records/{kind}/{id}', { params: { kind: 'application', id: application.id } });
    followApplication(model, application, record.data, now);
  }
}

/** What the registry shows of a registration, to the athlete or to the organizer. */
interface Shown {
  id: number;
  status: string;
  class: string;
  vehicle: Record<string, string>;
  crew: { role: string; registration_id: number }[];
  application_ids: number[];
  waiting_place: number | null;
  offered_until: string | null;
  start_number: string | null;
  reason: string | null;
  documents: {
    document_id: number;
    type: string;
    expires_at: string | null;
    status: string;
    file_id: string | null;
    number: string | null;
  }[];
  history: { at: string; status: string; actor: string; reason: string | null; start_number: string | null }[];
  eligibility: { ok: boolean; reasons: Reason[]; past: Reason[] };
}

/** The athlete's view. */
async function askOne(inquiry: Inquiry, registration: Registration): Promise<void> {
  const { model, today, asOwner, same } = inquiry;
  const { id } = registration;
  const answer = await asOwner(athleteOf(model, registration), 'GET /event-registrations/{id}', { params: { id } });
  if (answer.status !== 200) return;
  const seen = answer.data as Shown;
  same(`registration ${id} stands as the rules say (REG-2, REG-5, REG-9)`, registration.status, seen.status);
  const contentOf = (
    class_: string,
    vehicle: object,
    crew: unknown[],
    applicationIds: number[],
    startNumber: string | null,
    reason: unknown,
  ) => ({ class: class_, vehicle, crew, applications: sorted(applicationIds), startNumber, reason });
  const crew = registration.crew.map(({ role, registrationId }) => ({ role, registration_id: registrationId }));
  same(
    `registration ${id} has what its athlete and the organizer gave it (REG-12, REG-13)`,
    contentOf(
      registration.class,
      registration.vehicle,
      byMember(crew),
      registration.applicationIds,
      registration.startNumber,
      registration.reason,
    ),
    contentOf(seen.class, seen.vehicle, byMember(seen.crew), seen.application_ids, seen.start_number, seen.reason),
  );
  const documents = seen.documents.map(({ document_id, type, expires_at, status }) => ({ document_id, type, expires_at, status }));
  same(
    `registration ${id} keeps the documents of its submission (REG-10)`,
    registration.snapshot,
    documents.toSorted((left, right) => left.document_id - right.document_id),
  );
  const history = seen.history.map(({ status, actor, reason, start_number }) => ({ status, actor, reason, start_number }));
  same(
    `the history of registration ${id} has each step once, in order, by who took it (REG-5, REG-9, REG-12)`,
    registration.history,
    history,
  );
  const instants = seen.history.map(({ at }) => Date.parse(at));
  same(
    `the history of registration ${id} is in the order of time`,
    instants.toSorted((left, right) => left - right),
    instants,
  );
  askPlace(inquiry, registration, seen);
  askEligibility(inquiry, `registration ${id}`, judgeEligibility(model, claimOf(model, registration), today), seen.eligibility);
  if (!registration.wasSubmitted) await askDraft(inquiry, registration);
}

/** The organizer does not see a draft, also not by its address (REG-8). */
async function askDraft({ model, asOwner, same }: Inquiry, registration: Registration): Promise<void> {
  const { id, eventId } = registration;
  const organizer = organizerOf(model, eventId);
  if (organizer === athleteOf(model, registration) || model.accounts.get(organizer)?.role === 'administrator') return;
  const { status } = await asOwner(organizer, 'GET /event-registrations/{id}', { params: { id } });
  same(`the organizer of event ${eventId} does not read the draft ${id} (REG-8)`, false, status === 200);
}

/** Compares a judgement with what the registry shows (REG-4). */
export function askEligibility(
  { same }: Inquiry,
  of: string,
  { ok, reasons, past }: { ok: boolean; reasons: Reason[]; past: Reason[] | null },
  seen: Shown['eligibility'],
): void {
  same(`${of} is eligible today and on the days to come when the rules say so (REG-3, REG-4)`, ok, seen.ok);
  same(`${of} names why it is not eligible, by day (REG-4)`, reasons, inOrder(seen.reasons));
  if (past !== null) same(`${of} is judged on days gone by by what held on them (REG-4)`, past, inOrder(seen.past));
}

/** The organizer sees what was submitted, without drafts, scans and documents of licences, and judges by the same facts (REG-8). */
async function askOrganizersList(inquiry: Inquiry, eventId: number): Promise<void> {
  const { model, today, asOwner, same, eventually } = inquiry;
  await eventually(async () => {
    const rows: Shown[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await asOwner(organizerOf(model, eventId), 'GET /events/{id}/registrations', {
        params: { id: eventId },
        query: `?limit=100&page=${page}`,
      });
      if (answer.status !== 200) return;
      rows.push(...(answer.data as Shown[]));
      if (rows.length >= answer.meta.total || answer.data.length === 0) break;
    }
    const submitted = registrationsOf(model, eventId).filter(({ wasSubmitted }) => wasSubmitted);
    const expected = submitted.map(({ id, status, startNumber }) => ({ id, status, start_number: startNumber }));
    same(
      `the organizer of event ${eventId} sees each registration that was submitted, newest first, and no draft (REG-8)`,
      expected.toSorted((left, right) => right.id - left.id),
      rows.map(({ id, status, start_number: number }) => ({ id, status, start_number: number })),
    );
    const waiting = await asOwner(organizerOf(model, eventId), 'GET /events/{id}/registrations', {
      params: { id: eventId },
      query: '?limit=100&status=submitted',
    });
    if (waiting.status === 200 && waiting.meta.total <= 100)
      same(
        `the organizer of event ${eventId} lists what waits for a decision (REG-5)`,
        submitted.flatMap(({ id, status }) => (status === 'submitted' ? [id] : [])).toSorted((left, right) => right - left),
        (waiting.data as Shown[]).map(({ id }) => id),
      );
    const numbers = rows.flatMap(({ start_number: number }) => number ?? []);
    same(`no start number occurs twice in event ${eventId} (REG-12)`, [...new Set(numbers)], numbers);
    for (const registration of submitted) {
      const seen = rows.find(({ id }) => id === registration.id);
      if (!seen) continue;
      const { id } = registration;
      const steps = registration.history.filter(({ status }) => status !== 'draft').map(({ status }) => status);
      same(
        `the organizer sees the steps of registration ${id} since its submission (REG-8)`,
        steps,
        seen.history.map(({ status }) => status),
      );
      same(
        `the organizer sees only papers of another federation of registration ${id}, without scans`,
        sorted(registration.paperIds),
        sorted(seen.documents.map(({ document_id: document }) => document)),
      );
      same(
        `the organizer opens no scan of registration ${id}`,
        [],
        seen.documents.flatMap(({ file_id: file }) => file ?? []),
      );
      askEligibility(
        inquiry,
        `the organizer's view of registration ${id}`,
        judgeEligibility(model, claimOf(model, registration), today),
        seen.eligibility,
      );
    }
  });
}

async function askOwnList({ model, asOwner, same }: Inquiry, accountId: number): Promise<void> {
  const answer = await asOwner(accountId, 'GET /event-registrations', { query: '?limit=100' });
  if (answer.status !== 200 || answer.meta.total > 100) return;
  const own = [...model.registrations.values()].filter((one) => athleteOf(model, one) === accountId);
  same(
    `account ${accountId} lists its registrations, newest first`,
    own.map(({ id }) => id).toSorted((left, right) => right - left),
    (answer.data as { id: number }[]).map(({ id }) => id),
  );
}

/** The timeline tells the steps of the history, beside a lapse (ADM-5). */
async function askTimeline({ model, asOwner, same }: Inquiry, registration: Registration): Promise<void> {
  const { id, history } = registration;
  const answer = await asOwner(athleteOf(model, registration), 'GET /event-registrations/{id}/timeline', { params: { id } });
  if (answer.status !== 200) return;
  const steps = (answer.data as { step: string }[]).map(({ step }) => step).filter((step) => step !== 'lapsed');
  const expected = history.map(({ status }, index) => stepOf(status, history[index - 1]?.status));
  same(`the timeline of registration ${id} tells its history (ADM-5)`, expected, steps);
  const { status } = eventOf(model, registration.eventId);
  const isWaiting = registration.status === 'submitted' && status === 'published';
  const last = (answer.data as { waiting_for: string | null }[]).at(-1)?.waiting_for;
  if (isWaiting && last !== null) same(`registration ${id} waits for its organizer`, 'organizer', last);
}

function stepOf(status: Registration['status'], before: Registration['status'] | undefined): string {
  if (before === status) return 'numbered';
  if (status === 'waiting') return before === 'offered' ? 'requeued' : 'queued';
  if (status === 'submitted' && before === 'offered') return 'accepted';
  return status === 'draft' ? 'created' : status;
}

const sorted = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);
const byMember = (crew: { role: string; registration_id: number }[]) =>
  crew.toSorted((left, right) => left.registration_id - right.registration_id);
