import { z } from 'zod';
import { day, dayOut, id, note } from '../http/schemas.ts';

const approve = z.literal('approve');
const sendBack = z.enum(['changes', 'cancel']).meta({ description: '`changes` returns the record for correction, `cancel` refuses it' });
const optionalNote = note.nullable().optional().meta({ description: 'Kept in the history; the record shows no note once approved' });
const requiredNote = note.meta({ description: 'What the owner is told, 5-3000 characters' });
const recordId = id.meta({ description: 'Id of the record; of the profile when the kind is `photo`' });

function decisionsOn<Kind extends string>(kind: Kind) {
  return z.discriminatedUnion('decision', [
    z.strictObject({ kind: z.literal(kind), id: recordId, decision: approve, note: optionalNote }),
    z.strictObject({ kind: z.literal(kind), id: recordId, decision: sendBack, note: requiredNote }),
  ]);
}

const revision = z
  .int()
  .min(0)
  .max(2_147_483_647)
  .meta({ description: 'The revision that was looked at; another one answers 409 `stale_revision`' });

const decisionsOnApplication = z.discriminatedUnion('decision', [
  z.strictObject({
    kind: z.literal('application'),
    id: recordId,
    decision: approve,
    revision,
    valid_from: day
      .nullable()
      .optional()
      .meta({ description: 'First day of validity; for services whose dates the administrator gives', format: 'date' }),
    valid_until: day
      .nullable()
      .optional()
      .meta({ description: 'Last day of validity; ignored where it is always 31 December', format: 'date' }),
    note: optionalNote,
  }),
  z.strictObject({ kind: z.literal('application'), id: recordId, decision: sendBack, revision, note: requiredNote }),
]);

/** One decision of an administrator (service.md "Administration"); what it takes depends on the kind and on the decision. */
export const reviewBody = z
  .discriminatedUnion('kind', [decisionsOn('profile'), decisionsOn('photo'), decisionsOn('document'), decisionsOnApplication])
  .meta({ id: 'Review' });
export type Review = z.output<typeof reviewBody>;
export type ReviewKind = Review['kind'];

/** The record as it stands after the decision. */
export const reviewedShape = z
  .object({
    kind: z.enum(['profile', 'photo', 'document', 'application']),
    id,
    status: z.string(),
    review_note: z.string().nullable(),
    revision: z.int().optional().meta({ description: 'Of an application' }),
    number: z.string().nullable().optional().meta({ description: 'Number of the certificate, of an application' }),
    valid_from: dayOut.nullable().optional(),
    valid_until: dayOut.nullable().optional(),
  })
  .meta({ id: 'ReviewedRecord' });
