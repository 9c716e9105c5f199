/**
 * Every change to a workflow with stored histories, by its `patched()` name. Remove one in two steps when every running process has it
 * (search `TemporalChangeVersion`): first `deprecatePatch()`, then delete. The rebuild of 2026-11-22
 * (`npm run processes:rebuild -- --restart`) retired older ones.
 */
export const patches = {
  /** Refused commands and certificate queries show their request too. Marked where the first of them is served. */
  requestOfEveryMessage: 'request-of-every-message',
  /** A failure that cannot succeed ends no process: the process shows as stuck and continues to serve. Marked at the failure. */
  stuckServesOn: 'stuck-serves-on',
  /** A long sweep continues in a new run. Marked where it does. */
  sweepGoesOn: 'sweep-goes-on',
  /** A run stops its long work before the next begins. Marked where it does. */
  newRunAfterLongWork: 'new-run-after-long-work',
} as const;
