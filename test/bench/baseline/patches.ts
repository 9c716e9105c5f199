// Baseline of 2026-11-21, frozen: see index.ts.
/**
 * Every change to a workflow that has stored histories, by the name under which `patched()` knows it. One that no running process lacks any
 * more (search `TemporalChangeVersion`) goes by `deprecatePatch()` first, then altogether.
 */
export const patches = {
  /** 2026-11-21: who asks for a certificate is told to come again after eight seconds; before, he waited in turn until it was made. */
  certificateAnswerGivesUp: 'certificate-answer-gives-up',
} as const;
