import { z } from 'zod';
import { dayResponse, id, line, ownerResponse, paging } from '../../../http/schemas.ts';
import { applicationStatus } from '../../applications/index.ts';
import { reviewStatus } from '../../profiles/index.ts';
import { exportShape } from '../export-file.ts';
import { certificateStandings, type ListedAthlete } from './list-athletes.ts';

const filters = {
  status: reviewStatus.optional().describe('Status of the profile'),
  certificate: z
    .enum(certificateStandings)
    .optional()
    .describe(
      'National certificate of the present year. `issued`: there is one that is not annulled; `pending`: there is none, but an application is submitted or returned; `not_issued`: neither',
    ),
  q: line(200)
    .optional()
    .meta({
      examples: ['Серікбаева'],
      description:
        "Beginnings of words of the name, the city or the owner's e-mail, and certificate numbers (all must match, in any order); or an e-mail; or a number: an id, or the beginning of an IIN or a phone with any separators",
    }),
};

export const athletesQuery = z.strictObject({ ...filters, ...paging });

export const exportQuery = z.strictObject({
  kind: z.enum(['athletes']),
  ...exportShape,
  ...filters,
});

export const athletesResponse = z.array(
  z
    .object({
      id: id.describe('Id of the profile'),
      name: z.string(),
      status: reviewStatus,
      photo_status: reviewStatus.describe('The photo is reviewed separately from the data'),
      city: z.string().nullable(),
      phone: z.string().nullable(),
      owner: ownerResponse,
      certificate: z
        .object({
          issued: z.boolean().describe('Whether there is one that is not annulled'),
          number: z.string().nullable().describe('Number of the certificate; null without one'),
          valid_from: dayResponse.nullable(),
          valid_until: dayResponse.nullable(),
        })
        .describe('The last national certificate of the present year; international licences do not count'),
      latest_application: z
        .object({ id, service_id: id, status: applicationStatus })
        .nullable()
        .describe('The application that was created last, for any service'),
      counters: z.object({ documents: z.int().min(0), applications: z.int().min(0) }).describe('Numbers of records of the profile'),
    })
    .meta({ id: 'ListedAthlete' }),
);

export function presentAthlete(athlete: ListedAthlete): z.input<typeof athletesResponse>[number] {
  const { id, name, status, city, phone, documents, applications } = athlete;
  return {
    id,
    name,
    status,
    photo_status: athlete.photoStatus,
    city,
    phone,
    owner: { id: athlete.ownerId, name: athlete.ownerName, email: athlete.ownerEmail },
    certificate: {
      issued: athlete.number !== null,
      number: athlete.number,
      valid_from: athlete.validFrom,
      valid_until: athlete.validUntil,
    },
    latest_application:
      athlete.applicationId === null || athlete.applicationServiceId === null || athlete.applicationStatus === null
        ? null
        : { id: athlete.applicationId, service_id: athlete.applicationServiceId, status: athlete.applicationStatus },
    counters: { documents, applications },
  };
}
