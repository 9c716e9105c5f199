import { z } from 'zod';
import { dayResponse, id, line, paging } from '../../../http/schemas.ts';
import { applicationStatuses } from '../../applications/index.ts';
import { reviewStatuses } from '../../profiles/index.ts';
import { certificateStandings, type ListedAthlete } from './list-athletes.ts';

const filters = {
  status: z.enum(reviewStatuses).optional().meta({ description: 'Of the profile' }),
  certificate: z.enum(certificateStandings).optional().meta({
    description:
      'Of national certificates of the present year. `issued`: there is one, neither annulled nor returned; `pending`: there is none, and an application is sent or returned; `not_issued`: neither',
  }),
  q: line(200).optional().meta({
    description:
      'Beginnings of words of the name, the city or the e-mail of the owner, all of them, in any order; or an e-mail; or a number: an id, or the beginning of an IIN or of a phone, however it is divided',
  }),
};

export const athletesQuery = z.strictObject({ ...filters, ...paging });

export const exportQuery = z.strictObject({ kind: z.enum(['athletes']), ...filters });

export const athletesResponse = z.array(
  z
    .object({
      id: id.meta({ description: 'Of the profile' }),
      name: z.string(),
      status: z.enum(reviewStatuses),
      photo_status: z.enum(reviewStatuses),
      city: z.string().nullable(),
      phone: z.string().nullable(),
      owner: z.object({ id, name: z.string(), email: z.string() }),
      certificate: z
        .object({
          issued: z.boolean(),
          number: z.string().nullable(),
          valid_from: dayResponse.nullable(),
          valid_until: dayResponse.nullable(),
        })
        .meta({ description: 'The last national certificate of the present year; international licences are none' }),
      latest_application: z
        .object({ id, service_id: id, status: z.enum(applicationStatuses) })
        .nullable()
        .meta({ description: 'The one that was opened last, for whatever service' }),
      counters: z.object({ documents: z.int().min(0), applications: z.int().min(0) }),
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
