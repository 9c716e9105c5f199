import { z } from 'zod';
import { serviceCategory } from '../../catalog/index.ts';
import {
  cappedListMeta,
  dateTimeResponse,
  dayResponse,
  id,
  idParam,
  line,
  localizedText,
  optionalFlag,
  optionalYear,
  ownerResponse,
  paging,
  tiyn,
} from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { applicationStatus } from '../../applications/index.ts';
import { approve, optionalNote, requiredNote, sendBack } from '../../reviews/index.ts';
import { type ExportList, exportRelations, listProblems, mostInList, nationalLists } from './fitness.ts';
import type { ListedCertificate } from './queries.ts';

const ids = z.array(id).min(1).max(mostInList).describe('Ids of applications; a duplicate counts once');
const year = z.int().min(1000).max(9999);

const relation = z
  .enum(exportRelations)
  .optional()
  .describe('`listed`: in your own list; `exported`: some file ever included it, whether or not it was sent');

export const nationalQuery = z.strictObject({
  year: optionalYear,
  q: line(200)
    .optional()
    .meta({
      examples: ['Серікбаева'],
      description: 'A whole number, id or IIN; or prefixes of words of the printed or current name: all must match, in any order',
    }),
  service_id: idParam.optional(),
  status: applicationStatus.optional(),
  paid: optionalFlag('Paid and not refunded'),
  insurance: relation,
  print: relation,
  ...paging,
});

const listedIds = z.array(id).describe('Ids of applications, in the order in which they were added');

export const nationalMeta = cappedListMeta.extend({
  lists: z.object({ review: listedIds, insurance: listedIds, print: listedIds }).describe('Your own lists'),
});

const exported = z
  .array(z.object({ at: dateTimeResponse, actor_id: id.describe('The administrator who exported it') }))
  .describe('Its exports from this list');

export const nationalResponse = z.array(
  z
    .object({
      id: id.describe('Id of the application'),
      number: z.string().nullable().describe('Number of the certificate; null until it is issued'),
      name: z.string().describe('Name on the certificate; before the issue, of the profile'),
      profile_id: id,
      service_id: id,
      service: z.object({ id, code: z.string(), title: localizedText, category: serviceCategory }),
      year: z.int(),
      status: applicationStatus,
      paid: z.boolean().describe('Paid and not refunded'),
      amount_minor: tiyn,
      insurance_territory: z.enum(['KZ', 'CIS']).describe('Territory of the insurance'),
      insurance_coverage_minor: tiyn.nullable(),
      valid_from: dayResponse.nullable(),
      valid_until: dayResponse.nullable(),
      revision: z.int().describe('Send it with a decision'),
      owner: ownerResponse,
      submitted_at: dateTimeResponse.nullable(),
      approved_at: dateTimeResponse.nullable(),
      exports: z
        .object({ insurance: exported, print: exported })
        .describe('Every file that includes it, by any administrator, oldest first'),
    })
    .meta({ id: 'NationalCertificate' }),
);

export const changeListBody = z
  .discriminatedUnion('operation', [
    z.strictObject({ operation: z.literal('add'), ids }),
    z.strictObject({ operation: z.literal('remove'), ids }),
    z.strictObject({ operation: z.literal('clear') }),
    z.strictObject({ operation: z.literal('auto'), year: year.describe('Year of the applications') }),
  ])
  .meta({ id: 'NationalListChange' });

export const changedListResponse = z
  .object({
    list: z.enum(nationalLists).describe('The changed list'),
    ids: listedIds,
    added: z.int().describe('Number of added records'),
    removed: z.int().describe('Number of removed records'),
    skipped: z
      .array(z.object({ id, reason: z.enum([...listProblems, 'list_full']).describe('Why it was not added') }))
      .describe(`Records that do not fit or exceed ${mostInList}, without those that are already in the list`),
  })
  .meta({ id: 'NationalList' });

export const bulkReviewBody = z
  .discriminatedUnion('decision', [
    z.strictObject({ ids, decision: approve, note: optionalNote }),
    z.strictObject({ ids, decision: sendBack, note: requiredNote }),
  ])
  .meta({ id: 'BulkReview' });

export const bulkReviewResponse = z
  .object({
    succeeded: z.array(id).describe('Ids of applications that were decided on'),
    failed: z
      .array(z.object({ id, code: z.string().describe('One of the error codes'), message: z.string() }))
      .describe('Applications that stay as they were'),
  })
  .meta({ id: 'BulkReviewOutcome' });

/** Presents a row of the list; name and insurance come from the issued certificate if there is one. */
export function presentListed(row: ListedCertificate): z.input<typeof nationalResponse>[number] {
  const { service, snapshot } = row;
  const exportsOf = (wanted: ExportList) =>
    row.exports.flatMap(({ list, at, actor_id }) => (list === wanted ? [{ at: formatDateTime(new Date(at)), actor_id }] : []));
  return {
    id: row.id,
    number: row.number,
    name: snapshot?.holderName ?? row.profileName,
    profile_id: row.profileId,
    service_id: service.id,
    service,
    year: row.year,
    status: row.status,
    paid: row.paid,
    amount_minor: row.amountMinor,
    insurance_territory: snapshot?.insuranceTerritory ?? row.data.insurance_territory,
    insurance_coverage_minor: snapshot?.insuranceCoverageMinor ?? row.insuranceCoverageMinor,
    valid_from: row.validFrom,
    valid_until: row.validUntil,
    revision: row.revision,
    owner: row.owner,
    submitted_at: formatDateTime(row.submittedAt),
    approved_at: formatDateTime(row.approvedAt),
    exports: { insurance: exportsOf('insurance'), print: exportsOf('print') },
  };
}
