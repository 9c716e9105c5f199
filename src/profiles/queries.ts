import type { EntityManager } from '@mikro-orm/postgresql';
import type { LocalizedText, ServiceKind } from '../catalog/entities.ts';
import type { ApplicationStatus } from '../applications/states.ts';
import { ArchivedVehicleEntity, ProfileEntity } from './entities.ts';
import type { ArchivedVehicle, Profile } from './entities.ts';
import type { ReviewStatus } from './states.ts';
import { loadById } from '../platform/database/load.ts';

export function findProfile(em: EntityManager, id: number): Promise<Readonly<Profile> | null> {
  return loadById(em, ProfileEntity, id);
}

/** All profiles of an account, oldest first: there are few, so they come whole (service.md "Lists"). */
export function listProfiles(em: EntityManager, ownerId: number): Promise<Profile[]> {
  return em.find(ProfileEntity, { ownerId }, { orderBy: { id: 'asc' } });
}

export function listVehicles(em: EntityManager, profileId: number): Promise<ArchivedVehicle[]> {
  return em.find(ArchivedVehicleEntity, { profileId }, { orderBy: { id: 'asc' } });
}

export interface AthleteSummary {
  id: number;
  name: string;
  photoId: string | null;
  status: ReviewStatus;
  photoStatus: ReviewStatus;
  documents: number;
  applications: number;
  certificates: number;
}

/** The athletes of an account with what belongs to them, counted in the same statement. */
export function summarizeAthletes(em: EntityManager, ownerId: number): Promise<AthleteSummary[]> {
  return em.execute<AthleteSummary[]>(
    `select p.id, p.name, p.photo_id as "photoId", p.status, p.photo_status as "photoStatus",
       (select count(*)::int from documents d where d.profile_id = p.id) as documents,
       (select count(*)::int from applications a where a.profile_id = p.id) as applications,
       (select count(*)::int from applications a join certificates c on c.application_id = a.id where a.profile_id = p.id) as certificates
     from profiles p where p.owner_id = ? and p.kind = 'athlete' order by p.id`,
    [ownerId],
  );
}

/** One application of a dossier. Instants are text, in a form that Date reads. */
export interface PortfolioApplication {
  id: number;
  serviceId: number;
  serviceTitle: LocalizedText;
  kind: ServiceKind;
  disciplineId: number | null;
  year: number;
  status: ApplicationStatus;
  paid: boolean;
  amountMinor: number;
  createdAt: string;
  certificate: { number: string; validFrom: string; validUntil: string; issuedAt: string } | null;
}

/** The applications of a profile with their certificates, newest first. */
export function listPortfolioApplications(em: EntityManager, profileId: number): Promise<PortfolioApplication[]> {
  return em.execute<PortfolioApplication[]>(
    `select a.id, a.service_id as "serviceId", s.title as "serviceTitle", a.kind, a.discipline_id as "disciplineId", a.year, a.status, a.paid,
       a.amount_minor::float8 as "amountMinor", a.created_at as "createdAt",
       case when c.application_id is not null then jsonb_build_object('number', c.number, 'validFrom', c.valid_from,
         'validUntil', c.valid_until, 'issuedAt', c.issued_at) end as certificate
     from applications a join services s on s.id = a.service_id left join certificates c on c.application_id = a.id
     where a.profile_id = ? order by a.id desc`,
    [profileId],
  );
}
