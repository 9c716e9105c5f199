import { type Area, type Asked, touchedIds } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model, Part, Profile, Review } from '../model.ts';

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
]);

const after = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;

/** Profiles, by `docs/rules/profiles.md`. */
export const profilesArea: Area = {
  judge(model, asked) {
    if (asked.operation === 'DELETE /profiles/{id}') return judgeDeletion(model, asked, Number(asked.params['id']));
    const decided = decisionOn(asked);
    if (decided?.kind !== 'profile' && decided?.kind !== 'photo') return null;
    const profile = model.profiles.get(decided.id);
    const part = decided.kind === 'photo' ? profile?.photo : profile?.data;
    if (!part || part.status === 'draft') return refuse();
    return decided.updated_at === undefined ? 'accept' : 'open';
  },

  saw(model, exchange) {
    const { operation, params, body, data } = exchange;
    if (operation === 'POST /profiles') {
      model.profiles.set(data.id, newProfile(exchange));
      return [{ kind: 'profile', id: data.id }];
    }
    if (operation === 'DELETE /profiles/{id}') {
      model.profiles.delete(Number(params['id']));
      for (const [id, document] of model.documents) if (document.profileId === Number(params['id'])) model.documents.delete(id);
      for (const [id, { profileId }] of model.applications) if (profileId === Number(params['id'])) model.applications.delete(id);
      return [];
    }
    const decided = decisionOn(exchange);
    const profile = model.profiles.get(decided?.id ?? Number(params['id']));
    if (!profile || !isOfProfile(operation, decided)) return [];
    if (decided) {
      const part = decided.kind === 'photo' ? profile.photo : profile.data;
      if (part) decide(part, decided.decision);
    } else if (operation === 'PATCH /profiles/{id}') change(profile, body as Change);
    else submit(profile);
    return withApplications(model, profile.id);
  },

  async ask({ model, asOwner, asAdministrator, same }, touched) {
    for (const id of touchedIds(touched, 'profile')) {
      const profile = model.profiles.get(id);
      if (!profile) continue;
      const expected = { status: profile.data.status, photo_status: profile.photo?.status ?? 'draft' };
      const seen = await asOwner(profile.ownerId, 'GET /profiles/{id}', { params: { id } });
      if (seen.status === 200)
        same(`profile ${id} stands as it was left (PRO-2, PRO-3)`, expected, {
          status: seen.data.status,
          photo_status: seen.data.photo_status,
        });
      const record = await asAdministrator('GET /admin/records/{kind}/{id}', { params: { kind: 'profile', id } });
      const shown = { status: record.data.status, photo_status: record.data.photo_status };
      same(`an administrator sees profile ${id} as its owner does`, expected, shown);
      const waiting = [
        ...(profile.data.status === 'pending' ? ['profile'] : []),
        ...(profile.photo?.status === 'pending' ? ['photo'] : []),
      ];
      const queue = await asAdministrator('GET /admin/queue', { query: '?limit=100' });
      const queued = (queue.data as { kind: string; id: number }[]).filter(
        (row) => row.id === id && ['profile', 'photo'].includes(row.kind),
      );
      same(`the queue holds the parts of profile ${id} that wait (REV-3)`, waiting.toSorted(), queued.map((row) => row.kind).toSorted());
    }
  },
};

interface Change {
  data?: Record<string, unknown>;
  photo_id?: string | null;
}

/** A decision by `POST /admin/review`. */
export interface Decision {
  kind: string;
  id: number;
  decision: 'approve' | 'changes' | 'cancel';
  note?: string;
  updated_at?: string;
  revision?: number;
  stage?: string;
}

/** The decision of a `POST /admin/review`; null for another request. */
export function decisionOn({ operation, body }: Pick<Exchange, 'operation' | 'body'>): Decision | null {
  return operation === 'POST /admin/review' ? (body as Decision) : null;
}

/** The records whose answers may follow from a profile. */
export function withApplications(model: Model, profileId: number) {
  const applications = [...model.applications.values()].filter((application) => application.profileId === profileId);
  return [{ kind: 'profile' as const, id: profileId }, ...applications.map(({ id }) => ({ kind: 'application' as const, id }))];
}

function isOfProfile(operation: string, decided: Decision | null): boolean {
  if (decided) return decided.kind === 'profile' || decided.kind === 'photo';
  return operation === 'PATCH /profiles/{id}' || operation === 'POST /profiles/{id}/submit';
}

function newProfile({ body, by, data }: Exchange): Profile {
  const sent = body as { kind: Profile['kind']; data: Record<string, string>; photo_id?: string | null };
  return {
    id: data.id,
    ownerId: by.accountId,
    formerOwnerIds: new Set(),
    iin: sent.data['iin'] ?? null,
    kind: sent.kind,
    birthDate: sent.data['birth_date'] ?? null,
    data: draft(),
    photo: typeof sent.photo_id === 'string' ? draft() : null,
  };
}

const draft = (): Part => ({ status: 'draft', hasNote: false, wasApproved: false });

function decide(part: Part, decision: 'approve' | 'changes' | 'cancel'): void {
  part.status = after[decision];
  part.hasNote = decision !== 'approve';
  part.wasApproved ||= decision === 'approve';
}

/** An approved part goes back to review; a returned one waits for its submission; a refused photo begins anew (PRO-2, PRO-3). */
function change(profile: Profile, { data = {}, photo_id: photoId }: Change): void {
  const isIdentity = Object.keys(data).some((field) => identityFields.has(field));
  if (isIdentity && profile.data.status === 'approved') profile.data.status = 'pending';
  if (photoId === undefined) return;
  if (photoId === null) profile.photo = null;
  else if (profile.photo === null) profile.photo = { ...draft(), status: isSubmitted(profile) ? 'pending' : 'draft' };
  else profile.photo.status = afterReplacement[profile.photo.status];
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
function submit(profile: Profile): void {
  for (const part of [profile.data, profile.photo])
    if (part && (part.status === 'draft' || part.status === 'changes')) part.status = 'pending';
}

/** Only while neither its data nor its photo was ever approved (PRO-5). */
function judgeDeletion(model: Model, { by }: Asked, id: number): Judgement {
  const profile = model.profiles.get(id);
  if (!profile || profile.ownerId !== by.accountId) return refuse();
  // A registration keeps its profile in every status (REG-16).
  const isRegistered = [...model.registrations.values()].some(({ profileId }) => profileId === id);
  return profile.data.wasApproved || profile.photo?.wasApproved || isRegistered ? refuse('profile_was_approved', 'profile_in_use') : 'open';
}
