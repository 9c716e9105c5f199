import type { z } from 'zod';
import type { processResponse } from '../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../platform/date-time.ts';
import type { ArchivedVehicle, Profile } from './entities.ts';
import type { profileResponse, vehicleResponse } from './schemas.ts';

/** A profile for its owner and for administrators: both see the whole of its data. */
export function presentProfile(profile: Readonly<Profile>): z.input<typeof profileResponse> {
  return {
    id: profile.id,
    kind: profile.kind,
    name: profile.name,
    data: profile.data,
    photo_id: profile.photoId,
    status: profile.status,
    photo_status: profile.photoStatus,
    review_note: profile.reviewNote,
    photo_review_note: profile.photoReviewNote,
    submitted_at: profile.submittedAt === null ? null : formatDateTime(profile.submittedAt),
    created_at: formatDateTime(profile.createdAt),
    updated_at: formatVersion(profile.updatedAt),
  };
}

/** What administrators see beside it. */
export function presentForAdministrator(profile: Readonly<Profile>, described: z.input<typeof processResponse>) {
  return { owner_id: profile.ownerId, duplicate_iin: profile.duplicateIin, process: described };
}

/** @param counters by their fields */
export function presentSummary(athlete: Readonly<Profile>, counters: Readonly<Record<string, number>>) {
  return {
    id: athlete.id,
    name: athlete.name,
    photo_id: athlete.photoId,
    status: athlete.status,
    photo_status: athlete.photoStatus,
    counters,
  };
}

/** @param sections what the upper areas have of it, by their fields */
export function presentPortfolio(profile: Readonly<Profile>, sections: Readonly<Record<string, unknown>>) {
  return { profile: presentProfile(profile), ...sections };
}

export function presentVehicle({ id, data, archivedAt }: Readonly<ArchivedVehicle>): z.input<typeof vehicleResponse> {
  return { id, data, archived_at: formatDateTime(archivedAt) };
}
