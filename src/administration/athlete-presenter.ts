import type { z } from 'zod';
import type { athletesResponse } from './athlete-schemas.ts';
import type { ListedAthlete } from './list-athletes.ts';

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
