import type { z } from 'zod';
import { presentDocument } from '../documents/index.ts';
import type { Document } from '../documents/entities.ts';
import { formatDateTime } from '../platform/date-time.ts';
import type { ArchivedVehicle, Profile } from './entities.ts';
import type { AthleteSummary, PortfolioApplication } from './queries.ts';
import type { portfolioShape, profileDetailShape, profileShape, profileSummaryShape, vehicleShape } from './schemas.ts';

/** A profile for its owner and for administrators: both see the whole of its data. */
export function presentProfile(profile: Profile): z.input<typeof profileShape> {
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
    updated_at: formatDateTime(profile.updatedAt),
  };
}

export function presentProfileDetail(profile: Profile, documents: readonly Document[]): z.input<typeof profileDetailShape> {
  return { ...presentProfile(profile), documents: documents.map(presentDocument) };
}

/** What administrators see beside it. */
export function presentForAdministrator(profile: Profile, process: z.input<typeof profileDetailShape>['process']) {
  return { owner_id: profile.ownerId, duplicate_iin: profile.duplicateIin, process };
}

export function presentSummary(athlete: AthleteSummary): z.input<typeof profileSummaryShape> {
  const { id, name, documents, applications, certificates } = athlete;
  return {
    id,
    name,
    photo_id: athlete.photoId,
    status: athlete.status,
    photo_status: athlete.photoStatus,
    // Competitions keep no records of athletes yet.
    counters: { documents, applications, certificates, competitions: 0 },
  };
}

export function presentPortfolio(
  profile: Profile,
  documents: readonly Document[],
  applications: readonly PortfolioApplication[],
): z.input<typeof portfolioShape> {
  return {
    profile: presentProfile(profile),
    documents: documents.map(presentDocument),
    applications: applications.map((application) => ({
      id: application.id,
      service_id: application.serviceId,
      service_title: application.serviceTitle,
      discipline_id: application.disciplineId,
      year: application.year,
      status: application.status,
      paid: application.paid,
      amount_minor: application.amountMinor,
      created_at: formatDateTime(new Date(application.createdAt)),
    })),
    certificates: applications.flatMap(presentCertificate),
    participation: [],
  };
}

function presentCertificate({
  id,
  kind,
  serviceTitle,
  status,
  certificate,
}: PortfolioApplication): z.input<typeof portfolioShape>['certificates'] {
  if (certificate === null) return [];
  return [
    {
      application_id: id,
      number: certificate.number,
      kind,
      service_title: serviceTitle,
      valid_from: certificate.validFrom,
      valid_until: certificate.validUntil,
      application_status: status,
      issued_at: formatDateTime(new Date(certificate.issuedAt)),
    },
  ];
}

export function presentVehicle({ id, data, archivedAt }: ArchivedVehicle): z.input<typeof vehicleShape> {
  return { id, data, archived_at: formatDateTime(archivedAt) };
}
