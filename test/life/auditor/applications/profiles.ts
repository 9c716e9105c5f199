import { type Area, type Touched, touchedIds } from '../area.ts';
import { type Decision, decisionOn, past, statusAfter } from './decisions.ts';
import type { Exchange } from '../exchange.ts';
import type { Part, Profile, Review } from './application-records.ts';
import { askFile } from '../files/file-uses.ts';
import type { Model } from '../model.ts';
import { type Change, isToSubmit, judgeProfile } from './profile-judgement.ts';

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

/** Profiles, by `docs/rules/profiles.md`. */
export const profilesArea: Area = {
  records: ['profile', 'photo'],
  notifies: ['profile', 'photo', 'record'],

  judge: judgeProfile,

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

  async ask(inquiry, touched) {
    const { model, asOwner, asAdministrator, same } = inquiry;
    for (const id of touchedIds(touched, 'profile')) {
      const profile = model.profiles.get(id);
      if (!profile) continue;
      const expected = standingOf(profile);
      const seen = await asOwner(profile.ownerId, 'GET /profiles/{id}', { params: { id } });
      if (seen.status === 200) {
        same(`profile ${id} stands as it was left (PRO-2, PRO-3)`, expected, shownOf(seen.data));
        same(`profile ${id} has the data that it was given (PRO-7)`, profile.fields, seen.data.data);
        profile.photoId = askFile(inquiry, `photo ${id}`, profile.photoId, seen.data.photo_id);
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
    kind: sent.kind,
    birthDate: sent.data['birth_date'] ?? null,
    fields: { ...sent.data },
    photoId: sent.photo_id ?? null,
    data: draft(at),
    photo: typeof sent.photo_id === 'string' ? draft(at) : null,
    wasApproved: false,
  });
  model.noted(exchange, 'profile.created', 'profile', data.id);
  model.shown.shown(`profile/${data.id}`, data.updated_at);
  return [{ kind: 'profile', id: data.id }];
}

const draft = (since: Date): Part => ({ status: 'draft', since, note: null, hasNote: false });

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
  profile.wasApproved ||= decision === 'approve';
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
