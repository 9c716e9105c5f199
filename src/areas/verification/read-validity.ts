import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { type Database, inList } from '../../platform/database/database.ts';
import type { ServiceKind } from '../catalog/index.ts';
import type { DocumentStatus } from '../documents/index.ts';
import type { ValidityFacts } from './validity.ts';

/** The present state of a document behind a certificate. */
export interface DocumentBehind {
  id: number;
  status: DocumentStatus;
  /** `YYYY-MM-DD`, the last valid day. */
  expiresAt: string | null;
}

/** An issued certificate with its present facts, for areas that depend on it; not for public answers. */
export interface CertificateValidity {
  applicationId: number;
  token: string;
  number: string;
  kind: ServiceKind;
  disciplineId: number | null;
  profileId: number;
  ownerId: number;
  validity: Omit<ValidityFacts, 'documents'> & { documents: readonly DocumentBehind[] };
}

/**
 * Reads the present facts of these applications' certificates in one statement by primary keys. `stateOn` judges them for a day.
 * @returns by application id; without applications that were never issued
 */
export async function readValidityOf(
  db: Database,
  applicationIds: readonly number[],
): Promise<ReadonlyMap<number, Readonly<CertificateValidity>>> {
  if (applicationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('certificates as c')
    .innerJoin('applications as a', 'a.id', 'c.applicationId')
    .innerJoin('profiles as p', 'p.id', 'a.profileId')
    .where('c.applicationId', '=', inList([...new Set(applicationIds)]))
    .select((eb) => [
      'c.applicationId',
      'c.token',
      'c.number',
      'c.validFrom',
      'c.validUntil',
      'a.kind',
      'a.disciplineId',
      'a.profileId',
      'a.ownerId',
      'a.status',
      eb
        .or([eb('a.paid', '=', true), eb('a.amountMinor', '=', 0)])
        .$castTo<boolean>()
        .as('isPaid'),
      eb('a.resubmissionDueSince', 'is not', null).$castTo<boolean>().as('isResubmissionDue'),
      jsonBuildObject({ status: eb.ref('p.status'), hasNote: eb('p.reviewNote', 'is not', null).$castTo<boolean>() }).as('profile'),
      eb
        .case()
        .when('p.kind', '=', 'athlete')
        .then(
          jsonBuildObject({
            status: eb.ref('p.photoStatus'),
            hasNote: eb('p.photoReviewNote', 'is not', null).$castTo<boolean>(),
            isPresent: eb('p.photoId', 'is not', null).$castTo<boolean>(),
          }),
        )
        .end()
        .as('photo'),
      eb
        .selectFrom('application_documents as ad')
        .innerJoin('documents as d', 'd.id', 'ad.documentId')
        .whereRef('ad.applicationId', '=', 'a.id')
        .select((behind) => {
          const document = jsonBuildObject({
            id: behind.ref('d.id'),
            status: behind.ref('d.status'),
            expiresAt: behind.ref('d.expiresAt'),
          });
          return sql<DocumentBehind[]>`coalesce(json_agg(${document} order by ${sql.ref('d.id')}), '[]')`.as('documents');
        })
        .$asScalar()
        .$notNull()
        .as('documents'),
    ])
    .execute();
  return new Map(
    rows.map(({ applicationId, token, number, kind, disciplineId, profileId, ownerId, ...validity }) => [
      applicationId,
      { applicationId, token, number, kind, disciplineId, profileId, ownerId, validity },
    ]),
  );
}
