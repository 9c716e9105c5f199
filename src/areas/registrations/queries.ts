import { type Expression, sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { type Database, inList } from '../../platform/database/database.ts';
import { type CertificateValidity, readValidityOf } from '../verification/index.ts';
import type { ForeignPaper } from './eligibility.ts';
import type { Registration, RegistrationDocument, RegistrationHistory } from './entities.ts';
import { type CrewMember, inOrder, type RegistrationFacts, type RegistrationRecord } from './record.ts';

/** Instants inside JSON are text that `Date` parses. */
type HistoryRow = Omit<Pick<RegistrationHistory, 'at' | 'status' | 'actor' | 'reason'>, 'at'> & { at: string };

interface FactsRow {
  registrationId: number;
  event: Omit<RegistrationFacts['event'], 'startsAt' | 'endsAt'> & { startsAt: string; endsAt: string };
  profile: RegistrationFacts['profile'];
  applicationIds: number[];
  papers: ForeignPaper[];
  documents: RegistrationDocument[];
  crew: CrewMember[];
  history: HistoryRow[];
}

/** Selects each registration with its event, profile, papers, snapshot, crew and history in one row, so lists avoid N+1 queries. */
function selectFacts(db: Database) {
  return db
    .selectFrom('registrations as r')
    .innerJoin('events as e', 'e.id', 'r.eventId')
    .innerJoin('profiles as p', 'p.id', 'r.profileId')
    .select((eb) => [
      'r.id as registrationId',
      jsonBuildObject({
        id: eb.ref('e.id'),
        ownerId: eb.ref('e.ownerId'),
        title: eb.ref('e.title'),
        disciplineId: eb.ref('e.disciplineId'),
        status: eb.ref('e.status'),
        startsAt: eb.ref('e.startsAt'),
        endsAt: eb.ref('e.endsAt'),
      })
        .$castTo<FactsRow['event']>()
        .as('event'),
      jsonBuildObject({ id: eb.ref('p.id'), name: eb.ref('p.name'), status: eb.ref('p.status') }).as('profile'),
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
        .select((paper) =>
          listOf<ForeignPaper>(
            jsonBuildObject({
              id: paper.ref('d.id'),
              type: paper.ref('d.type'),
              status: paper.ref('d.status'),
              expiresAt: paper.ref('d.expiresAt'),
            }),
            'd.id',
          ).as('list'),
        )
        .$asScalar()
        .$notNull()
        .as('papers'),
      eb
        .selectFrom('registration_documents as rd')
        .whereRef('rd.registrationId', '=', 'r.id')
        .select((document) =>
          listOf<RegistrationDocument>(
            jsonBuildObject({
              registrationId: document.ref('rd.registrationId'),
              documentId: document.ref('rd.documentId'),
              isAttached: document.ref('rd.isAttached'),
              type: document.ref('rd.type'),
              number: document.ref('rd.number'),
              expiresAt: document.ref('rd.expiresAt'),
              status: document.ref('rd.status'),
              fileId: document.ref('rd.fileId'),
            }),
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
        .select((step) =>
          listOf<HistoryRow>(
            jsonBuildObject({
              at: step.ref('h.at'),
              status: step.ref('h.status'),
              actor: step.ref('h.actor'),
              reason: step.ref('h.reason'),
            }),
            'h.id',
          ).as('list'),
        )
        .$asScalar()
        .$notNull()
        .as('history'),
    ]);
}

/** Aggregates a subquery's rows into one ordered list. Keys of the JSON objects are the given names, not column names. */
function listOf<Row>(row: Expression<Row>, orderBy: string) {
  return sql<Row[]>`coalesce(json_agg(${row} order by ${sql.ref(orderBy)}), '[]')`;
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
    event: { ...event, startsAt: new Date(event.startsAt), endsAt: new Date(event.endsAt) },
    profile,
    licences: inOrder(applicationIds.flatMap((id) => licences.get(id) ?? [])),
    papers,
    documents,
    crew,
    history: history.map(({ at, ...step }) => ({ at: new Date(at), ...step })),
  };
}
