import { sql } from 'kysely';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { literals } from '../../platform/database/literals.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import { type ChangedRecord, nullColumn } from '../changes/index.ts';
import { type EventDependents, livingEvents } from '../competitions/index.ts';
import type { FileDependents } from '../files/index.ts';
import type { OwnedWithProfile } from '../profiles/index.ts';
import { noFlags, type QueueDetails, type QueueSource } from '../reviews/index.ts';
import { waitingStatuses } from './contracts/states.ts';

/** Waiting statuses as SQL literals: the partial index does not match parameters. */
export const waiting = literals(waitingStatuses);

/** Wakes waiting agreements when their event changes: they send no reminders once it is over (AGR-7). */
export const agreementEventDependents: EventDependents = {
  async listLiving(db, eventId) {
    const rows = await db.selectFrom('contracts').select('id').where('eventId', '=', eventId).where('status', 'in', waiting).execute();
    return rows.map(({ id }) => processRef('agreement', id));
  },
};

/** An agreement keeps its latest scan from deletion in every status; an earlier scan may be deleted. */
export const agreementFileDependents: FileDependents = {
  async listUses({ db }, fileId) {
    const contracts = await db
      .selectFrom('files as f')
      .innerJoin('contracts as c', (join) => join.onRef('c.ownerId', '=', 'f.ownerId').onRef('c.scanStorageKey', '=', 'f.storageKey'))
      .where('f.id', '=', fileId)
      .select('c.id')
      .orderBy('c.id')
      .execute();
    return contracts.map(({ id }) => ({ kind: 'contract', id }));
  },
};

/** Joins what the items of the queue show. */
function selectQueued(db: Database) {
  return db
    .selectFrom('contracts as c')
    .innerJoin('events as e', 'e.id', 'c.eventId')
    .innerJoin('profiles as p', 'p.id', 'e.profileId')
    .innerJoin('users as u', 'u.id', 'c.ownerId')
    .leftJoin('contracts as b', 'b.id', 'c.replacesId');
}

const title = sql<string>`${sql.ref('c.number')} || ': ' || ${sql.ref('e.title')}`;
const searchText = sql<string>`concat_ws(' ', ${sql.ref('c.number')}, ${sql.ref('e.title')}, ${sql.ref('p.name')}, ${sql.ref('u.email')})`;
const details = sql<QueueDetails>`json_build_object('event_id', ${sql.ref('c.eventId')}, 'previous', case when ${sql.ref('b.id')} is not null
  then json_build_object('id', ${sql.ref('b.id')}, 'number', ${sql.ref('b.number')}, 'version', ${sql.ref('b.version')}) end)`;

/**
 * Signed agreements that wait for a decision; those of an event that is over leave the queue (AGR-7). Uses contracts_queue_index, whose
 * predicate needs literals.
 */
export const contractQueueSource: QueueSource = {
  kind: 'contract',
  waiting: 'pending',
  canBeReturned: false,
  select: (db, status) =>
    selectQueued(db)
      .where(sql<boolean>`${sql.ref('c.status')} = ${sql.lit(status)}`)
      .where('c.closedAt', 'is', null)
      .where('e.status', 'in', livingEvents)
      .select([
        sql.lit('contract').as('kind'),
        'c.id',
        'c.status',
        title.as('title'),
        sql<Date>`coalesce(${sql.ref('c.scanUploadedAt')}, ${sql.ref('c.updatedAt')})`.as('waitingSince'),
        'e.profileId',
        'c.ownerId',
        noFlags.as('flags'),
        searchText.as('searchText'),
        'c.updatedAt',
        details.as('details'),
      ]),
};

/** Agreements that their organizer ended, until an administrator has seen it (AGR-17). Uses contracts_unseen_index. */
export const endedContractSource: QueueSource = {
  kind: 'contract_ended',
  waiting: 'unseen',
  canBeReturned: false,
  select: (db) =>
    selectQueued(db)
      .where('c.unseenSince', 'is not', null)
      .select([
        sql.lit('contract_ended').as('kind'),
        'c.id',
        sql.lit('unseen').as('status'),
        title.as('title'),
        'c.unseenSince as waitingSince',
        'e.profileId',
        'c.ownerId',
        noFlags.as('flags'),
        searchText.as('searchText'),
        'c.updatedAt',
        details.as('details'),
      ])
      // The condition above.
      .$narrowType<{ waitingSince: Date }>(),
};

/** Transfers all agreements of an organizer's events with the profile (OWN-1); their content stays (OWN-2). */
export const contractsOfProfile: OwnedWithProfile = {
  counted: {
    contracts: (db, profileId) =>
      db.selectFrom('contracts as c').innerJoin('events as e', 'e.id', 'c.eventId').select('c.id').where('e.profileId', '=', profileId),
  },

  files: {
    // The latest scan by its storage key, which a copy shares, so the agreement needs no change.
    ofProfiles: (db, profileIds) =>
      db
        .selectFrom('contracts as c')
        .innerJoin('events as e', 'e.id', 'c.eventId')
        .innerJoin('files as f', (join) => join.onRef('f.ownerId', '=', 'c.ownerId').onRef('f.storageKey', '=', 'c.scanStorageKey'))
        .select('f.id as fileId')
        .where('e.profileId', '=', inList(profileIds)),
  },

  async lock(ctx, profileId) {
    await contractsOf(ctx, profileId).orderBy('id').forUpdate().execute();
  },

  async move(ctx, { profileId, toUserId }) {
    const events = eventsOf(ctx, profileId);
    await ctx.db.updateTable('contracts').set({ ownerId: toUserId, updatedAt: ctx.now }).where('eventId', 'in', events).execute();
    await wakeAll(ctx, 'agreement', contractsOf(ctx, profileId).where('status', 'in', waiting));
  },
};

/** Uses contracts_event_index. */
function contractsOf(ctx: CommandContext, profileId: number) {
  return ctx.db.selectFrom('contracts').select('id').where('eventId', 'in', eventsOf(ctx, profileId));
}

/** Uses events_profile_index. */
function eventsOf({ db }: CommandContext, profileId: number) {
  return db.selectFrom('events').select('id').where('profileId', '=', profileId);
}

/** Agreements and their templates in the log of changes. */
export const agreementChanges: readonly ChangedRecord[] = [
  {
    record: 'contract',
    select: (db) => db.selectFrom('contracts as c').select(['c.id', 'c.status', 'c.ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/contracts/${id}`,
  },
  { record: 'contract_template', path: ({ id }) => `/admin/contract-templates/${id}` },
  { record: 'federation_signing', path: () => '/admin/federation-signing' },
];
