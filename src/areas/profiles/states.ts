import { DomainError } from '../../errors.ts';
import type { Locked } from '../../platform/database/lock.ts';
import type { Decision } from '../reviews/index.ts';

/** Statuses of the data and, separately, of the photo of a profile (PRO-2). */
export const reviewStatuses = ['draft', 'pending', 'approved', 'changes', 'cancelled'] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];
export type ReviewPart = 'profile' | 'photo';

/** Statuses that wait for a person. The profile's process runs while either part has one of them. */
export const livingStatuses = ['pending', 'changes'] as const satisfies readonly ReviewStatus[];

export interface ProfileState {
  status: ReviewStatus;
  photoStatus: ReviewStatus;
  hasPhoto: boolean;
}

export type ProfileAction =
  | { kind: 'submit' }
  /** The owner changes an identity field. */
  | { kind: 'edit_identity' }
  /** The owner changes other fields: contacts. */
  | { kind: 'edit_contacts' }
  /** The owner adds or replaces the photo. */
  | { kind: 'replace_photo' }
  | { kind: 'remove_photo' }
  /** An administrator decides on one part. */
  | { kind: 'review'; part: ReviewPart; decision: Decision };

/** An action on one part: the data or the photo. */
type PartAction = 'submit' | 'edit_identity' | 'edit_contacts' | 'replace_photo' | Decision;

const reviewed = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const satisfies Record<Decision, ReviewStatus>;

/**
 * The transition table of one part of a profile (PRO-2, PRO-3); actions not listed are refused.
 *
 * A changed approved part returns to review. A part in `changes` waits until the owner submits it. A part that was never
 * submitted cannot be decided on. A refused photo may be replaced.
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

/** Submits the parts that need a review; null when there are none. */
function submitted(state: ProfileState): ProfileState | null {
  const status = transitions[state.status].submit;
  if (status === undefined) return null;
  // A refused photo stays refused until it is replaced, and does not block the data.
  const photoStatus = state.hasPhoto ? (transitions[state.photoStatus].submit ?? state.photoStatus) : state.photoStatus;
  return status === state.status && photoStatus === state.photoStatus ? null : { ...state, status, photoStatus };
}

/** A photo added to a pending or approved profile goes to review; otherwise it waits for the submission. */
function statusOfAddedPhoto(state: ProfileState): ReviewStatus {
  return state.status === 'pending' || state.status === 'approved' ? 'pending' : 'draft';
}

function withData(state: ProfileState, status: ReviewStatus | undefined): ProfileState | null {
  return status === undefined ? null : { ...state, status };
}

function withPhoto(state: ProfileState, photoStatus: ReviewStatus | undefined): ProfileState | null {
  return photoStatus === undefined ? null : { ...state, photoStatus };
}

/** @returns the state after the action. @throws {DomainError} invalid_state with both statuses, when the action is not possible now */
export function checkTransition(state: ProfileState, action: ProfileAction): ProfileState {
  const next = nextStatus(state, action);
  if (next === null) throw new DomainError('invalid_state', { status: state.status, photo_status: state.photoStatus });
  return next;
}

/** The fields of a profile that a transition reads and writes. */
export interface ReviewedProfile {
  status: ReviewStatus;
  photoStatus: ReviewStatus;
  photoId: string | null;
  submittedAt: Date | null;
  statusSince: Date;
  photoStatusSince: Date;
}

/**
 * Applies an action to a profile. A part that becomes pending joins the queue at `now`; the other keeps its place (REV-3). The
 * caller sets or removes the photo itself.
 * @throws {DomainError} invalid_state with both statuses, when the action is not possible now
 */
export function transition(profile: Locked<ReviewedProfile>, action: ProfileAction, now: Date): void {
  const next = checkTransition(stateOf(profile), action);
  const joinsQueue =
    (next.status === 'pending' && profile.status !== 'pending') || (next.photoStatus === 'pending' && profile.photoStatus !== 'pending');
  if (joinsQueue) profile.submittedAt = now;
  if (next.status !== profile.status) profile.statusSince = now;
  if (next.photoStatus !== profile.photoStatus) profile.photoStatusSince = now;
  profile.status = next.status;
  profile.photoStatus = next.photoStatus;
}

export function stateOf(profile: Pick<ReviewedProfile, 'status' | 'photoStatus' | 'photoId'>): ProfileState {
  return { status: profile.status, photoStatus: profile.photoStatus, hasPhoto: profile.photoId !== null };
}

/** Whether the owner or an administrator must still act, so that the process must run. */
export function isUnderReview(state: Pick<ProfileState, 'status' | 'photoStatus'>): boolean {
  const living: readonly ReviewStatus[] = livingStatuses;
  return living.includes(state.status) || living.includes(state.photoStatus);
}
