import type { Application } from '../applications/application-records.ts';
import { dayOf } from '../days.ts';
import type { Model } from '../model.ts';
import { stateOn } from './verification.ts';

/** The value of a place in a status list: valid, invalid, suspended (VER-12). */
export type Listed = 0 | 1 | 2;

/** Notes which value each certificate has now. A place looks valid before its certificate (VER-11). */
export function noteStatuses(model: Model, now: Date): void {
  const certificates = model.applications.values().filter(({ certificate }) => certificate !== null);
  model.statuses.note(
    certificates.map((application) => [application.id, listedOn(model, application, dayOf(now))]),
    now,
  );
}

/** The value of a certificate on a day: the rule of the online answer, without the dates (VER-12). */
function listedOn(model: Model, application: Application, day: string): Listed {
  const { certificate, status } = application;
  if (!certificate || status === 'closed') return 1;
  const { validFrom, validUntil } = certificate;
  const state = stateOn(model, application, day < validFrom ? validFrom : day > validUntil ? validUntil : day);
  if (state === 'valid') return 0;
  return state === 'annulled' || state === 'draft' ? 1 : 2;
}
