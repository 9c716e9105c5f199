import { z } from 'zod';
import { id, note } from '../../http/schemas.ts';
import type { Decision } from './entities.ts';

/** Parts of the bodies that `POST /admin/review` takes, shared by the kinds of records (`reviewables`). */

/** Every decision there is. */
export const decisions = ['approve', 'changes', 'cancel'] as const satisfies readonly Decision[];

export const approve = z.literal('approve');
export const sendBack = z
  .enum(['changes', 'cancel'])
  .meta({ description: '`changes` returns the record for correction, `cancel` refuses it' });
export const optionalNote = note.nullable().optional().meta({ description: 'Kept in the history; the record shows no note once approved' });
export const requiredNote = note.meta({ description: 'What the owner is told, 5-3000 characters' });
export const recordId = id.meta({ description: 'Id of the record; of the profile when the kind is `photo`' });

/** The body of a kind whose decisions take nothing but a note. */
export function decisionsOn<Kind extends string>(kind: Kind) {
  return z.discriminatedUnion('decision', [
    z.strictObject({ kind: z.literal(kind), id: recordId, decision: approve, note: optionalNote }),
    z.strictObject({ kind: z.literal(kind), id: recordId, decision: sendBack, note: requiredNote }),
  ]);
}

/** The private words of a decision: they stay in the database, and only their id travels through Temporal. */
export const decisionWords = z.object({ note: z.string() });

/** What a decision's note sends as private words: nothing where there is no note. */
export function wordsOf(given: string | null | undefined): z.input<typeof decisionWords> | null {
  return given === null || given === undefined ? null : { note: given };
}
