import { DomainError } from '../errors.ts';

export const profileKinds = ['athlete', 'organizer'] as const;
export type ProfileKind = (typeof profileKinds)[number];

/** The data of a profile and its photo go through the same review, apart from each other (decisions.md §3). */
export const reviewStatuses = ['draft', 'pending', 'approved', 'changes', 'cancelled'] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];
export type ReviewPart = 'profile' | 'photo';

export const reviewDecisions = ['approve', 'changes', 'cancel'] as const;
export type ReviewDecision = (typeof reviewDecisions)[number];

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
  | { kind: 'review'; part: ReviewPart; decision: ReviewDecision };

/** Where an action takes a part; a status that is not named refuses it. */
type Transitions = Partial<Record<ReviewStatus, ReviewStatus>>;

const submitted: Transitions = { draft: 'pending', changes: 'pending', pending: 'pending', approved: 'approved' };
/** What was approved must be looked at again; what waits for the owner waits until he submits it. */
const identityEdited: Transitions = { draft: 'draft', changes: 'changes', pending: 'pending', approved: 'pending' };
const contactsEdited: Transitions = { draft: 'draft', changes: 'changes', pending: 'pending', approved: 'approved' };
/** A refused photo may be replaced by another one, which nobody has seen yet. */
const photoReplaced: Transitions = { ...identityEdited, cancelled: 'draft' };
const reviewed: Record<ReviewDecision, ReviewStatus> = { approve: 'approved', changes: 'changes', cancel: 'cancelled' };

/**
 * The only list of what may happen to a profile (service.md "Profile", decisions.md §3).
 * @throws {DomainError} invalid_state with both statuses, when the action is not possible now
 */
export function nextProfileState(state: ProfileState, action: ProfileAction): ProfileState {
  switch (action.kind) {
    case 'submit':
      return submit(state);
    case 'edit_identity':
      return { ...state, status: move(state, state.status, identityEdited) };
    case 'edit_contacts':
      return { ...state, status: move(state, state.status, contactsEdited) };
    case 'replace_photo':
      return { ...state, photoStatus: state.hasPhoto ? move(state, state.photoStatus, photoReplaced) : addedPhoto(state), hasPhoto: true };
    case 'remove_photo':
      return { ...state, photoStatus: 'draft', hasPhoto: false };
    case 'review':
      return review(state, action.part, action.decision);
  }
}

/** Sends what needs a review, and only that; there must be something. */
function submit(state: ProfileState): ProfileState {
  const status = move(state, state.status, submitted);
  // A refused photo stays refused until another is put in; it does not hold up the data.
  const photoStatus = state.hasPhoto ? (submitted[state.photoStatus] ?? state.photoStatus) : state.photoStatus;
  if (status === state.status && photoStatus === state.photoStatus) throw invalidState(state);
  return { ...state, status, photoStatus };
}

/** A photo that comes to a profile under review is reviewed with it; otherwise it waits to be submitted. */
function addedPhoto(state: ProfileState): ReviewStatus {
  return state.status === 'pending' || state.status === 'approved' ? 'pending' : 'draft';
}

function review(state: ProfileState, part: ReviewPart, decision: ReviewDecision): ProfileState {
  const current = part === 'photo' ? state.photoStatus : state.status;
  if (current === 'draft' || (part === 'photo' && !state.hasPhoto)) throw invalidState(state);
  const next = reviewed[decision];
  return part === 'photo' ? { ...state, photoStatus: next } : { ...state, status: next };
}

function move(state: ProfileState, from: ReviewStatus, transitions: Transitions): ReviewStatus {
  const next = transitions[from];
  if (!next) throw invalidState(state);
  return next;
}

function invalidState(state: ProfileState): DomainError {
  return new DomainError('invalid_state', { status: state.status, photo_status: state.photoStatus });
}

/** Whether somebody still has to act on the profile, so that its process must run. */
export function isUnderReview(state: Pick<ProfileState, 'status' | 'photoStatus'>): boolean {
  return [state.status, state.photoStatus].some((status) => status === 'pending' || status === 'changes');
}
