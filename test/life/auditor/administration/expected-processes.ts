import type { Application, Document, Profile } from '../applications/application-records.ts';
import { isLiving, isOver } from '../applications/ends.ts';
import { readinessOf, serviceOf } from '../applications/readiness.ts';
import { type Contract, type Event, stageNames } from '../competitions/competition-records.ts';
import { isLivingEvent, isPaidFee, liveContractOf } from '../competitions/competitions-of.ts';
import { addDays, dayOf } from '../days.ts';
import type { Model } from '../model.ts';
import { isLive } from '../registrations/registrations-of.ts';
import type { Registration } from '../registrations/registration-records.ts';
import type { Invoice } from '../wallet/wallet-records.ts';

/** What the administrators' list of processes must show of a record (ADM-3). */
export interface ExpectedProcess {
  /** Whether the record still waits for something; null where only its process knows yet. */
  isLiving: boolean | null;
  /** The party; undefined where the auditor does not know it. */
  waitingFor?: string | null;
  /** The latest instant of its next own step, milliseconds; null without one. */
  wakesUntil?: number | null;
}

const over: ExpectedProcess = { isLiving: false };
const unknown: ExpectedProcess = { isLiving: null };
const waitsFor = (waitingFor: string, wakesUntil: number | null = null): ExpectedProcess => ({ isLiving: true, waitingFor, wakesUntil });

/** A process takes its last step within this time after an instant: steps of many records at one instant are spread over an hour. */
const spreadMs = 3_700_000;

const startOf = (day: string) => Date.parse(`${day}T00:00:00+05:00`);

/** Kinds of processes whose every living record the model knows. */
export const knownKinds = ['application', 'document', 'profile', 'invoice', 'event', 'agreement', 'registration', 'webhook'] as const;
export type KnownKind = (typeof knownKinds)[number];

export const isKnownKind = (kind: string): kind is KnownKind => knownKinds.some((known) => known === kind);

/** The records of a kind of processes. */
export function idsOf(model: Model, kind: KnownKind): number[] {
  const records = {
    application: model.applications,
    document: model.documents,
    profile: model.profiles,
    invoice: model.invoices,
    event: model.events,
    agreement: model.contracts,
    registration: model.registrations,
    webhook: model.webhooks,
  }[kind];
  return [...records.keys()];
}

/** @returns null for a record that the model does not know */
export function expectedProcess(model: Model, kind: KnownKind, id: number, now: Date): ExpectedProcess | null {
  const ask = <Row>(records: ReadonlyMap<number, Row>, expect: (row: Row) => ExpectedProcess) => {
    const row = records.get(id);
    return row === undefined ? null : expect(row);
  };
  switch (kind) {
    case 'application':
      return ask(model.applications, (row) => ofApplication(model, row, now));
    case 'document':
      return ask(model.documents, (row) => ofDocument(row, now));
    case 'profile':
      return ask(model.profiles, ofProfile);
    case 'invoice':
      return ask(model.invoices, (row) => ofInvoice(row, now));
    case 'event':
      return ask(model.events, (row) => ofEvent(model, row, now));
    case 'agreement':
      return ask(model.contracts, (row) => ofAgreement(model, row));
    case 'registration':
      return ask(model.registrations, (row) => ofRegistration(model, row, now));
    case 'webhook':
      return ask(model.webhooks, ({ disabled, isDeleted }) => {
        if (isDeleted || disabled !== null) return over;
        return { isLiving: true };
      });
  }
}

function ofApplication(model: Model, application: Application, now: Date): ExpectedProcess {
  const today = dayOf(now);
  if (!isLiving(application)) return over;
  // It closes within an hour after its year (APP-13).
  if (isOver(model, application, today)) return unknown;
  const { status, mustResubmit, year } = application;
  const { kind } = serviceOf(model, application);
  // A fee ends with its event, and a document of the federation with its last day (APP-17).
  const end = kind === 'event_fee' || kind === 'document' ? null : startOf(`${year + 1}-01-01`);
  if (status === 'draft' || status === 'changes') return waitsFor('owner', end);
  if (status === 'approved') return waitsFor(mustResubmit ? 'owner' : 'date', end);
  const isReady = [...readinessOf(model, application, today).values()].every(Boolean);
  const isDecided = kind === 'international_licence' || kind === 'document';
  return isReady && isDecided ? waitsFor('administrator', end) : { isLiving: true, wakesUntil: end };
}

function ofDocument({ status, expiresAt }: Document, now: Date): ExpectedProcess {
  if (status === 'pending') return waitsFor('administrator');
  if (status === 'changes') return waitsFor('owner');
  if (status !== 'approved' || expiresAt === null) return over;
  const end = startOf(addDays(expiresAt, 1));
  // It expires with its last day.
  return now.getTime() < end ? waitsFor('date', end) : unknown;
}

/** Data and photo are reviewed by themselves; the federation comes first (PRO-2). */
function ofProfile({ data, photo }: Profile): ExpectedProcess {
  const has = (status: string) => data.status === status || photo?.status === status;
  if (has('pending')) return waitsFor('administrator');
  return has('changes') ? waitsFor('owner') : over;
}

/** The bank is asked until it has answered. Only an invoice that was opened at the bank is asked about after its end (WAL-7). */
function ofInvoice({ status, expiresAt, bankSays, isCredited }: Invoice, now: Date): ExpectedProcess {
  if (status === 'paid' || status === 'mismatch') return over;
  if ((bankSays !== null && !isCredited) || now >= expiresAt) return unknown;
  return waitsFor(status === 'created' ? 'owner' : 'bank', expiresAt.getTime());
}

/** The party of its first stage that is not approved (EVT-2, EVT-3, EVT-8). */
function ofEvent(model: Model, event: Event, now: Date): ExpectedProcess {
  if (!isLivingEvent(event)) return over;
  const stage = stageNames.find((name) => event.stages[name].status !== 'approved');
  if (stage === undefined) return unknown;
  const { status } = event.stages[stage];
  if (status === 'submitted') return waitsFor(stage === 'details' && !isPaidFee(model, event) ? 'owner' : 'administrator');
  if (status === 'changes') return waitsFor('owner');
  if (stage === 'agreement' && liveContractOf(model, event.id)?.status === 'pending') return waitsFor('administrator');
  if (stage === 'results' && Math.abs(now.getTime() - event.endsAt) < 10_000) return { isLiving: true };
  return waitsFor(stage === 'results' && now.getTime() < event.endsAt ? 'date' : 'owner');
}

/** An agreement waits as long as its competition lives (AGR-7). */
function ofAgreement(model: Model, { status, eventId }: Contract): ExpectedProcess {
  const event = model.events.get(eventId);
  if (status === 'confirmed' || status === 'replaced' || status === 'cancelled' || !event || !isLivingEvent(event)) return over;
  return waitsFor(status === 'pending' ? 'administrator' : 'owner');
}

/** It ends with its event (REG-6). */
function ofRegistration(model: Model, registration: Registration, now: Date): ExpectedProcess {
  const event = model.events.get(registration.eventId);
  if (!isLive(registration) || !event) return over;
  const sinceEnd = now.getTime() - event.endsAt;
  if (sinceEnd > spreadMs) return over;
  // The step at its end, or after a cancellation, is the process's own.
  if (event.status !== 'published' || sinceEnd > -10_000) return unknown;
  const { status } = registration;
  if (status === 'draft') return waitsFor('owner', event.endsAt);
  if (status === 'waiting') return waitsFor('date', event.endsAt);
  if (status === 'offered') return waitsFor('owner', event.endsAt);
  if (status === 'submitted') return waitsFor('organizer', event.endsAt);
  if (status === 'approved') return waitsFor('date', event.endsAt);
  const closing = Math.min(event.settings?.closesAt ?? event.startsAt, event.endsAt);
  const sinceClosing = now.getTime() - Math.max(closing, event.startsAt);
  if (Math.abs(sinceClosing) < 10_000) return { isLiving: true };
  // Too late for a correction (REG-11).
  return waitsFor(sinceClosing > 0 ? 'date' : 'owner', event.endsAt);
}
