import { z } from 'zod';
import { id, note } from '../../http/schemas.ts';
import type { Decision } from './entities.ts';

/** Parts of the bodies of `POST /admin/review`, shared by the kinds of records (`reviewables`). */

/** All decisions (REV-1). */
export const decisions = ['approve', 'changes', 'cancel'] as const satisfies readonly Decision[];

export const approve = z.literal('approve');
export const sendBack = z
  .enum(['changes', 'cancel'])
  .meta({ description: '`changes` returns the record for correction, `cancel` refuses it' });
export const optionalNote = note.nullable().optional().meta({ description: 'Kept in the history; an approved record shows no note' });
export const requiredNote = note.meta({ description: 'Shown to the owner, 5-3000 characters' });
export const recordId = id.meta({ description: 'Id of the record; of the profile when the kind is `photo`' });

/** Builds the body of a kind whose decisions need only a note (REV-1). */
export function decisionsOn<Kind extends string>(kind: Kind) {
  return z.discriminatedUnion('decision', [
    z.strictObject({ kind: z.literal(kind), id: recordId, decision: approve, note: optionalNote }),
    z.strictObject({ kind: z.literal(kind), id: recordId, decision: sendBack, note: requiredNote }),
  ]);
}

/** Private input of a decision: it stays in the database, and Temporal gets its id only. */
export const decisionWords = z.object({ note: z.string() });

/** Returns a note as private input; null without a note. */
export function wordsOf(given: string | null | undefined): z.input<typeof decisionWords> | null {
  return given === null || given === undefined ? null : { note: given };
}
