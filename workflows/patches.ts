/**
 * Every change to a workflow with stored histories, by its `patched()` name. Remove one in two steps when every running process has it
 * (search `TemporalChangeVersion`): first `deprecatePatch()`, then delete. The rebuild of 2026-11-22
 * (`npm run registry -- processes rebuild --restart`) retired older ones.
 */
export const patches = {
  /** Refused commands and certificate queries show their request too. Recorded at the first of them. */
  requestOfEveryMessage: 'request-of-every-message',
  /** After a permanent failure the process is stuck but still serves. Recorded at the failure. */
  stuckServesOn: 'stuck-serves-on',
  /** A run stops its long work before the next run begins. Recorded there. */
  newRunAfterLongWork: 'new-run-after-long-work',
  /** A new date of the next step shows even when nothing else changed. Recorded at the first such date. */
  dueAtShown: 'due-at-shown',
} as const;
