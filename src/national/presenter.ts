import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { ListedCertificate } from './listing-queries.ts';
import type { ExportList } from './lists.ts';
import type { nationalResponse } from './schemas.ts';

/** A national certificate as the list shows it. */
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
    submitted_at: row.submittedAt && formatDateTime(row.submittedAt),
    approved_at: row.approvedAt && formatDateTime(row.approvedAt),
    exports: { insurance: exportsOf('insurance'), print: exportsOf('print') },
  };
}
