import type { Application, Document, Profile } from '../applications/application-records.ts';
import { isOpenForPapers } from '../applications/application-judgement.ts';
import { isPast } from '../applications/readiness.ts';
import type { Event } from '../competitions/competition-records.ts';
import { addDays, opensOn } from '../days.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import { daysOf, foreignPapers } from './eligibility.ts';
import type { Missing } from './registration-options.ts';

/** An item of `missing`, with the records that it may concern. */
export interface Item {
  missing: Missing;
  profile: Profile;
  event: Event;
}

/** An item names a year of a day to come, and a step that its party can take now (REG-18, APP-10). @throws {Finding} */
export function askItem(inquiry: Inquiry, item: Item, where: string): void {
  const { model, today, same } = inquiry;
  const { missing, event } = item;
  const { rule, fix, waiting_for: party, not_before: day, application_id: id } = missing;
  const application = applicationOf(model, item);
  const { first, last } = daysOf(event);
  const year = application?.year ?? missing.year;
  const isOfEvent = year === undefined || (Number((first > today ? first : today).slice(0, 4)) <= year && year <= Number(last.slice(0, 4)));
  same(`${where} name ${rule} ${id ?? ''} for a year of a day to come, not for ${year} (REG-18)`, true, isOfEvent);
  if (day !== undefined)
    same(`${where} name the day from which an application for ${year} can be made (APP-19, REG-18)`, opensOn(Number(year), today), day);
  if (fix === null) return;
  same(
    `${where} name ${fix.method} ${fix.path} to its party for ${rule} (REG-18)`,
    fix.path.startsWith('/admin/'),
    party === 'administrator',
  );
  const isPossible = isStepPossible(inquiry, item, application);
  if (!isPossible)
    throw new Finding(`${where} name ${fix.method} ${fix.path} for ${rule}, which can be carried out (REG-18)`, 'possible', missing);
}

function isStepPossible(inquiry: Inquiry, item: Item, application: Application | undefined): boolean {
  const { model, today } = inquiry;
  const { rule, fix } = item.missing;
  if (fix?.path === '/admin/review') return waitingFor(model, item) !== null;
  if (fix?.path === '/applications') return newApplications(inquiry, item).length > 0;
  if (fix?.method !== 'PATCH') return true;
  if (rule === 'profile') return item.profile.data.status !== 'cancelled';
  if (!application || !fix.path.startsWith('/applications/')) return true;
  return isOpenForPapers(model, application, today) || successorsOf(model, item).some(({ status }) => status === 'approved');
}

/** What an administrator decides on for the item; null when nothing of it waits. */
export function waitingFor(model: Model, item: Item): { kind: string; id: number; revision?: unknown } | null {
  const { profile, missing } = item;
  if (missing.rule === 'profile' || missing.rule === 'photo') {
    const part = missing.rule === 'photo' ? profile.photo : profile.data;
    // Refused data is open to an approval only (PRO-2).
    const isWaiting = part?.status === 'pending' || (missing.rule === 'profile' && part?.status === 'cancelled');
    return isWaiting ? { kind: missing.rule, id: profile.id } : null;
  }
  const application = applicationOf(model, item);
  if (missing.rule === 'decision') {
    const { id } = application ?? {};
    return id !== undefined && application?.status === 'submitted'
      ? { kind: 'application', id, revision: model.shown.current(`application/${id}`) }
      : null;
  }
  const attached = application?.documentIds.flatMap((id) => model.documents.get(id) ?? []) ?? [];
  const own = [...model.documents.values()].filter(({ profileId }) => profileId === profile.id);
  const types = typesOf(model, item);
  const waiting = [...attached, ...own].find((one) => one.status === 'pending' && types.includes(one.type));
  return waiting ? { kind: 'document', id: waiting.id } : null;
}

/** Applications that the rules let the athlete make for the event and the year (REG-3). */
export function newApplications(inquiry: Inquiry, { missing, profile, event }: Item): object[] {
  const { model, judge } = inquiry;
  const owner = inquiry.personOf(profile.ownerId);
  const services = [...model.services.values()].filter(({ kind }) => kind === 'national_certificate' || kind === 'international_licence');
  const bodies = services.map(({ id, disciplineIds }) => ({
    profile_id: profile.id,
    service_id: id,
    data: disciplineIds.length === 0 ? {} : { discipline_id: event.disciplineId },
    ...(missing.year === undefined ? {} : { year: missing.year }),
  }));
  return bodies.filter((body) => owner && judge(owner, 'POST /applications', { body }) === 'accept');
}

/** Papers that may take the place of one behind a certificate in force, and last beyond the event (APP-10). */
export function successorsOf(model: Model, item: Item): Document[] {
  const types = typesOf(model, item);
  const { last } = daysOf(item.event);
  const attached = applicationOf(model, item)?.documentIds ?? [];
  return [...model.documents.values()].filter(
    (one) => one.profileId === item.profile.id && types.includes(one.type) && !attached.includes(one.id) && !isPast(one, last),
  );
}

export function applicationOf({ applications }: Model, { missing }: Pick<Item, 'missing'>): Application | undefined {
  return applications.get(missing.application_id ?? 0);
}

/** Types of papers that meet the rule of an item. */
export function typesOf(model: Model, item: Item): readonly string[] {
  const { rule } = item.missing;
  if (foreignPapers.some((paper) => paper === rule)) return [rule];
  const required = model.services.get(applicationOf(model, item)?.serviceId ?? 0)?.required ?? [];
  const type = model.documents.get(Number(rule.split(':')[1]))?.type;
  return required.find(({ code }) => code === rule)?.types ?? (type === undefined ? [] : [type]);
}

/** The last day of a paper that lasts beyond an event. */
export const dayAfterEvent = (event: Event, days: number) => addDays(daysOf(event).last, days);
