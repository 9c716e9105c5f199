import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { type Database, inList } from '../../platform/database/database.ts';
import { type InJson, jsonOf, listOf, withInstants } from '../../platform/database/json-rows.ts';
import { type CertificateValidity, readValidityOf } from '../verification/index.ts';
import type { Registration } from './entities.ts';
import { type CrewMember, inOrder, type RegistrationFacts, type RegistrationRecord } from './record.ts';

interface FactsRow extends Pick<RegistrationFacts, 'profile' | 'papers' | 'documents' | 'crew'> {
  registrationId: number;
  event: InJson<RegistrationFacts['event']>;
  applicationIds: number[];
  history: InJson<RegistrationFacts['history'][number]>[];
}

/** Selects each registration with its event, profile, papers, snapshot, crew and history in one row, so lists avoid N+1 queries. */
function selectFacts(db: Database) {
  return db
    .selectFrom('registrations as r')
    .innerJoin('events as e', 'e.id', 'r.eventId')
    .innerJoin('profiles as p', 'p.id', 'r.profileId')
    .select((eb) => [
      'r.id as registrationId',
      jsonOf(eb, 'e', ['id', 'ownerId', 'title', 'disciplineId', 'status', 'startsAt', 'endsAt']).as('event'),
      jsonOf(eb, 'p', ['id', 'name', 'status']).as('profile'),
      eb
        .selectFrom('registration_licences as rl')
        .whereRef('rl.registrationId', '=', 'r.id')
        .select(sql<number[]>`coalesce(array_agg(${sql.ref('rl.applicationId')} order by ${sql.ref('rl.applicationId')}), '{}')`.as('ids'))
        .$asScalar()
        .$notNull()
        .as('applicationIds'),
      eb
        .selectFrom('registration_documents as rd')
        .innerJoin('documents as d', 'd.id', 'rd.documentId')
        .whereRef('rd.registrationId', '=', 'r.id')
        .where('rd.isAttached', '=', true)
        .select((paper) => listOf(jsonOf(paper, 'd', ['id', 'type', 'status', 'expiresAt']), 'd.id').as('list'))
        .$asScalar()
        .$notNull()
        .as('papers'),
      eb
        .selectFrom('registration_documents as rd')
        .whereRef('rd.registrationId', '=', 'r.id')
        .select((document) =>
          listOf(
            jsonOf(document, 'rd', ['registrationId', 'documentId', 'isAttached', 'type', 'number', 'expiresAt', 'status', 'fileId']),
            'rd.documentId',
          ).as('list'),
        )
        .$asScalar()
        .$notNull()
        .as('documents'),
      eb
        .selectFrom('registration_crew as rc')
        .whereRef('rc.registrationId', '=', 'r.id')
        .select((member) =>
          listOf<CrewMember>(jsonBuildObject({ role: member.ref('rc.role'), registrationId: member.ref('rc.memberId') }), 'rc.memberId').as(
            'list',
          ),
        )
        .$asScalar()
        .$notNull()
        .as('crew'),
      eb
        .selectFrom('registration_history as h')
        .whereRef('h.registrationId', '=', 'r.id')
        .select((step) => listOf(jsonOf(step, 'h', ['at', 'status', 'actor', 'reason']), 'h.id').as('list'))
        .$asScalar()
        .$notNull()
        .as('history'),
    ]);
}

/** Reads the facts that a registration depends on, in two statements. Flush changes of the open transaction first. */
export async function findFacts(db: Database, id: number): Promise<RegistrationFacts | null> {
  const row = await selectFacts(db).where('r.id', '=', id).executeTakeFirst();
  return row ? toFacts(row, await readValidityOf(db, row.applicationIds)) : null;
}

/** Finds registrations with their facts, ordered by id. Two statements, by primary keys. */
export async function findRegistrations(db: Database, ids: readonly number[]): Promise<RegistrationRecord[]> {
  if (ids.length === 0) return [];
  const rows = await selectFacts(db).selectAll('r').where('r.id', '=', inList(ids)).orderBy('r.id').execute();
  const licences = await readValidityOf(
    db,
    rows.flatMap(({ applicationIds }) => applicationIds),
  );
  return rows.map((row) => toRecord(row, licences));
}

export async function findRegistration(db: Database, id: number): Promise<RegistrationRecord | null> {
  const [record] = await findRegistrations(db, [id]);
  return record ?? null;
}

function toRecord(row: FactsRow & Registration, licences: ReadonlyMap<number, CertificateValidity>): RegistrationRecord {
  const { registrationId, event, profile, applicationIds, papers, documents, crew, history, ...registration } = row;
  const facts = toFacts({ registrationId, event, profile, applicationIds, papers, documents, crew, history }, licences);
  return { id: registration.id, registration, ...facts };
}

function toFacts(row: FactsRow, licences: ReadonlyMap<number, CertificateValidity>): RegistrationFacts {
  const { event, profile, applicationIds, papers, documents, crew, history } = row;
  return {
    event: withInstants(event, ['startsAt', 'endsAt']),
    profile,
    licences: inOrder(applicationIds.flatMap((id) => licences.get(id) ?? [])),
    papers,
    documents,
    crew,
    history: history.map((step) => withInstants(step, ['at'])),
  };
}
