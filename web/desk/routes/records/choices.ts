import type { Choice } from './decision.tsx';

/** The decisions of `POST /admin/review` (REV-1). */
export const reviewChoices: readonly Choice[] = [
  { decision: 'approve', needsNote: false },
  { decision: 'changes', needsNote: true },
  { decision: 'cancel', needsNote: true },
];

/** The fields of a decision that depend on it. */
export function decidedBody(decision: Choice['decision'], note: string) {
  if (decision === 'approve') return { decision, note: note === '' ? null : note } as const;
  return { decision: decision === 'cancel' ? decision : 'changes', note } as const;
}
