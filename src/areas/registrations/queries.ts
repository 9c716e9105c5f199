import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { DomainError } from '../../errors.ts';
import { mostTimelineSteps } from '../../http/schemas.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { jsonOf, listOf, withInstants } from '../../platform/database/json-rows.ts';
import { dayOf } from '../../platform/time/date-time.ts';
import { literals } from '../../platform/database/literals.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import {
  type ClassLimit,
  closingOf,
  competitionSpan,
  type Eligibility,
  eligibilityOf,
  type EventStatus,
  type ForeignPaper,
  type JudgedEvent,
  judgeWhole,
  limitOf,
  presentReasons,
  type WholeEligibility,
} from '../competitions/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import { type CertificateValidity, readValidityOf } from '../verification/index.ts';
import { type Registration, type RegistrationDocument, RegistrationEntity, type RegistrationHistory } from './entities.ts';
import { livingStatuses } from './states.ts';

/** The live statuses as SQL literals. */
export const living = literals(livingStatuses);

/** A crew member: another registration of the same event (REG-14). */
export interface CrewMember {
  role: string;
  registrationId: number;
}

/**
 * A registration with the facts that its responses and its eligibility need. In a command `registration` is the locked row
 * (`lockRegistration`), so later readers of the record see the command's changes.
 */
export interface RegistrationRecord extends RegistrationFacts {
  id: number;
  registration: Readonly<Registration>;
}

/** Facts that a registration depends on. */
export interface RegistrationFacts {
  event: {
    id: number;
    /** The organizer. */
    ownerId: number;
    title: string;
    disciplineId: number;
    status: EventStatus;
    startsAt: Date;
    endsAt: Date;
    /** Of the intake; null until the organizer sets them. */
    opensAt: Date | null;
    closesAt: Date | null;
  };
  profile: { id: number; name: string; status: ReviewStatus };
  /** Certificates in their current state, ordered by start. */
  licences: readonly CertificateValidity[];
  /** Attached papers of another federation, in their current state. */
  papers: readonly ForeignPaper[];
  /** The snapshot at submission (REG-10); for a draft, the attached papers when it was saved. */
  documents: readonly RegistrationDocument[];
  crew: readonly CrewMember[];
  /** The places of its class; null when the settings do not have it (REG-20). */
  classLimit: ClassLimit | null;
  /** Its place in the line, 1 is the next; null unless it waits (REG-21). */
  waitingPlace: number | null;
  /** The latest entries, oldest first (ADM-5). */
  history: readonly Pick<RegistrationHistory, 'at' | 'status' | 'actor' | 'reason' | 'startNumber'>[];
}

/** Returns the instant until which a returned registration may be corrected: the start of the event, or a later end of the intake (REG-5). */
export function correctableUntil({ event }: Pick<RegistrationFacts, 'event'>): Date {
  const closing = event.opensAt === null ? event.startsAt : closingOf(event, event);
  return closing > event.startsAt ? closing : event.startsAt;
}

type JudgedFacts = Pick<RegistrationFacts, 'event' | 'profile' | 'licences' | 'papers'>;

/** Returns the days and the discipline for which eligibility is judged. */
export function judgedEventOf({ event }: { event: Pick<RegistrationFacts['event'], 'startsAt' | 'endsAt' | 'disciplineId'> }): JudgedEvent {
  return { span: competitionSpan(event), disciplineId: event.disciplineId };
}

/** Judges eligibility today and on the days of the event still to come (REG-4), for commands and the process. */
export function eligibilityOfRecord(facts: JudgedFacts, now: Date): Eligibility {
  return eligibilityOf(judgedEventOf(facts), facts, dayOf(now));
}

/** @throws {DomainError} not_eligible with the reasons (REG-4) */
export function requireEligible(facts: JudgedFacts, now: Date): void {
  const { ok, reasons } = eligibilityOfRecord(facts, now);
  if (!ok) throw new DomainError('not_eligible', { reasons: presentReasons(reasons) });
}

/** Judges registrations on every day of their events (REG-4), by id, for responses. At most two statements. */
export async function judgeRegistrations(
  db: Database,
  records: readonly RegistrationRecord[],
  now: Date,
): Promise<ReadonlyMap<number, WholeEligibility>> {
  const judged = await judgeWhole(
    db,
    records.map((record) => ({ event: judgedEventOf(record), standing: record })),
    now,
  );
  return new Map(records.flatMap(({ id }, index) => (judged[index] === undefined ? [] : [[id, judged[index]]])));
}

/** Orders certificates by start. */
export function inOrder(licences: readonly CertificateValidity[]): CertificateValidity[] {
  return licences.toSorted((left, right) => (left.validity.validFrom < right.validity.validFrom ? -1 : 1));
}

/** Selects each registration with its event, profile, papers, snapshot, crew and history in one row, so lists avoid N+1 queries. */
function selectRegistrations(db: Database) {
  return db
    .selectFrom('registrations as r')
    .innerJoin('events as e', 'e.id', 'r.eventId')
    .innerJoin('profiles as p', 'p.id', 'r.profileId')
    .leftJoin('registration_settings as s', 's.eventId', 'r.eventId')
    .selectAll('r')
    .select(['s.opensAt', 's.closesAt', 's.classes', 's.classLimits'])
    .select((eb) => [
      eb
        .case()
        .when('r.status', '=', 'waiting')
        .then(
          eb
            .selectFrom('registrations as w')
            .whereRef('w.eventId', '=', 'r.eventId')
            .whereRef('w.class', '=', 'r.class')
            .where('w.status', '=', sql.lit('waiting'))
            .where(sql<boolean>`(w.queued_at, w.id) <= (r.queued_at, r.id)`)
            .select((line) => line.cast<number>(line.fn.countAll(), 'integer').as('place')),
        )
        .end()
        .as('waitingPlace'),
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
        .selectFrom((outer) =>
          outer
            .selectFrom('registration_history as rh')
            .whereRef('rh.registrationId', '=', 'r.id')
            .select(['rh.id', 'rh.at', 'rh.status', 'rh.actor', 'rh.reason', 'rh.startNumber'])
            .orderBy('rh.id', 'desc')
            .limit(mostTimelineSteps)
            .as('h'),
        )
        .select((step) => listOf(jsonOf(step, 'h', ['at', 'status', 'actor', 'reason', 'startNumber']), 'h.id').as('list'))
        .$asScalar()
        .$notNull()
        .as('history'),
    ]);
}

type RegistrationRow = Awaited<ReturnType<ReturnType<typeof selectRegistrations>['execute']>>[number];

/** Finds registrations with their facts, ordered by id. Two statements, by primary keys. Flush changes of the open transaction first. */
export async function findRegistrations(db: Database, ids: readonly number[]): Promise<RegistrationRecord[]> {
  if (ids.length === 0) return [];
  const rows = await selectRegistrations(db).where('r.id', '=', inList(ids)).orderBy('r.id').execute();
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

function toRecord(row: RegistrationRow, certificates: ReadonlyMap<number, CertificateValidity>): RegistrationRecord {
  const {
    event,
    opensAt,
    closesAt,
    classes,
    classLimits,
    waitingPlace,
    profile,
    applicationIds,
    papers,
    documents,
    crew,
    history,
    ...registration
  } = row;
  return {
    id: registration.id,
    registration,
    event: { ...withInstants(event, ['startsAt', 'endsAt']), opensAt, closesAt },
    profile,
    licences: inOrder(applicationIds.flatMap((id) => certificates.get(id) ?? [])),
    papers,
    documents,
    crew,
    classLimit: classes === null || classLimits === null ? null : limitOf({ classes, classLimits }, registration.class),
    waitingPlace,
    history: history.map((step) => withInstants(step, ['at'])),
  };
}

/** A locked registration: a command changes `registration` and reads the rest. */
export interface LockedRegistration extends RegistrationRecord {
  registration: Locked<Registration>;
}

/**
 * Locks a registration for a change and reads the facts it depends on.
 * @throws {DomainError} not_found
 */
export async function lockRegistration(ctx: CommandContext, id: number): Promise<LockedRegistration> {
  return readFacts(ctx, await lockRow(ctx, id));
}

/**
 * Locks a registration for a command that judges its eligibility (REG-7).
 *
 * Also takes shared locks on its applications, documents and profile before reading them, so a parallel change is either seen or waits.
 *
 * @throws {DomainError} not_found
 */
export async function lockToJudge(ctx: CommandContext, id: number): Promise<LockedRegistration> {
  const registration = await lockRow(ctx, id);
  const licences = ctx.db.selectFrom('registration_licences as rl').where('rl.registrationId', '=', id).select('rl.applicationId as id');
  const papers = ctx.db
    .selectFrom('registration_documents as rd')
    .where('rd.registrationId', '=', id)
    .where('rd.isAttached', '=', true)
    .select('rd.documentId as id');
  await ctx.db.selectFrom('applications').select('id').where('id', 'in', licences).orderBy('id').forShare().execute();
  // A separate statement: the locked applications cannot change their documents any more.
  const behind = ctx.db.selectFrom('application_documents as ad').where('ad.applicationId', 'in', licences).select('ad.documentId as id');
  await ctx.db.selectFrom('documents').select('id').where('id', 'in', papers.union(behind)).orderBy('id').forShare().execute();
  await ctx.db.selectFrom('profiles').select('id').where('id', '=', registration.profileId).forShare().execute();
  return readFacts(ctx, registration);
}

async function lockRow(ctx: CommandContext, id: number): Promise<Locked<Registration>> {
  const registration = await lockForChange(ctx.em, RegistrationEntity, { id });
  if (!registration) throw new DomainError('not_found');
  return registration;
}

async function readFacts(ctx: CommandContext, registration: Locked<Registration>): Promise<LockedRegistration> {
  const record = await findRegistration(ctx.db, registration.id);
  if (!record) throw new Error(`registration ${registration.id} was not found in its own transaction`);
  return { ...record, registration };
}
