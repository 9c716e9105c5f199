import type { Application, Document, Service } from './application-records.ts';
import { addDays } from '../days.ts';
import type { Model } from '../model.ts';

/** Every rule of readiness, by its name (APP-4), for the day. */
export function readinessOf(model: Model, application: Application, today: string): Map<string, boolean> {
  const isSettled = application.isPaid || application.amount === 0;
  // A fee is only paid (APP-17).
  if (serviceOf(model, application).kind === 'event_fee') return new Map([['payment', isSettled]]);
  const profile = model.profiles.get(application.profileId);
  const day = judgedDay(application, today);
  const counted = countedDocuments(model, application, today);
  const isInOrder = (document: Document) => document.status === 'approved' && !isPast(document, day);
  const rules = new Map<string, boolean>();
  rules.set('submitted', application.status === 'submitted' || (application.status === 'approved' && !application.mustResubmit));
  rules.set('profile', profile?.data.status === 'approved');
  if (profile?.kind === 'athlete') rules.set('photo', profile.photo?.status === 'approved');
  const serving = new Set<Document>();
  for (const { code, types } of neededOn(model, application, day)) {
    const best = bestOf(counted, types, day);
    if (best) serving.add(best);
    rules.set(code, best !== undefined && isInOrder(best));
  }
  for (const document of counted) if (!serving.has(document)) rules.set(`document:${document.id}`, isInOrder(document));
  // A photo that a profile has is not deleted (FIL-5).
  rules.set('files', !counted.some(({ isFileGone }) => isFileGone));
  rules.set('payment', isSettled);
  return rules;
}

/** The later of today and the first day of the application's year (APP-19). */
export function judgedDay({ year }: Pick<Application, 'year'>, today: string): string {
  return year > Number(today.slice(0, 4)) ? `${year}-01-01` : today;
}

/** The documents that the service needs of the holder on a day (CAT-6). */
export function neededOn(model: Model, application: Application, day: string): Service['required'] {
  const isMinor = isMinorOn(model, application, day);
  return serviceOf(model, application).required.filter(({ onlyMinors }) => !onlyMinors || isMinor);
}

function isMinorOn(model: Model, { profileId }: Application, day: string): boolean {
  const birthDate = model.profiles.get(profileId)?.birthDate ?? null;
  return birthDate !== null && day < addYears(birthDate, 18);
}

/** The attached documents without those whose every requirement has ended (APP-20). */
export function countedDocuments(model: Model, application: Application, today: string): Document[] {
  const day = judgedDay(application, today);
  return documentsOf(model, application).filter((document) => countsIn(model, application, document, day));
}

/** Whether an attached document counts on a day: some requirement of it has not ended, or it has none (APP-20). */
export function countsIn(model: Model, application: Application, { type }: Document, day: string): boolean {
  const fitting = serviceOf(model, application).required.filter(({ types }) => types.includes(type));
  return fitting.length === 0 || fitting.some(({ onlyMinors }) => !onlyMinors) || isMinorOn(model, application, day);
}

/** The best of the documents that meet a requirement: approved, then in review, then returned, then one that is over. */
export function bestOf(documents: readonly Document[], types: readonly string[], day: string): Document | undefined {
  const worth = (document: Document) => {
    if (document.status === 'expired' || isPast(document, day)) return 0;
    return document.status === 'approved' ? 3 : document.status === 'pending' ? 2 : 1;
  };
  return documents.filter(({ type }) => types.includes(type)).toSorted((left, right) => worth(right) - worth(left))[0];
}

/** Whether the last day of a document is over on a day. */
export function isPast({ expiresAt }: Pick<Document, 'expiresAt'>, day: string): boolean {
  return expiresAt !== null && day > expiresAt;
}

export function serviceOf(model: Model, { serviceId }: Pick<Application, 'serviceId'>): Service {
  const service = model.services.get(serviceId);
  if (!service) throw new Error(`the auditor does not know service ${serviceId}`);
  return service;
}

export function documentsOf(model: Model, { documentIds }: Application): Document[] {
  return documentIds.flatMap((id) => model.documents.get(id) ?? []);
}

/** The birthday some years later; 29 February becomes 1 March. */
export function addYears(day: string, years: number): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return addDays(`${Number(year) + years}-${month}-01`, Number(date) - 1);
}

/** Whether the same records are behind an application, in any order. */
export function isSameSet(left: readonly number[], right: readonly number[]): boolean {
  return new Set([...left, ...right]).size === new Set(left).size && new Set(left).size === new Set(right).size;
}

/**
 * Whether an exchange renews documents behind a certificate in force (APP-10): each that is taken away gets an approved one in its place
 * that meets the same requirement and is valid at least as long. Only documents that count.
 */
export function isRenewal(model: Model, application: Application, next: readonly number[], today: string): boolean {
  const day = judgedDay(application, today);
  const counted = (ids: readonly number[]) => countedDocuments(model, { ...application, documentIds: [...ids] }, today);
  const removed = counted(application.documentIds)
    .filter(({ id }) => !next.includes(id))
    .toSorted(byLastDay);
  const added = counted(next)
    .filter(({ id }) => !application.documentIds.includes(id))
    .toSorted(byLastDay);
  if (added.length === 0 || added.length !== removed.length) return false;
  if (added.some((document) => document.status !== 'approved' || isPast(document, day))) return false;
  const needed = neededOn(model, application, day);
  const meetsSame = (left: Document, right: Document) =>
    left.type === right.type || needed.some(({ types }) => types.includes(left.type) && types.includes(right.type));
  return removed.every((old) => {
    const at = added.findIndex((one) => meetsSame(one, old) && lastDayOf(one) >= lastDayOf(old));
    return at >= 0 && added.splice(at, 1).length === 1;
  });
}

const lastDayOf = ({ expiresAt }: Document) => expiresAt ?? '9999-12-31';
const byLastDay = (left: Document, right: Document) => lastDayOf(right).localeCompare(lastDayOf(left));
