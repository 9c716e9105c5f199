import type { ProcessView } from '../../workflows/process.contract.ts';
import type { CommandContext } from '../platform/context.ts';
import { formatDateTime } from '../platform/date-time.ts';
import type { Profile } from './entities.ts';
import { findProfile } from './queries.ts';
import { isUnderReview } from './states.ts';

/** How the process of a profile stands (design.md "Processes"): read in the transaction of the step before. */
export async function viewProfile(ctx: Pick<CommandContext, 'em'>, profileId: number): Promise<ProcessView> {
  const profile = await findProfile(ctx.em, profileId);
  return profile
    ? viewOfProfile(profile)
    : { stage: 'absent', waitingFor: 'nobody', details: `There is no profile ${profileId}.`, isOver: true, wakeAfterMs: null };
}

/** The same for a row at hand. No date moves a profile, so it never wakes by itself. */
export function viewOfProfile(profile: Profile): ProcessView {
  const stands = `Profile ${profile.id} (${profile.kind}): data ${profile.status}, photo ${profile.photoId === null ? 'none' : profile.photoStatus}.`;
  const parts = [
    { name: 'data', status: profile.status },
    { name: 'photo', status: profile.photoStatus },
  ];
  const namesOf = (status: string) =>
    parts
      .filter((part) => part.status === status)
      .map(({ name }) => `the ${name}`)
      .join(' and ');
  if (!isUnderReview(profile)) {
    return {
      stage: profile.status,
      waitingFor: 'nobody',
      details: `${stands} Nothing waits for a review.`,
      isOver: true,
      wakeAfterMs: null,
    };
  }
  if (namesOf('pending') === '') {
    const details = `${stands} Waits for the owner to correct ${namesOf('changes')} and to submit.`;
    return { stage: 'changes', waitingFor: 'owner', details, isOver: false, wakeAfterMs: null };
  }
  const since = profile.submittedAt === null ? '' : ` since ${formatDateTime(profile.submittedAt)}`;
  const details = `${stands} Waits for an administrator to review ${namesOf('pending')}${since}.`;
  return { stage: 'pending', waitingFor: 'administrator', details, isOver: false, wakeAfterMs: null };
}
