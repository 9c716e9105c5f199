import { type Area, type Asked, type Touched, touchedIds } from '../area.ts';
import { type Decision, decisionOn, judgeSeen, past, statusAfter } from './decisions.ts';
import type { Exchange } from '../exchange.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Part, Profile, Review } from './application-records.ts';
import { dayOf } from '../days.ts';
import { isLiving, isOver } from './ends.ts';
import type { Model } from '../model.ts';

export { type Decision, decisionOn } from './decisions.ts';

/** Fields whose change an administrator must see again (PRO-3). Contacts are not among them. */
const identityFields: ReadonlySet<string> = new Set([
  'last_name',
  'first_name',
  'middle_name',
  'birth_date',
  'gender',
  'citizenship',
  'iin',
  'organization_name',
  'bin',
  'director_name',
  'director_position',
  'legal_address',
]);

interface Change {
  data?: Record<string, unknown>;
  photo_id?: string | null;
  updated_at?: string;
}

/** Profiles, by `docs/rules/profiles.md`. */
export const profilesArea: Area = {
  records: ['profile', 'photo'],
  notifies: ['profile', 'photo', 'record'],

  judge(model, asked, now) {
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
  },

  saw(model, exchange) {
    const { operation, params, data } = exchange;
    if (operation === 'POST /profiles') return add(model, exchange);
    const decided = decisionOn(exchange);
    if (decided && decided.kind !== 'profile' && decided.kind !== 'photo') return [];
    const profile = model.profiles.get(decided?.id ?? Number(params['id']));
    if (!profile) return [];
    if (decided) decide(model, profile, decided, exchange);
    else if (operation === 'PATCH /profiles/{id}') change(model, profile, exchange);
    else if (operation === 'PATCH /admin/records/profile/{id}') correct(model, profile, exchange);
    else if (operation === 'POST /profiles/{id}/submit') submit(model, profile, exchange);
    else if (operation === 'DELETE /profiles/{id}') return remove(model, profile, exchange);
    else return [];
    model.shown.shown(`profile/${profile.id}`, data?.updated_at);
    return withApplications(model, profile.id);
  },

  async ask({ model, asOwner, asAdministrator, same }, touched) {
    for (const id of touchedIds(touched, 'profile')) {
      const profile = model.profiles.get(id);
      if (!profile) continue;
      const expected = standingOf(profile);
      const seen = await asOwner(profile.ownerId, 'GET /profiles/{id}', { params: { id } });
      if (seen.status === 200) {
        same(`profile ${id} stands as it was left (PRO-2, PRO-3)`, expected, shownOf(seen.data));
        same(`profile ${id} has the data that it was given (PRO-7)`, profile.fields, seen.data.data);
      }
      const record = await asAdministrator('GET /admin/records/{kind}/{id}', { params: { kind: 'profile', id } });
      same(`an administrator sees profile ${id} as its owner does`, expected, shownOf(record.data));
      const isDoubled = isIinOfOthers(model, profile);
      same(`profile ${id} is flagged while another account has its IIN (PRO-1)`, isDoubled, record.data.duplicate_iin);
      model.shown.shown(`profile/${id}`, record.data.updated_at);
    }
  },
};

function standingOf({ data, photo }: Profile) {
  return { status: data.status, note: data.note, photo_status: photo?.status ?? 'draft', photo_note: photo?.note ?? null };
}

function shownOf(data: {
  status: string;
  review_note: string | null;
  photo_status: string;
  photo_review_note: string | null;
  photo_id: string | null;
}) {
  const { status, review_note: note, photo_status: photoStatus, photo_review_note: photoNote, photo_id: photoId } = data;
  return { status, note, photo_status: photoStatus, photo_note: photoId === null ? null : photoNote };
}

function add(model: Model, exchange: Exchange): Touched[] {
  const { body, by, data, at } = exchange;
  const sent = body as { kind: Profile['kind']; data: Record<string, string>; photo_id?: string | null };
  model.profiles.set(data.id, {
    id: data.id,
    ownerId: by.accountId,
    formerOwnerIds: new Set(),
    iin: sent.data['iin'] ?? null,
    kind: sent.kind,
    birthDate: sent.data['birth_date'] ?? null,
    fields: { ...sent.data },
    photoId: sent.photo_id ?? null,
    data: draft(at),
    photo: typeof sent.photo_id === 'string' ? draft(at) : null,
  });
  model.noted(exchange, 'profile.created', 'profile', data.id);
  model.shown.shown(`profile/${data.id}`, data.updated_at);
  return [{ kind: 'profile', id: data.id }];
}

const draft = (since: Date): Part => ({ status: 'draft', since, note: null, hasNote: false, wasApproved: false });

function remove(model: Model, { id }: Profile, exchange: Exchange): Touched[] {
  model.profiles.delete(id);
  for (const [documentId, document] of model.documents) if (document.profileId === id) model.documents.delete(documentId);
  for (const [applicationId, { profileId }] of model.applications) if (profileId === id) model.applications.delete(applicationId);
  model.noted(exchange, 'profile.deleted', 'profile', id);
  return [];
}

/** A repeated identical decision on an unchanged record writes nothing (NOT-1). */
function decide(model: Model, profile: Profile, { kind, decision, note }: Decision, exchange: Exchange): void {
  const part = kind === 'photo' ? profile.photo : profile.data;
  const given = decision === 'approve' ? null : (note ?? null);
  if (!part || (part.status === statusAfter[decision] && part.note === given)) return;
  setStatus(part, statusAfter[decision], exchange.at);
  part.note = given;
  part.hasNote = given !== null;
  part.wasApproved ||= decision === 'approve';
  model.shown.changed(`profile/${profile.id}`);
  model.noted(exchange, `${kind}.${past[decision]}`, 'profile', profile.id);
  model.expectNotified(profile.ownerId, `${kind}.${past[decision]}`, profile.id);
}

/** A part keeps its place in the queue until a decision (REV-3). */
function setStatus(part: Part, status: Review, at: Date): void {
  if (part.status !== status) part.since = at;
  part.status = status;
}

/** An approved part goes back to review; a returned one waits for its submission; a refused photo begins anew (PRO-2, PRO-3). */
function change(model: Model, profile: Profile, exchange: Exchange): void {
  const { data = {}, photo_id: photoId } = exchange.body as Change;
  const changed = merge(profile, data);
  if (changed.some((field) => identityFields.has(field)) && profile.data.status === 'approved')
    setStatus(profile.data, 'pending', exchange.at);
  const isOtherPhoto = photoId !== undefined && photoId !== profile.photoId;
  if (isOtherPhoto) changePhoto(profile, photoId, exchange.at);
  if (changed.length === 0 && !isOtherPhoto) return;
  model.shown.changed(`profile/${profile.id}`);
  model.noted(exchange, 'profile.updated', 'profile', profile.id);
}

function changePhoto(profile: Profile, photoId: string | null, at: Date): void {
  profile.photoId = photoId;
  if (photoId === null) profile.photo = null;
  else if (profile.photo === null) profile.photo = { ...draft(at), status: isSubmitted(profile) ? 'pending' : 'draft' };
  else setStatus(profile.photo, afterReplacement[profile.photo.status], at);
}

/** Sets what is given, in its composed form (API-7), and takes away what is null. @returns the changed fields */
function merge(profile: Profile, given: Record<string, unknown>): string[] {
  const composed = Object.entries(given).map(([field, value]) => [field, typeof value === 'string' ? value.normalize('NFC') : value]);
  const data: Record<string, unknown> = Object.fromEntries(composed);
  const changed = Object.keys(data).filter((field) => (data[field] ?? undefined) !== profile.fields[field]);
  const merged = Object.entries({ ...profile.fields, ...data }).filter(([, value]) => value !== null);
  profile.fields = Object.fromEntries(merged);
  const birthDate = profile.fields['birth_date'];
  profile.birthDate = typeof birthDate === 'string' ? birthDate : null;
  return changed;
}

/** A correction keeps the review status and tells the owner (PRO-7). */
function correct(model: Model, profile: Profile, exchange: Exchange): void {
  if (merge(profile, (exchange.body as Change).data ?? {}).length === 0) return;
  model.shown.changed(`profile/${profile.id}`);
  model.noted(exchange, 'profile.corrected', 'profile', profile.id);
  model.expectNotified(profile.ownerId, 'record.corrected', profile.id);
}

const afterReplacement: Record<Review, Review> = {
  draft: 'draft',
  pending: 'pending',
  approved: 'pending',
  changes: 'changes',
  cancelled: 'draft',
};

const isSubmitted = ({ data: { status } }: Profile) => status === 'pending' || status === 'approved';

/** Both parts are submitted together (PRO-11); what was approved or refused stays. */
function submit(model: Model, profile: Profile, exchange: Exchange): void {
  for (const part of [profile.data, profile.photo]) if (part && isToSubmit(part)) setStatus(part, 'pending', exchange.at);
  model.shown.changed(`profile/${profile.id}`);
  model.noted(exchange, 'profile.submitted', 'profile', profile.id);
}

const isToSubmit = ({ status }: Part) => status === 'draft' || status === 'changes';

/** Whether an athlete of another account has the same IIN (PRO-1). */
function isIinOfOthers(model: Model, { id, ownerId, fields }: Profile): boolean {
  const { iin } = fields;
  if (iin === undefined) return false;
  return model.profiles.values().some((other) => other.id !== id && other.ownerId !== ownerId && other.fields['iin'] === iin);
}

/** The records whose answers may follow from a profile. */
export function withApplications(model: Model, profileId: number): Touched[] {
  const applications = [...model.applications.values()].filter((application) => application.profileId === profileId);
  return [{ kind: 'profile' as const, id: profileId }, ...applications.map(({ id }) => ({ kind: 'application' as const, id }))];
}

/** The profile of another account does not exist (API-3). */
function judgeOwn({ by }: Asked, profile: Profile | undefined, judgeIt: (profile: Profile) => Judgement): Judgement {
  return profile?.ownerId === by.accountId ? judgeIt(profile) : refuse('not_found');
}

function judgeNew(model: Model, { body, by }: Asked, today: string): Judgement {
  const { kind, data, photo_id: photoId = null } = body as { kind: string; data: Record<string, string>; photo_id?: string | null };
  if (kind === 'athlete' && (data['birth_date'] ?? '') >= today) return refuse('validation_failed');
  if (kind === 'athlete' && isIinTaken(model, by.accountId, data['iin'], null)) return refuse('duplicate_profile');
  const isOwnPhoto = photoId === null || model.files.get(photoId)?.ownerId === by.accountId;
  return isOwnPhoto ? 'accept' : 'open';
}

/** One athlete of one IIN in an account (PRO-1). */
function isIinTaken(model: Model, ownerId: number, iin: unknown, profileId: number | null): boolean {
  if (typeof iin !== 'string') return false;
  return model.profiles
    .values()
    .some((other) => other.ownerId === ownerId && other.id !== profileId && other.kind === 'athlete' && other.fields['iin'] === iin);
}

/** Only while neither its data nor its photo was ever approved, and no application needs it (PRO-5). */
function judgeDeletion(model: Model, { id, data, photo }: Profile, today: string): Judgement {
  if (data.wasApproved || photo?.wasApproved) return refuse('profile_was_approved');
  const applications = [...model.applications.values()].filter(({ profileId }) => profileId === id);
  if (applications.some(({ payerId, certificate }) => payerId !== null || certificate !== null)) return refuse('profile_in_use');
  const living = applications.filter(isLiving);
  // One whose year is over closes within the hour (APP-13).
  if (living.length > 0) return living.every((one) => isOver(model, one, today)) ? 'open' : refuse('profile_in_use');
  // A registration keeps its profile in every status (REG-16).
  return model.registrations.values().some(({ profileId }) => profileId === id) ? refuse('profile_in_use') : 'open';
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
  if (typeof data['birth_date'] === 'string' && data['birth_date'] >= today) return refuse('validation_failed');
  if (isChanged && isIinTaken(model, profile.ownerId, data['iin'], profile.id) && profile.kind === 'athlete')
    return refuse('duplicate_profile');
  if (isChanged && profile.data.status === 'cancelled') return refuse('invalid_state');
  if (photoId === null && profile.photoId !== null && profile.kind === 'athlete' && profile.data.status !== 'draft')
    return refuse('validation_failed');
  return typeof photoId === 'string' && model.files.get(photoId)?.ownerId !== profile.ownerId ? 'open' : 'accept';
}

function judgeCorrection(model: Model, profile: Profile, { data = {}, updated_at: version = '' }: Change, today: string): Judgement {
  const isCurrent = model.shown.isCurrent(`profile/${profile.id}`, version);
  if (isCurrent === false) return refuse('stale_revision');
  if (isCurrent === null) return 'open';
  if (typeof data['birth_date'] === 'string' && data['birth_date'] >= today) return refuse('validation_failed');
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
