import type { Event } from '../competitions/competition-records.ts';
import { type Claim, foreignPapers, judgeEligibility } from './eligibility.ts';
import { dayOf } from '../days.ts';
import { type Model, ownerOf } from '../model.ts';
import type { Registration } from './registration-records.ts';

/** Whether a registration holds a place; `rejected` and `withdrawn` free it (REG-2). */
export function isLive({ status }: Pick<Registration, 'status'>): boolean {
  return status !== 'rejected' && status !== 'withdrawn';
}

/** Notes that a step changed how many registrations of an event wait (REG-19). */
export function noteWaitingChange({ waitingChanges }: Model, eventId: number, at: Date): void {
  waitingChanges.set(eventId, [...(waitingChanges.get(eventId) ?? []), at.getTime()]);
}

export function eventOf(model: Model, eventId: number): Event {
  const event = model.events.get(eventId);
  if (!event) throw new Error(`the auditor does not know event ${eventId}`);
  return event;
}

/** The account of the organizer. */
export function organizerOf(model: Model, eventId: number): number {
  return ownerOf(model, eventOf(model, eventId).profileId);
}

export function athleteOf(model: Model, { profileId }: Pick<Registration, 'profileId'>): number {
  return ownerOf(model, profileId);
}

export function claimOf(model: Model, { eventId, profileId, applicationIds, paperIds }: Registration): Claim {
  return { profileId, event: eventOf(model, eventId), applicationIds, paperIds };
}

export function registrationsOf(model: Model, eventId: number): Registration[] {
  return [...model.registrations.values()].filter((one) => one.eventId === eventId);
}

export function isEligible(model: Model, registration: Registration, now: Date): boolean {
  return judgeEligibility(model, claimOf(model, registration), dayOf(now)).ok;
}

/** Whether rows are accepted: from `opens_at` to `closes_at`, by default to the start, at the latest to the end (EVT-14, REG-11). */
export function isIntakeOpen({ status, settings, startsAt, endsAt }: Event, now: Date): boolean {
  if (status !== 'published' || settings === null || settings.opensAt === null) return false;
  const closing = settings.closesAt === null ? startsAt : Math.min(settings.closesAt, endsAt);
  return settings.opensAt <= now.getTime() && now.getTime() < closing;
}

/** Whether a crew member can be named: another live registration of the event, the caller's own or a submitted one (REG-14). */
export function canBeCrew(model: Model, memberId: number, { eventId, ownerId }: { eventId: number; ownerId: number }): boolean {
  const member = model.registrations.get(memberId);
  return member?.eventId === eventId && isLive(member) && (member.wasSubmitted || athleteOf(model, member) === ownerId);
}

/** Whether a crew holds by the settings: its members, its roles and its number (REG-13, REG-14). */
export function doesCrewHold(
  model: Model,
  crew: readonly { role: string; registrationId: number }[],
  { id, eventId, ownerId, isWhole }: { id: number | null; eventId: number; ownerId: number; isWhole: boolean },
): boolean {
  const { roles, min, max } = eventOf(model, eventId).settings?.crew ?? { roles: [], min: 0, max: 0 };
  const members = crew.map(({ registrationId }) => registrationId);
  return (
    crew.length <= max &&
    (!isWhole || crew.length >= min) &&
    new Set(members).size === members.length &&
    crew.every(({ role }) => roles.includes(role)) &&
    members.every((member) => member !== id && canBeCrew(model, member, { eventId, ownerId }))
  );
}

/** Whether a paper of another federation may be attached: approved, not expired, of the profile. */
export function isPaperAttachable(model: Model, documentId: number, profileId: number, today: string): boolean {
  const document = model.documents.get(documentId);
  if (!document || document.profileId !== profileId || !foreignPapers.some((type) => type === document.type)) return false;
  return document.status === 'approved' && (document.expiresAt === null || today <= document.expiresAt);
}
