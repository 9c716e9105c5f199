import { searchAttributes } from '../../../workflows/contracts/process.contract.ts';
import { profileContract } from '../../../workflows/contracts/profile.contract.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { defineProcess, type ProcessState, withPrivateInput } from '../../platform/workflows/define-process.ts';
import { livingOf } from '../../platform/workflows/due-at.ts';
import { decisionInput } from '../reviews/index.ts';
import { type Profile, underReview } from './entities.ts';
import { findProfiles } from './queries.ts';
import { reviewProfile } from './review-profile.ts';
import { isUnderReview } from './states.ts';
import { submitProfile } from './submit-profile.ts';

/** The review of a profile (PRO-2): runs while data or photo waits for an administrator or for the owner. */
export const profileProcess = defineProcess(profileContract, {
  summary: (id) => `Profile ${id}: review of the data and the photo`,
  attributes: (id) => [{ key: searchAttributes.profileId, value: id }],
  read: findProfiles,
  describe,
  since: waitsSince,
  // Profiles have no deadlines.
  listDue: async () => [],
  listLiving: livingOf('profiles', underReview),
  commands: {
    submit: submitProfile,
    review: withPrivateInput(reviewProfile, decisionInput),
  },
});

/** Profiles have no deadlines, so the process sets no timer. */
function describe(profile: Readonly<Profile>): ProcessState {
  const state = `Profile ${profile.id} (${profile.kind}): data ${profile.status}, photo ${profile.photoId === null ? 'none' : profile.photoStatus}.`;
  const parts = [
    { name: 'data', status: profile.status },
    { name: 'photo', status: profile.photoStatus },
  ];
  const namesOf = (status: string) =>
    parts
      .filter((part) => part.status === status)
      .map(({ name }) => `the ${name}`)
      .join(' and ');
  const common = { isOver: false, isDue: false, next: null };
  if (!isUnderReview(profile)) {
    return { ...common, stage: profile.status, waitingFor: 'none', details: `${state} Nothing waits for a review.`, isOver: true };
  }
  if (namesOf('pending') === '') {
    const details = `${state} Waits for the owner to correct and resubmit ${namesOf('changes')}.`;
    return { ...common, stage: 'changes', waitingFor: 'owner', details };
  }
  const details = `${state} Waits for an administrator to review ${namesOf('pending')} since ${formatDateTime(waitsSince(profile))}.`;
  return { ...common, stage: 'pending', waitingFor: 'administrator', details };
}

/** Since when the part waits that has waited longest for an administrator; without one for the owner. */
function waitsSince({ status, photoStatus, statusSince, photoStatusSince }: Readonly<Profile>): Date {
  const stage = status === 'pending' || photoStatus === 'pending' ? 'pending' : 'changes';
  if (status !== stage) return photoStatusSince;
  return photoStatus === stage && photoStatusSince < statusSince ? photoStatusSince : statusSince;
}
