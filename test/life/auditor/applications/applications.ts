import { askNamedStep, type NamedStep } from '../named-step.ts';
import { type Area, type Touched, touchedIds } from '../area.ts';
import { judgeApplications } from './application-judgement.ts';
import { change, disciplineOf, price, type Sent } from './contents.ts';
import { type Decision, decisionOn } from './decisions.ts';
import type { Exchange } from '../exchange.ts';
import { photoOf } from '../files/file-uses.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Application, Service } from './application-records.ts';
import { dayOf } from '../days.ts';
import { type Model, ownerOf } from '../model.ts';
import { end, isLiving, isOver, move, refund } from './ends.ts';
import { indexYearOf } from './prices.ts';
import { judgedDay, readinessOf, serviceOf } from './readiness.ts';
import { partyOf } from './parties.ts';

/** Applications and certificates, by `docs/rules/applications.md`. */
export const applicationsArea: Area = {
  records: ['application'],
  notifies: ['application'],

  judge: judgeApplications,

  saw(model, exchange) {
    const { operation, params, data } = exchange;
    if (operation === 'POST /applications') return add(model, exchange);
    const decided = decisionOn(exchange);
    if (decided && decided.kind !== 'application') return [];
    const application = model.applications.get(decided?.id ?? Number(params['id']));
    if (!application) return [];
    const touched = decided ? decide(model, application, decided, exchange) : take(model, application, exchange);
    if (touched.length > 0) model.shown.shown(`application/${application.id}`, data?.revision);
    return touched;
  },

  dayCame: (model, day) =>
    [...model.applications.values()].filter((one) => mayMove(model, one, day)).map(({ id }) => ({ kind: 'application', id })),

  async ask(inquiry, touched) {
    for (const id of touchedIds(touched, 'application')) {
      const application = inquiry.model.applications.get(id);
      if (application) await inquiry.eventually(() => askApplication(inquiry, application));
    }
  },

  askAll: async ({ model, same }) => {
    const numbers = model.applications.values().flatMap(({ certificate }) => (certificate ? [certificate.number] : []));
    const series = Map.groupBy(numbers, (number) => number.slice(0, number.lastIndexOf('-')));
    for (const [name, issued] of series) {
      const sequence = issued.map((number) => Number(number.slice(name.length + 1))).toSorted((left, right) => left - right);
      same(
        `the numbers ${name} have no gaps (APP-7)`,
        sequence.map((_, index) => index + 1),
        sequence,
      );
    }
  },
};

/** Reads the touched applications again, before another question about them: their processes may have gone on. @throws {Finding} */
export async function followTouched(inquiry: Inquiry, touched: readonly Touched[]): Promise<void> {
  for (const id of touchedIds(touched, 'application')) {
    const application = inquiry.model.applications.get(id);
    if (application) await askApplication(inquiry, application);
  }
}

/** Forms of numbers by kind: letter, year and digits (APP-7). */
const numberForms: Partial<Record<Service['kind'], RegExp>> = {
  national_certificate: /^KZ-N-\d{4}-\d{6}$/,
  international_licence: /^KZ-I-\d{4}-\d{5}$/,
  document: /^KZ-D-\d{4}-\d{6}$/,
};

async function askApplication(inquiry: Inquiry, application: Application): Promise<void> {
  const { model, today, now, asOwner, asAdministrator, same } = inquiry;
  const { id } = application;
  const record = (await asAdministrator('GET /admin/records/{kind}/{id}', { params: { kind: 'application', id } })).data;
  followApplication(model, application, record, now);
  same(`application ${id} stands as the rules say (APP-2, APP-5, APP-11, APP-12)`, application.status, record.status);
  same(`application ${id} is paid as it was (APP-12, WAL-12)`, application.isPaid, record.paid);
  same(`application ${id} costs what the catalogue says (CAT-1, CAT-2, CAT-3, CAT-5)`, application.amount, record.amount_minor);
  same(`application ${id} has the documents that its owner gave it`, inOrder(application.documentIds), inOrder(record.document_ids));
  same(`application ${id} has the data that its owner gave it (APP-9)`, application.data, record.data);
  const { number, valid_from: validFrom, valid_until: validUntil } = record;
  const { certificate } = application;
  const issued = certificate && { number: certificate.number, validFrom: certificate.validFrom, validUntil: certificate.validUntil };
  same(
    `application ${id} has number and days since it was approved once (APP-6, APP-7, APP-8)`,
    issued,
    number === null ? null : { number, validFrom, validUntil },
  );
  if (number !== null) {
    const isInSeries = numberForms[serviceOf(model, application).kind]?.test(number) && number.includes(`-${application.year}-`);
    same(`the number ${number} of application ${id} is of its kind and year (APP-7)`, true, isInSeries);
  }
  if (application.note !== null) same(`application ${id} has the note of its last decision (REV-2)`, application.note, record.review_note);
  model.shown.shown(`application/${id}`, record.revision);
  const ownerId = ownerOf(model, application.profileId);
  const read = await asOwner(ownerId, 'GET /applications/{id}/readiness', { params: { id } });
  if (read.status !== 200) return;
  const shownRules = read.data as (NamedStep & { ok: boolean })[];
  for (const [rule, isMet] of readinessOf(model, application, today)) {
    const shown = shownRules.find((row) => row.rule === rule);
    same(`readiness of application ${id} shows the rule ${rule} (APP-4)`, isMet, shown?.ok ?? 'absent');
  }
  for (const rule of shownRules) {
    askNamedStep(inquiry, ownerId, `readiness of application ${id}`, rule);
    const party = rule.ok ? null : partyOf(model, application, rule.rule, today);
    if (party !== null) same(`the rule ${rule.rule} of application ${id} waits for who can act (APP-4)`, party, rule.waiting_for);
  }
}

const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);

function add(model: Model, exchange: Exchange): Touched[] {
  const { body, data, at } = exchange;
  const sent = body as Sent;
  const year = sent.year ?? Number(dayOf(at).slice(0, 4));
  const application: Application = {
    id: data.id,
    profileId: sent.profile_id,
    serviceId: sent.service_id,
    disciplineId: disciplineOf(sent.data),
    year,
    amount: 0,
    status: 'draft',
    note: null,
    data: { insurance_territory: 'KZ', ...sent.data },
    since: at,
    isPaid: false,
    payerId: null,
    documentIds: sent.document_ids ?? [],
    mustResubmit: false,
    isShared: false,
    certificate: null,
  };
  price(model, application);
  model.applications.set(data.id, application);
  model.noted(exchange, 'application.created', 'application', data.id);
  model.shown.shown(`application/${data.id}`, data.revision);
  // One of the same kind that has ended is closed at once (APP-13).
  const alike = model.applications.values().filter((other) => other.profileId === application.profileId);
  return alike.map(({ id }) => ({ kind: 'application' as const, id })).toArray();
}

function take(model: Model, application: Application, exchange: Exchange): Touched[] {
  const { operation, by, at } = exchange;
  const { id } = application;
  const touched: Touched[] = [{ kind: 'application', id }];
  switch (operation) {
    case 'PATCH /applications/{id}':
      if (change(model, application, exchange)) step(model, application, exchange, 'updated');
      return touched;
    case 'POST /applications/{id}/submit':
      if (application.status === 'approved' && !application.mustResubmit) return touched;
      if (application.status === 'draft') {
        price(model, application);
        model.usedIndexes.add(indexYearOf(model, application.year));
      }
      application.mustResubmit = false;
      application.note = null;
      if (application.status !== 'approved') application.status = 'submitted';
      application.since = at;
      step(model, application, exchange, 'submitted');
      return touched;
    case 'POST /applications/{id}/pay':
      if (application.isPaid || application.amount === 0) return touched;
      application.isPaid = true;
      application.payerId = by.accountId;
      application.since = at;
      move(model, by.accountId, -application.amount);
      step(model, application, exchange, 'paid');
      return [...touched, { kind: 'account', id: by.accountId }];
    case 'POST /applications/{id}/cancel':
      end(model, application, 'cancelled', at);
      application.note = (exchange.body as { reason: string }).reason;
      step(model, application, exchange, 'cancelled');
      model.expectNotified(ownerOf(model, application.profileId), 'application.cancelled', id);
      if (application.certificate === null) refund(model, application);
      return [...touched, ...(application.payerId === null ? [] : [{ kind: 'account' as const, id: application.payerId }])];
    default:
      return [];
  }
}

function decide(model: Model, application: Application, decided: Decision, exchange: Exchange): Touched[] {
  const { decision, note = null } = decided;
  const touched: Touched[] = [{ kind: 'application', id: application.id }];
  const ownerId = ownerOf(model, application.profileId);
  if (decision === 'approve') {
    if (application.status === 'approved') return touched;
    approve(model, application, exchange.data, exchange.at, decided);
    step(model, application, exchange, 'approved');
    model.expectNotified(ownerId, 'application.approved', application.id);
    return touched;
  }
  const status = decision === 'changes' ? 'changes' : 'cancelled';
  if (application.status === status && application.note === note) return touched;
  // A cancel annuls and refunds nothing (APP-12).
  if (decision === 'cancel') end(model, application, 'cancelled', exchange.at);
  else application.status = 'changes';
  application.note = note;
  step(model, application, exchange, decision === 'changes' ? 'returned' : 'cancelled');
  model.expectNotified(ownerId, `application.${status}`, application.id);
  return touched;
}

/** A step of a request: one row of the audit (APP-18), and a new revision. */
function step(model: Model, { id }: Application, exchange: Exchange, name: string): void {
  model.noted(exchange, `application.${name}`, 'application', id);
  model.shown.changed(`application/${id}`);
}

export function ownerOfApplication(model: Model, { profileId }: Application): number {
  return model.profiles.get(profileId)?.ownerId ?? 0;
}

interface Shown {
  status: string;
  paid: boolean;
  number: string | null;
  valid_from: string | null;
  verification_token: string | null;
}

/** What a registry does by itself: it approves a national certificate once every rule holds (APP-5), and closes what is over (APP-13). */
export function followApplication(model: Model, application: Application, record: Shown, now: Date): void {
  const { id } = application;
  const today = dayOf(now);
  // A review answers without the token.
  if (application.certificate) {
    application.certificate.token ||= record.verification_token ?? '';
    application.certificate.number ||= record.number ?? '';
  }
  const isReady = readinessOf(model, application, today).values().every(Boolean);
  const { kind } = serviceOf(model, application);
  const isOwnStep = application.status === 'submitted' && !isOver(model, application, today);
  const isIssued = kind === 'national_certificate' && record.number !== null;
  if ((isIssued || kind === 'event_fee') && isOwnStep && isReady) {
    // Midnight may have come between the approval by its process and this question.
    const justBefore = new Date(now.getTime() - 60_000);
    approve(model, application, record, record.valid_from === judgedDay(application, dayOf(justBefore)) ? justBefore : now, null);
    model.happened('application.approved', 'application', id);
    model.expectNotified(ownerOf(model, application.profileId), 'application.approved', id);
  }
  if (isOver(model, application, today) && record.status === 'closed' && isLiving(application)) {
    end(model, application, 'closed', now);
    application.note = null;
    model.happened('application.closed', 'application', id);
    model.expectNotified(ownerOf(model, application.profileId), 'application.closed', id);
    if (application.certificate === null) refund(model, application);
  }
}

/** Whether the day alone lets it be closed (APP-13), or approved: its holder has come of age and needs no consent any more (APP-5, APP-20). */
function mayMove(model: Model, application: Application, today: string): boolean {
  if (!isLiving(application)) return false;
  if (isOver(model, application, today)) return true;
  const isUndecided = application.status === 'submitted' && serviceOf(model, application).kind === 'national_certificate';
  return isUndecided && readinessOf(model, application, today).values().every(Boolean);
}

/** The first approval issues the certificate, with its days (APP-8); a later one brings it back unchanged (APP-6). */
function approve(
  model: Model,
  application: Application,
  shown: { number?: string | null; verification_token?: string | null },
  at: Date,
  decided: Decision | null,
): void {
  const { kind } = serviceOf(model, application);
  application.status = 'approved';
  application.note = null;
  if (application.certificate || kind === 'event_fee') return;
  const isGiven = decided !== null && kind !== 'national_certificate';
  const validFrom = (isGiven ? decided.valid_from : null) ?? judgedDay(application, dayOf(at));
  const validUntil = (isGiven && kind === 'document' ? decided.valid_until : null) ?? `${application.year}-12-31`;
  const profile = model.profiles.get(application.profileId);
  const { fields = {} } = profile ?? {};
  application.certificate = {
    number: shown.number ?? '',
    validFrom,
    validUntil,
    token: shown.verification_token ?? '',
    holder: ['last_name', 'first_name', 'middle_name'].map((name) => (fields[name] as string | undefined) ?? null),
    birthDate: (fields['birth_date'] as string | undefined) ?? null,
    photoSha256: profile ? (photoOf(model, profile)?.sha256 ?? null) : null,
  };
  model.lastDays.begin(`application/${application.id}`, validUntil, at);
  // The PDF is made a moment later, once (APP-14).
  model.mayHappen('application.certificate_made', 'application', application.id);
}
