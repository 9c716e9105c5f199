import { sql } from 'kysely';
import { z } from 'zod';
import { day } from '../../http/schemas.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { profileFlags } from '../profiles/index.ts';
import {
  approve,
  noText,
  noVersion,
  optionalNote,
  type QueueDetails,
  type QueueSource,
  recordId,
  requiredNote,
  reviewable,
  sendBack,
  privateNote,
} from '../reviews/index.ts';
import { applicationProcess } from './process.ts';

/**
 * Lists applications that wait for an administrator (`applications_queue_index`) and returned ones (`applications_returned_index`).
 *
 * A national certificate needs no decision (APP-5); other kinds wait once they are paid. The status is a literal in the statement, so
 * that the planner uses the partial index.
 */
export const applicationQueueSource: QueueSource = {
  kind: 'application',
  waiting: 'submitted',
  canBeReturned: true,
  select: (db, status) =>
    db
      .selectFrom('applications as a')
      .leftJoin('services as s', 's.id', 'a.serviceId')
      .leftJoin('profiles as p', 'p.id', 'a.profileId')
      .where(sql<boolean>`${sql.ref('a.status')} = ${sql.lit(status)}`)
      .where('a.kind', '<>', sql.lit('national_certificate'))
      .where((eb) => eb.or([eb('a.paid', '=', true), eb('a.amountMinor', '=', 0)]))
      .select([
        sql.lit('application').as('kind'),
        'a.id',
        'a.status',
        sql<string>`(${sql.ref('s.title')}->>'en') || ': ' || ${sql.ref('p.name')}`.as('title'),
        sql<Date>`greatest(${sql.ref('a.submittedAt')}, ${sql.ref('a.paidAt')}, ${sql.ref('a.createdAt')})`.as('waitingSince'),
        'a.profileId',
        'a.ownerId',
        profileFlags('p').as('flags'),
        noText.as('searchText'),
        noVersion.as('updatedAt'),
        sql<QueueDetails>`json_build_object(
          'revision', ${sql.ref('a.revision')}, 'service', ${sql.ref('s.title')}, 'subject', ${sql.ref('p.name')})`.as('details'),
      ]),
};

const kind = z.literal('application');
const revision = z
  .int()
  .min(0)
  .max(2_147_483_647)
  .describe('The revision that the administrator has read. Another one answers 409 `stale_revision`');
const validFrom = day
  .nullable()
  .optional()
  .meta({ description: 'First day of validity, for services whose dates an administrator sets', format: 'date' });
const validUntil = day
  .nullable()
  .optional()
  .meta({ description: 'Last day of validity; ignored for services that end on 31 December', format: 'date' });

const body = z.discriminatedUnion('decision', [
  z.strictObject({ kind, id: recordId, decision: approve, revision, valid_from: validFrom, valid_until: validUntil, note: optionalNote }),
  z.strictObject({ kind, id: recordId, decision: sendBack, revision, note: requiredNote }),
]);

/** The review of applications. */
export const applicationReviewable = reviewable({
  kind: 'application',
  body,
  async find(db, id) {
    const row = await db
      .selectFrom('applications as a')
      .leftJoin('certificates as c', 'c.applicationId', 'a.id')
      .select(['a.status', 'a.reviewNote', 'a.revision', 'c.number', 'c.validFrom', 'c.validUntil'])
      .where('a.id', '=', id)
      .executeTakeFirst();
    if (!row) return null;
    const { status, reviewNote, revision: seen, number, validFrom: from, validUntil: until } = row;
    return { kind: 'application', id, status, review_note: reviewNote, revision: seen, number, valid_from: from, valid_until: until };
  },
  async review(platform, given, caller) {
    const dates =
      given.decision === 'approve'
        ? { validFrom: given.valid_from ?? null, validUntil: given.valid_until ?? null }
        : { validFrom: null, validUntil: null };
    const args = { decision: given.decision, revision: given.revision, ...dates };
    await sendCommand(platform, applicationProcess, given.id, 'review', { caller, args, privateInput: privateNote(given.note) });
  },
});
