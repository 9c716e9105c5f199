import type { Asked } from '../area.ts';
import { type Judgement, refuse, refuseWith } from '../judgement.ts';
import { dayOf } from '../days.ts';
import type { Model } from '../model.ts';
import type { Part, Profile } from './application-records.ts';
import { type Decision, decisionOn, judgeSeen } from './decisions.ts';
import { isLiving, isOver } from './ends.ts';
import { isIin } from './iin.ts';

/** Profiles of an account of a life (PRO-10): few, so that some accounts reach it. */
export const mostProfiles = 6;

export interface Change {
  data?: Record<string, unknown>;
  photo_id?: string | null;
  updated_at?: string;
}

export const isToSubmit = ({ status }: Part) => status === 'draft' || status === 'changes';

/** What the rules say of a request about a profile. */
export function judgeProfile(model: Model, asked: Asked, now: Date): Judgement | null {
  const { operation, params } = asked;
  const profile = model.profiles.get(Number(params['id']));
  switch (operation) {
    case 'POST /profiles':
      return judgeNew(model, asked, dayOf(now));
    case 'DELETE /profiles/{id}':
      return judgeOwn(asked, profile, (own) => judgeDeletion(model, own, dayOf(now)));
    case 'POST /profiles/{id}/submit':
      return judgeOwn(asked, profile, judgeSubmission);
    case 'PATCH /profiles/{id}':
      return judgeOwn(asked, profile, (own) => judgeChange(model, own, asked.body as Change, dayOf(now)));
    case 'PATCH /admin/records/profile/{id}':
      return profile ? judgeCorrection(model, profile, asked.body as Change, dayOf(now)) : refuse('not_found');
    default: {
      const decided = decisionOn(asked);
      return decided?.kind === 'profile' || decided?.kind === 'photo' ? judgeDecision(model, decided) : null;
    }
  }
}

/** The profile of another account does not exist (API-3). */
function judgeOwn({ by }: Asked, profile: Profile | undefined, judgeIt: (profile: Profile) => Judgement): Judgement {
  return profile?.ownerId === by.accountId ? judgeIt(profile) : refuse('not_found');
}

function judgeNew(model: Model, { body, by }: Asked, today: string): Judgement {
  const { kind, data, photo_id: photoId = null } = body as { kind: string; data: Record<string, string>; photo_id?: string | null };
  if (isWrong(data, today)) return refuse('validation_failed');
  const excess = isFull(model, by.accountId) ? ['quota_exceeded'] : [];
  if (kind === 'athlete' && isIinTaken(model, by.accountId, data['iin'], null)) return refuse('duplicate_profile', ...excess);
  const judgement = judgePhoto(model, by.accountId, photoId);
  if (excess.length === 0) return judgement;
  if (judgement !== 'accept') return refuse('validation_failed', ...excess);
  return refuseWith('quota_exceeded', { quota: 'profiles', used: mostProfiles, limit: mostProfiles });
}

/** An account has as many profiles as it may (PRO-10). */
export function isFull({ profiles }: Model, accountId: number): boolean {
  return [...profiles.values()].filter(({ ownerId }) => ownerId === accountId).length >= mostProfiles;
}

/** A day that is not before today, or a number without its checksum (PRO-4, PRO-9). */
function isWrong({ birth_date: birthDate, iin }: Record<string, unknown>, today: string): boolean {
  return (typeof birthDate === 'string' && birthDate >= today) || (typeof iin === 'string' && !isIin(iin));
}

/** An own image of 200 x 200 pixels at least (PRO-8). */
function judgePhoto(model: Model, ownerId: number, photoId: string | null): Judgement {
  const photo = photoId === null ? null : model.files.get(photoId);
  if (photo === null) return 'accept';
  if (photo?.ownerId !== ownerId) return 'open';
  return photo.isSmall ? refuse('validation_failed') : 'accept';
}

/** One athlete of one IIN in an account (PRO-1). */
export function isIinTaken(model: Model, ownerId: number, iin: unknown, profileId: number | null): boolean {
  if (typeof iin !== 'string') return false;
  return model.profiles
    .values()
    .some((other) => other.ownerId === ownerId && other.id !== profileId && other.kind === 'athlete' && other.fields['iin'] === iin);
}

/** Only while neither its data nor its photo was ever approved, and no record uses it (PRO-5). */
function judgeDeletion(model: Model, { id, wasApproved }: Profile, today: string): Judgement {
  if (wasApproved) return refuse('profile_was_approved');
  const applications = [...model.applications.values()].filter(({ profileId }) => profileId === id);
  if (applications.some(({ payerId, certificate }) => payerId !== null || certificate !== null)) return refuse('profile_in_use');
  const living = applications.filter(isLiving);
  // One whose year is over closes within the hour (APP-13).
  if (living.length > 0) return living.every((one) => isOver(model, one, today)) ? 'open' : refuse('profile_in_use');
  // Registrations and competitions keep their profile in every status (REG-16, EVT-19).
  const isUsed = [...model.registrations.values(), ...model.events.values()].some(({ profileId }) => profileId === id);
  return isUsed ? refuse('profile_in_use') : 'accept';
}

/** Something is to review, and an athlete has a photo (PRO-2, PRO-8). */
function judgeSubmission({ kind, data, photo }: Profile): Judgement {
  if (data.status === 'cancelled') return refuse('invalid_state');
  if (kind === 'athlete' && photo === null) return refuse('validation_failed', 'invalid_state');
  return isToSubmit(data) || (photo !== null && isToSubmit(photo)) ? 'accept' : refuse('invalid_state');
}

/** Refused data is not edited; an athlete who was submitted keeps a photo (PRO-2, PRO-8). */
function judgeChange(model: Model, profile: Profile, { data = {}, photo_id: photoId }: Change, today: string): Judgement {
  const isChanged = Object.keys(data).some((field) => (data[field] ?? undefined) !== profile.fields[field]);
  if (isWrong(data, today)) return refuse('validation_failed');
  if (isChanged && isIinTaken(model, profile.ownerId, data['iin'], profile.id) && profile.kind === 'athlete')
    return refuse('duplicate_profile');
  if (isChanged && profile.data.status === 'cancelled') return refuse('invalid_state');
  if (photoId === null && profile.photoId !== null && profile.kind === 'athlete' && profile.data.status !== 'draft')
    return refuse('validation_failed');
  return judgePhoto(model, profile.ownerId, photoId ?? null);
}

function judgeCorrection(model: Model, profile: Profile, { data = {}, updated_at: version = '' }: Change, today: string): Judgement {
  const isCurrent = model.shown.isCurrent(`profile/${profile.id}`, version);
  if (isCurrent === false) return refuse('stale_revision');
  if (isCurrent === null) return 'open';
  if (isWrong(data, today)) return refuse('validation_failed');
  const isChanged = Object.keys(data).some((field) => (data[field] ?? undefined) !== profile.fields[field]);
  return isChanged && isIinTaken(model, profile.ownerId, data['iin'], profile.id) ? refuse('duplicate_profile') : 'accept';
}

/** A part that was never submitted cannot be decided on (PRO-2). */
function judgeDecision(model: Model, decided: Decision): Judgement {
  const profile = model.profiles.get(decided.id);
  if (!profile) return refuse('not_found');
  const seen = judgeSeen(model, `profile/${profile.id}`, decided);
  if (seen !== null) return seen;
  const part = decided.kind === 'photo' ? profile.photo : profile.data;
  if (!part) return refuse('not_found', 'invalid_state');
  return part.status === 'draft' ? refuse('invalid_state') : 'accept';
}
