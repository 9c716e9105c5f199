/**
 * Every change to a workflow that has stored histories, by the name under which `patched()` knows it. One that no running
 * process lacks any more (search `TemporalChangeVersion`) goes by `deprecatePatch()` first, then altogether. The rebuild of
 * 2026-11-22 (`npm run processes:rebuild -- --restart`) retired those before it.
 */
export const patches = {
  /** Refused commands and questions for the certificate show their request too. Marked where the first of them is served. */
  requestOfEveryMessage: 'request-of-every-message',
  /** What cannot succeed ends no process: it shows itself as stuck and serves on. Marked where something fails. */
  stuckServesOn: 'stuck-serves-on',
  /** A sweep that has grown long goes on in a new run. Marked where it does. */
  sweepGoesOn: 'sweep-goes-on',
  /** A run stops its long work before the next begins. Marked where it does. */
  newRunAfterLongWork: 'new-run-after-long-work',
} as const;
