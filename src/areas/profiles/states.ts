import { DomainError } from '../../errors.ts';
import type { Locked } from '../../platform/database/lock.ts';
import type { Decision } from '../reviews/index.ts';

/** The data of a profile and its photo go through the same review, apart from each other (decisions.md §3). */
export const reviewStatuses = ['draft', 'pending', 'approved', 'changes', 'cancelled'] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];
export type ReviewPart = 'profile' | 'photo';

/** A part with one of these waits for somebody: the process of the profile runs as long as either part does. */
export const livingStatuses = ['pending', 'changes'] as const satisfies readonly ReviewStatus[];

export interface ProfileState {
  status: ReviewStatus;
  photoStatus: ReviewStatus;
  hasPhoto: boolean;
}

export type ProfileAction =
  | { kind: 'submit' }
  /** The owner changes who the profile says he is. */
  | { kind: 'edit_identity' }
  /** The owner changes the rest: how to reach him. */
  | { kind: 'edit_contacts' }
  /** The owner puts another photo in. */
  | { kind: 'replace_photo' }
  | { kind: 'remove_photo' }
  /** An administrator decides on one part. */
  | { kind: 'review'; part: ReviewPart; decision: Decision };

/** What happens to one part, the data or the photo. */
type PartAction = 'submit' | 'edit_identity' | 'edit_contacts' | 'replace_photo' | Decision;

const reviewed = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const satisfies Record<Decision, ReviewStatus>;

/**
 * The only list of what may happen to a part of a profile, and where it leads (service.md "Profile", decisions.md §3); what is not here
 * is refused. What was approved is looked at again after a change; what waits for the owner waits until he submits it; a part that was
 * never submitted cannot be decided on; a refused photo may be replaced by another one, which nobody has seen yet.
 */
export const transitions: Record<ReviewStatus, Partial<Record<PartAction, ReviewStatus>>> = {
  draft: { submit: 'pending', edit_identity: 'draft', edit_contacts: 'draft', replace_photo: 'draft' },
  pending: { submit: 'pending', edit_identity: 'pending', edit_contacts: 'pending', replace_photo: 'pending', ...reviewed },
  approved: { submit: 'approved', edit_identity: 'pending', edit_contacts: 'approved', replace_photo: 'pending', ...reviewed },
  changes: { submit: 'pending', edit_identity: 'changes', edit_contacts: 'changes', replace_photo: 'changes', ...reviewed },
  cancelled: { replace_photo: 'draft', ...reviewed },
};

/** The state of both parts after an action; null when it is not possible now. */
export function nextStatus(state: ProfileState, action: ProfileAction): ProfileState | null {
  switch (action.kind) {
    case 'submit':
      return submitted(state);
    case 'edit_identity':
    case 'edit_contacts':
      return withData(state, transitions[state.status][action.kind]);
    case 'replace_photo':
      return state.hasPhoto
        ? withPhoto(state, transitions[state.photoStatus].replace_photo)
        : { ...state, photoStatus: statusOfAddedPhoto(state), hasPhoto: true };
    case 'remove_photo':
      return { ...state, photoStatus: 'draft', hasPhoto: false };
    case 'review':
      if (action.part === 'profile') return withData(state, transitions[state.status][action.decision]);
      return state.hasPhoto ? withPhoto(state, transitions[state.photoStatus][action.decision]) : null;
  }
}

/** Sends what needs a review, and only that; there must be something. */
function submitted(state: ProfileState): ProfileState | null {
  const status = transitions[state.status].submit;
  if (status === undefined) return null;
  // A refused photo stays refused until another is put in; it does not hold up the data.
  const photoStatus = state.hasPhoto ? (transitions[state.photoStatus].submit ?? state.photoStatus) : state.photoStatus;
  return status === state.status && photoStatus === state.photoStatus ? null : { ...state, status, photoStatus };
}

/** A photo that comes to a profile under review is reviewed with it; otherwise it waits to be submitted. */
function statusOfAddedPhoto(state: ProfileState): ReviewStatus {
  return state.status === 'pending' || state.status === 'approved' ? 'pending' : 'draft';
}

function withData(state: ProfileState, status: ReviewStatus | undefined): ProfileState | null {
  return status === undefined ? null : { ...state, status };
}

function withPhoto(state: ProfileState, photoStatus: ReviewStatus | undefined): ProfileState | null {
  return photoStatus === undefined ? null : { ...state, photoStatus };
}

const actions: readonly ProfileAction[] = [
  { kind: 'submit' },
  { kind: 'edit_identity' },
  { kind: 'edit_contacts' },
  { kind: 'replace_photo' },
  { kind: 'remove_photo' },
  ...(['profile', 'photo'] as const).flatMap((part) =>
    (['approve', 'changes', 'cancel'] as const).map((decision) => ({ kind: 'review', part, decision }) as const),
  ),
];

/** What may happen to a profile now. */
export function allowedActions(state: ProfileState): ProfileAction[] {
  return actions.filter((action) => nextStatus(state, action) !== null);
}

/** @returns the state after the action. @throws {DomainError} invalid_state with both statuses, when the action is not possible now */
export function checkTransition(state: ProfileState, action: ProfileAction): ProfileState {
  const next = nextStatus(state, action);
  if (next === null) throw new DomainError('invalid_state', { status: state.status, photo_status: state.photoStatus });
  return next;
}

/** A profile as far as its review goes. */
export interface ReviewedProfile {
  status: ReviewStatus;
  photoStatus: ReviewStatus;
  photoId: string | null;
  submittedAt: Date | null;
}

/**
 * Moves a profile; a part that comes before an administrator by this joins the queue now. The photo itself is put in or taken out by
 * the caller.
 * @throws {DomainError} invalid_state with both statuses, when the action is not possible now
 */
export function transition(profile: Locked<ReviewedProfile>, action: ProfileAction, now: Date): void {
  const next = checkTransition(stateOf(profile), action);
  const joinsQueue =
    (next.status === 'pending' && profile.status !== 'pending') || (next.photoStatus === 'pending' && profile.photoStatus !== 'pending');
  if (joinsQueue) profile.submittedAt = now;
  profile.status = next.status;
  profile.photoStatus = next.photoStatus;
}

export function stateOf(profile: Pick<ReviewedProfile, 'status' | 'photoStatus' | 'photoId'>): ProfileState {
  return { status: profile.status, photoStatus: profile.photoStatus, hasPhoto: profile.photoId !== null };
}

/** Whether somebody still has to act on the profile, so that its process must run. */
export function isUnderReview(state: Pick<ProfileState, 'status' | 'photoStatus'>): boolean {
  const living: readonly ReviewStatus[] = livingStatuses;
  return living.includes(state.status) || living.includes(state.photoStatus);
}
