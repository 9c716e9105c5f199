import { isDocumentInUse, usesOf } from '../applications/documents.ts';
import { isLiving } from '../applications/ends.ts';
import { serviceOf } from '../applications/readiness.ts';
import type { Application } from '../applications/application-records.ts';
import { addDays, dayOf, opensOn } from '../days.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import type { Notification } from './notifications.ts';
import { languageOf } from './texts.ts';

/** Words of texts that name a step, in three languages. */
const submission = /submit (it|them|these applications )?again|подайте (его|её|их )?снова|снова подайте|қайта жіберіңіз/i;
const otherPaper = /another (document|one)|другой документ|басқа құжат/i;
const onceConfirmed = /once an agreement is confirmed|когда соглашение подтвердят|келісім расталған соң/i;
const renewal = /you can apply|заявку (на|можно)|өтінімді/i;

const locales = { ru: 'ru-RU', kk: 'kk-KZ', en: 'en-GB' } as const;
/** What is read later may tell of what has changed since. */
const newestMs = 3_600_000;
const toleranceMs = 5000;

/** A text names a step only where its reader can take it then (NOT-7). @throws {Finding} */
export function askNamedSteps(inquiry: Inquiry, notification: Notification): void {
  const { type, text, subject, created_at: createdAt } = notification;
  const { model, now, same } = inquiry;
  const [id, at] = [Number(subject.id), Date.parse(createdAt)];
  if (now.getTime() - at > newestMs) return;
  const stands = (part: { status: string; since: Date } | null | undefined) =>
    part !== null && part !== undefined && part.since.getTime() < at + toleranceMs;
  const ask = (step: string, isPossible: boolean, words: RegExp) =>
    same(
      `the notification ${type} of ${id} names ${step} where that can be done, and only there: ${text} (NOT-7)`,
      isPossible,
      words.test(text),
    );
  const [document, profile, event] = [model.documents.get(id), model.profiles.get(id), model.events.get(id)];
  if (type === 'document.changes' && document?.status === 'changes' && stands(document)) {
    ask('another document', isDocumentInUse(model, id), otherPaper);
    const isSubmitted = usesOf(model, id).some((one) => isLiving(model.applications.get(one) as Application));
    ask('the submission of an application', isSubmitted, submission);
  }
  if (type === 'photo.changes' && profile?.photo?.status === 'changes' && stands(profile.photo) && stands(profile.data))
    ask('a submission', profile.data.status !== 'cancelled', submission);
  if (type === 'event_stage.changes' && event)
    ask('an agreement to be confirmed', event.stages.agreement.status !== 'approved', onceConfirmed);
  const registered = model.events.get(model.registrations.get(id)?.eventId ?? 0);
  if (type === 'registration.returned' && registered && Math.abs(registered.startsAt - at) > toleranceMs)
    ask('a submission', at < registered.startsAt, submission);
  if (type === 'application.expiring') askRenewal(inquiry, id, notification);
}

/** From when a new application is possible, unless one exists or the service is not sold (APP-16). */
function askRenewal({ model, same }: Inquiry, id: number, { title, text, created_at: createdAt }: Notification): void {
  const application = model.applications.get(id);
  if (!application?.certificate) return;
  const from = renewalOf(model, application, dayOf(new Date(createdAt)));
  const day = new Intl.DateTimeFormat(locales[languageOf(title)], { dateStyle: 'long', timeZone: '+05:00' });
  const words = from === null ? null : from.length === 4 ? from : day.format(new Date(`${from}T00:00:00+05:00`));
  const question = `the reminder of certificate ${id} says from when a new application is possible, ${words}, or nothing: ${text} (APP-16)`;
  same(question, words !== null, renewal.test(text) && (words === null || text.includes(words)));
}

/** A year that can be applied for now, the day from which one can be, or null. */
function renewalOf(model: Model, application: Application, today: string): string | null {
  const { profileId, serviceId, disciplineId, certificate } = application;
  const { kind, isActive } = serviceOf(model, application);
  if (!isActive) return null;
  if (kind === 'document') return addDays(certificate?.validUntil ?? '', 1);
  const year = application.year + 1;
  const isAlike = (other: Application) =>
    other.profileId === profileId && other.serviceId === serviceId && other.disciplineId === disciplineId && other.year === year;
  if (model.applications.values().some((other) => isAlike(other) && isLiving(other))) return null;
  const isOpen = today >= `${application.year}-11-01` && model.baseIndexes.has(year);
  return isOpen ? String(year) : opensOn(year, today);
}
