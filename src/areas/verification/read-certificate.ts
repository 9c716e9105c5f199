import type { MikroORM } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import { sql } from 'kysely';
import { databaseOf } from '../../platform/database/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ApplicationStatus } from '../applications/index.ts';
import { countsUntil, type DocumentType, type Requirements, type ServiceKind } from '../catalog/index.ts';
import type { DocumentStatus } from '../documents/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import type { ValidityFacts } from './validity.ts';

/** The facts of a certificate for the public verification; without names and internal ids (VER-3). */
export interface CertificateFacts {
  kind: ServiceKind;
  number: string;
  sharingEnabled: boolean;
  validity: ValidityFacts;
  /** The present instant by the registry's clock. */
  now: Date;
}

/** The facts as one JSON column: describing fifteen columns takes longer than sending them. */
interface Facts {
  kind: ServiceKind;
  number: string;
  sharing: boolean;
  status: ApplicationStatus;
  paid: boolean;
  resubmission_due: boolean;
  from: string;
  until: string;
  profile: [ReviewStatus, hasNote: boolean];
  /** Null when the profile needs no photo. */
  photo: [ReviewStatus, hasNote: boolean, isPresent: boolean] | null;
  documents: [DocumentType, DocumentStatus, expiresAt: string | null][] | null;
  requirements: Requirements;
  offset_seconds: number | null;
}

/**
 * Builds the statement for the facts of one certificate. Uses certificates_token_unique, then primary keys only.
 *
 * Also reads the sandbox clock, which saves a second round trip.
 * @param token SQL expression of the token in the outer statement
 */
export const factsOfCertificate = (token: string): string => `
  select json_build_object(
    'kind', a.kind, 'number', c.number, 'sharing', a.sharing_enabled, 'status', a.status,
    'paid', a.paid or a.amount_minor = 0, 'resubmission_due', a.resubmission_due_since is not null, 'from', c.valid_from, 'until', c.valid_until,
    'profile', json_build_array(p.status, p.review_note is not null),
    'photo', case when p.kind = 'athlete' then json_build_array(p.photo_status, p.photo_review_note is not null, p.photo_id is not null) end,
    'documents', (select json_agg(json_build_array(d.type, d.status, d.expires_at))
       from application_documents ad join documents d on d.id = ad.document_id where ad.application_id = c.application_id),
    'requirements', json_build_object('requiredDocuments', v.required_documents, 'birthDate', p.data->>'birth_date'),
    'offset_seconds', (select offset_seconds from sandbox_clock where id = 1)) as facts
  from certificates c join applications a on a.id = c.application_id join profiles p on p.id = a.profile_id
    join services v on v.id = a.service_id
  where c.token = ${token}`;

/**
 * Builds the statement for many tokens.
 *
 * The limit stops the planner from scanning whole tables for an estimated hundred tokens. Raw SQL, because this is the most frequent
 * statement of the registry.
 */
const factsOfTokens = (tokens: readonly string[]) => sql<{ token: string; facts: Facts }>`
  select asked.token, certificate.facts
  from json_array_elements_text(${JSON.stringify(tokens)}::json) asked (token)
  cross join lateral (${sql.raw(factsOfCertificate('asked.token'))} limit 1) certificate`;

/** The planner's row estimate for an unknown JSON array; more tokens go into a second statement. */
const maxBatchSize = 100;

const loaders = new WeakMap<MikroORM, DataLoader<string, Facts | null>>();

/**
 * Returns the loader that batches the tokens of one turn of the event loop into one statement.
 *
 * Under load, sending a statement takes longer than running it. The loader caches nothing, so each request reads present facts (VER-1).
 */
function loaderOf(orm: MikroORM): DataLoader<string, Facts | null> {
  const existing = loaders.get(orm);
  if (existing) return existing;
  const created = new DataLoader<string, Facts | null>(
    async (tokens) => {
      const { rows } = await factsOfTokens(tokens).execute(databaseOf(orm.em.fork()));
      const found = new Map(rows.map(({ token, facts }) => [token, facts]));
      return tokens.map((token) => found.get(token) ?? null);
    },
    { cache: false, maxBatchSize, batchScheduleFn: (load) => setImmediate(load) },
  );
  loaders.set(orm, created);
  return created;
}

/** Reads the present facts of a token; null when the token is unknown. */
export async function readCertificate(platform: Pick<Platform, 'orm' | 'clock'>, token: string): Promise<CertificateFacts | null> {
  const facts = await loaderOf(platform.orm).load(token);
  if (!facts) return null;
  const offsetSeconds = platform.clock.sandbox ? (facts.offset_seconds ?? 0) : 0;
  const [profileStatus, profileHasNote] = facts.profile;
  return {
    kind: facts.kind,
    number: facts.number,
    sharingEnabled: facts.sharing,
    now: new Date(Date.now() + offsetSeconds * 1000),
    validity: {
      status: facts.status,
      isPaid: facts.paid,
      isResubmissionDue: facts.resubmission_due,
      validFrom: facts.from,
      validUntil: facts.until,
      profile: { status: profileStatus, hasNote: profileHasNote },
      photo: facts.photo && { status: facts.photo[0], hasNote: facts.photo[1], isPresent: facts.photo[2] },
      documents: (facts.documents ?? []).map(([type, status, expiresAt]) => ({
        status,
        expiresAt,
        countsUntil: countsUntil({ type }, facts.requirements),
      })),
    },
  };
}
