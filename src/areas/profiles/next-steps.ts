import { assertNever } from '../../errors.ts';
import type { Profile } from './entities.ts';
import { nextStatus, stateOf } from './states.ts';

/** The request that a part of a profile waits for. `add`, `correct`: the owner's PATCH; `submit`: the owner's; `review`: an administrator's. */
export type ProfileStep = 'add' | 'correct' | 'submit' | 'review';

/** What a part of a profile still needs. `step` is null while another part or party must act first. */
export interface PartNeed {
  waitingFor: 'owner' | 'administrator';
  step: ProfileStep | null;
}

export type SteppedProfile = Pick<Profile, 'kind' | 'status' | 'photoStatus' | 'photoId' | 'isCorrected' | 'isPhotoCorrected'>;

/**
 * Returns what the data and the photo of a profile need next; null for a part that is approved, or a photo that is not needed (PRO-11).
 *
 * A returned part names its correction first and the submission after it. Both parts are submitted together, so each waits for the
 * other's correction.
 */
export function needsOf(profile: SteppedProfile): { data: PartNeed | null; photo: PartNeed | null } {
  const { kind, status, photoStatus, photoId, isCorrected, isPhotoCorrected } = profile;
  const isAthlete = kind === 'athlete';
  const lacksCorrection =
    (status === 'changes' && !isCorrected) || (isAthlete && photoId !== null && photoStatus === 'changes' && !isPhotoCorrected);
  const canSubmit = !lacksCorrection && !(isAthlete && photoId === null) && nextStatus(stateOf(profile), { kind: 'submit' }) !== null;
  const ofOwner = (step: ProfileStep | null): PartNeed => ({ waitingFor: 'owner', step });
  const submission = ofOwner(canSubmit ? 'submit' : null);
  const review: PartNeed = { waitingFor: 'administrator', step: 'review' };
  return { data: needOfData(), photo: isAthlete ? needOfPhoto() : null };

  function needOfData(): PartNeed | null {
    switch (status) {
      case 'approved':
        return null;
      case 'draft':
        return submission;
      case 'changes':
        return isCorrected ? submission : ofOwner('correct');
      // The owner cannot change refused data: only an administrator can approve it.
      case 'pending':
      case 'cancelled':
        return review;
      default:
        return assertNever(status);
    }
  }

  function needOfPhoto(): PartNeed | null {
    if (photoId === null) return ofOwner('add');
    switch (photoStatus) {
      case 'approved':
        return null;
      case 'pending':
        return review;
      case 'draft':
        return submission;
      case 'changes':
        return isPhotoCorrected ? submission : ofOwner('correct');
      case 'cancelled':
        return ofOwner('correct');
      default:
        return assertNever(photoStatus);
    }
  }
}
