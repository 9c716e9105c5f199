import { countsIn, documentsOf, isPast, serviceOf } from '../applications/readiness.ts';
import { type Area, touchedIds } from '../area.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Application, Document } from '../applications/application-records.ts';
import { addDays } from '../days.ts';
import type { Model } from '../model.ts';

/** The public answer about a certificate, by `docs/rules/verification.md`. */
export const verificationArea: Area = {
  async ask(inquiry, touched) {
    for (const id of touchedIds(touched, 'application')) {
      const application = inquiry.model.applications.get(id);
      if (application?.certificate) await inquiry.eventually(() => askQr(inquiry, application, inquiry.today));
    }
  },

  async askAll({ model, publicly, same }) {
    for (const [id, days] of model.pastStates) {
      const token = model.applications.get(id)?.certificate?.token;
      if (token === undefined) continue;
      for (const [day, state] of days) {
        const answer = (await publicly('GET /verify/{token}', { params: { token }, query: `?on=${day}` })).data;
        same(`the QR of application ${id} says for ${day} what held on that day (VER-4)`, state, answer.state);
      }
    }
  },
};

/** At most so many certificates are read before the sweep: the days move often. */
const mostByClock = 3;

/** Before any process has moved on, the QR says what holds on the new day (VER-1). @param before the last day that was asked about */
export async function askByClock({ model, today, publicly, same }: Inquiry, before: string): Promise<void> {
  const changed = [...model.applications.values()].filter(
    (one) => (one.certificate?.token ?? '') !== '' && stateOn(model, one, before) !== stateOn(model, one, today),
  );
  for (const application of changed.slice(-mostByClock)) {
    const token = application.certificate?.token ?? '';
    const { data } = await publicly('GET /verify/{token}', { params: { token } });
    same(`the QR of application ${application.id} follows the clock alone (VER-1)`, stateOn(model, application, today), data.state);
  }
}

async function askQr({ model, today, publicly, same }: Inquiry, application: Application, day: string): Promise<void> {
  const { id, certificate } = application;
  if (!certificate) return;
  const { token, number, validFrom, validUntil } = certificate;
  const { status, data: answer } = await publicly('GET /verify/{token}', { params: { token } });
  same(`the QR of application ${id} is known (VER-3)`, 200, status);
  const state = stateOn(model, application, day);
  same(`the QR of application ${id} says whether it is in force today (VER-1, VER-2, VER-5)`, state, answer.state);
  same(`valid and state of application ${id} agree (VER-2)`, state === 'valid', answer.valid);
  const { kind } = serviceOf(model, application);
  const facts = { kind, number, valid_from: validFrom, valid_until: validUntil };
  const shown = { kind: answer.kind, number: answer.number, valid_from: answer.valid_from, valid_until: answer.valid_until };
  same(`the QR of application ${id} says what its certificate says`, facts, shown);
  const later = laterDay(model, application, today);
  const then = (await publicly('GET /verify/{token}', { params: { token }, query: `?on=${later}` })).data;
  same(`the QR of application ${id} says for ${later} what follows from today (VER-4)`, stateOn(model, application, later), then.state);
}

/** A day to come on which something ends or begins; another one after each change. */
function laterDay(model: Model, application: Application, today: string): string {
  const { validFrom = today, validUntil = today } = application.certificate ?? {};
  const lastDays = documentsOf(model, application).flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
  const days = [validFrom, validUntil, ...lastDays].flatMap((day) => [addDays(day, -1), day, addDays(day, 1)]);
  const coming = days.filter((day) => day > today);
  return coming[model.facts.length % Math.max(1, coming.length)] ?? addDays(today, 1);
}

/** Notes what holds on a day that ends, and on the days after it up to another: no decision falls between them. */
export function rememberDays(model: Model, from: string, until: string): void {
  for (const application of model.applications.values()) {
    if (!application.certificate) continue;
    const days = model.pastStates.get(application.id) ?? new Map<string, string>();
    model.pastStates.set(application.id, days);
    for (const day of new Set([from, addDays(until, -1)])) if (day >= from && day < until) days.set(day, stateOn(model, application, day));
  }
}

/** The state of a certificate on a day. Of several reasons the most final one counts. */
export function stateOn(model: Model, application: Application, day: string): string {
  const { certificate, status, isPaid, amount } = application;
  if (status === 'cancelled') return 'annulled';
  if (!certificate || day > certificate.validUntil) return 'expired';
  if (day < certificate.validFrom) return 'not_started';
  if (!isPaid && amount > 0) return 'unpaid';
  const profile = model.profiles.get(application.profileId);
  const reasons: (string | null)[] = [
    status === 'changes' || application.mustResubmit ? 'under_correction' : status === 'submitted' ? 'under_review' : null,
  ];
  for (const part of [profile?.data, profile?.kind === 'athlete' ? profile.photo : null])
    if (part && part.status !== 'approved') reasons.push(part.status === 'pending' && !part.hasNote ? 'under_review' : 'under_correction');
  for (const document of countedOn(model, application, day)) reasons.push(reasonOf(document, day));
  return reasons.find((reason) => reason === 'under_correction') ?? reasons.find((reason) => reason !== null) ?? 'valid';
}

export function reasonOf(document: Document, day: string): string | null {
  if (isPast(document, day)) return 'under_correction';
  // An expired one was in order up to its last day.
  if (document.status === 'approved' || document.status === 'expired') return null;
  return document.status === 'pending' ? 'under_review' : 'under_correction';
}

/** Papers that count on the day (APP-20), also one that the service does not need. */
export function countedOn(model: Model, application: Application, day: string): Document[] {
  return documentsOf(model, application).filter((document) => countsIn(model, application, document, day));
}
