import { z } from 'zod';
import { dateTimeResponse, dayResponse, id, localizedText } from '../../../http/schemas.ts';
import { inList } from '../../../platform/database/database.ts';
import { formatDateTime } from '../../../platform/date-time.ts';
import type { DossierSection, ProfileCounter } from '../../profiles/index.ts';

const applicationsResponse = z.array(
  z.object({
    id,
    service_id: id,
    service_title: localizedText,
    discipline_id: id.nullable(),
    year: z.int(),
    status: z.string(),
    paid: z.boolean(),
    amount_minor: z.int(),
    created_at: dateTimeResponse,
  }),
);

const certificatesResponse = z.array(
  z.object({
    application_id: id,
    number: z.string(),
    kind: z.string(),
    service_title: localizedText,
    valid_from: dayResponse,
    valid_until: dayResponse,
    application_status: z.string(),
    issued_at: dateTimeResponse,
  }),
);

/** Lists the applications of a profile, newest first. Uses applications_profile_index. */
export const applicationsSection: DossierSection = {
  field: 'applications',
  schema: applicationsResponse,
  async read(db, profileId): Promise<z.input<typeof applicationsResponse>> {
    const rows = await db
      .selectFrom('applications as a')
      .innerJoin('services as s', 's.id', 'a.serviceId')
      .select(['a.id', 'a.serviceId', 's.title', 'a.disciplineId', 'a.year', 'a.status', 'a.paid', 'a.amountMinor', 'a.createdAt'])
      .where('a.profileId', '=', profileId)
      .orderBy('a.id', 'desc')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      service_id: row.serviceId,
      service_title: row.title,
      discipline_id: row.disciplineId,
      year: row.year,
      status: row.status,
      paid: row.paid,
      amount_minor: row.amountMinor,
      created_at: formatDateTime(row.createdAt),
    }));
  },
};

/** Lists the certificates of a profile, newest application first. */
export const certificatesSection: DossierSection = {
  field: 'certificates',
  schema: certificatesResponse,
  async read(db, profileId): Promise<z.input<typeof certificatesResponse>> {
    const rows = await db
      .selectFrom('applications as a')
      .innerJoin('services as s', 's.id', 'a.serviceId')
      .innerJoin('certificates as c', 'c.applicationId', 'a.id')
      .select(['a.id', 'a.kind', 's.title', 'a.status', 'c.number', 'c.validFrom', 'c.validUntil', 'c.issuedAt'])
      .where('a.profileId', '=', profileId)
      .orderBy('a.id', 'desc')
      .execute();
    return rows.map((row) => ({
      application_id: row.id,
      number: row.number,
      kind: row.kind,
      service_title: row.title,
      valid_from: row.validFrom,
      valid_until: row.validUntil,
      application_status: row.status,
      issued_at: formatDateTime(row.issuedAt),
    }));
  },
};

/** Counts the applications of each profile. Uses applications_profile_index. */
export const applicationsCounter: ProfileCounter = {
  field: 'applications',
  async count(db, profileIds) {
    const rows = await db
      .selectFrom('applications as a')
      .select((eb) => ['a.profileId', eb.fn.countAll<number>().as('count')])
      .where('a.profileId', '=', inList(profileIds))
      .groupBy('a.profileId')
      .execute();
    return new Map(rows.map(({ profileId, count }) => [profileId, count]));
  },
};

/** Counts the certificates of each profile. */
export const certificatesCounter: ProfileCounter = {
  field: 'certificates',
  async count(db, profileIds) {
    const rows = await db
      .selectFrom('applications as a')
      .innerJoin('certificates as c', 'c.applicationId', 'a.id')
      .select((eb) => ['a.profileId', eb.fn.countAll<number>().as('count')])
      .where('a.profileId', '=', inList(profileIds))
      .groupBy('a.profileId')
      .execute();
    return new Map(rows.map(({ profileId, count }) => [profileId, count]));
  },
};
