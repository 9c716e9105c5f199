import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type Database, inList, type Paging, readPage } from '../../../platform/database/database.ts';
import { jsonOf } from '../../../platform/database/json-rows.ts';
import { literals } from '../../../platform/database/literals.ts';
import { type Locked, lockForChange } from '../../../platform/database/lock.ts';
import type { EventStatus } from '../../competitions/index.ts';
import { type Contract, ContractEntity } from '../entities.ts';
import { liveStatuses } from './states.ts';

/** An agreement with the related facts that responses and its process need. */
export interface ContractRecord {
  id: number;
  contract: Readonly<Contract>;
  eventStatus: EventStatus;
  /** Number of its successor; public (AGR-6). */
  replacedByNumber: string | null;
  /** The agreement that it replaced. */
  previous: Pick<Contract, 'id' | 'number' | 'version'> | null;
  /** The organizer's file with the latest scan. */
  scanFileId: string | null;
}

/** Live statuses as SQL literals: the partial index does not match parameters. */
const live = literals(liveStatuses);

/** Selects agreements with their related facts, one row each. */
function selectContracts(db: Database) {
  return db
    .selectFrom('contracts as c')
    .innerJoin('events as e', 'e.id', 'c.eventId')
    .leftJoin('contracts as next', 'next.id', 'c.replacedById')
    .leftJoin('contracts as previous', 'previous.id', 'c.replacesId')
    .selectAll('c')
    .select((eb) => [
      'e.status as eventStatus',
      'next.number as replacedByNumber',
      eb
        .case()
        .when('previous.id', 'is not', null)
        .then(jsonOf(eb, 'previous', ['id', 'number', 'version']))
        .end()
        .$castTo<ContractRecord['previous']>()
        .as('previous'),
      // Restricted to the owner: another account may have a copy of the file.
      eb
        .selectFrom('files as f')
        .select('f.id')
        .whereRef('f.storageKey', '=', 'c.scanStorageKey')
        .whereRef('f.ownerId', '=', 'c.ownerId')
        .orderBy('f.createdAt', 'desc')
        .orderBy('f.id')
        .limit(1)
        .as('scanFileId'),
    ]);
}

/** Finds one agreement; null when it does not exist. Flush the changes of an open transaction first. */
export async function findContract(db: Database, id: number): Promise<ContractRecord | null> {
  const row = await selectContracts(db).where('c.id', '=', id).executeTakeFirst();
  return row ? toRecord(row) : null;
}

/** Finds the agreement of a QR token; null when it does not exist. Uses contracts_token_unique. */
export async function findContractByToken(db: Database, token: string): Promise<ContractRecord | null> {
  const row = await selectContracts(db).where('c.token', '=', token).executeTakeFirst();
  return row ? toRecord(row) : null;
}

/** Finds agreements, in the order of their ids. */
export async function findContracts(db: Database, ids: readonly number[]): Promise<ContractRecord[]> {
  const rows = await selectContracts(db).where('c.id', '=', inList(ids)).orderBy('c.id').execute();
  return rows.map(toRecord);
}

/** Finds the live agreement about an event (AGR-1); null when there is none. Uses contracts_live_unique. */
export async function findLiveContractId(db: Database, eventId: number): Promise<number | null> {
  const row = await db.selectFrom('contracts').select('id').where('eventId', '=', eventId).where('status', 'in', live).executeTakeFirst();
  return row?.id ?? null;
}

export interface ContractFilter extends Paging {
  ownerId: number;
  eventId?: number | undefined;
  status?: Contract['status'] | undefined;
}

/** Lists a page of an organizer's agreements, newest first, with the number of matches. Uses contracts_owner_index. */
export async function listContracts(db: Database, filter: ContractFilter): Promise<{ records: ContractRecord[]; total: number }> {
  const { ownerId, eventId, status, ...paging } = filter;
  const matching = selectContracts(db).where((eb) =>
    eb.and([
      eb('c.ownerId', '=', ownerId),
      ...(eventId === undefined ? [] : [eb('c.eventId', '=', eventId)]),
      ...(status === undefined ? [] : [eb('c.status', '=', status)]),
    ]),
  );
  const { rows, total } = await readPage(matching.orderBy('c.id', 'desc'), paging);
  return { records: rows.map(toRecord), total };
}

function toRecord(row: Contract & Omit<ContractRecord, 'id' | 'contract'>): ContractRecord {
  const { eventStatus, replacedByNumber, previous, scanFileId, ...contract } = row;
  return { id: contract.id, contract, eventStatus, replacedByNumber, previous, scanFileId };
}

/** Locks an agreement for a change; lock its event afterwards. @throws {DomainError} not_found */
export async function lockContract(ctx: CommandContext, id: number): Promise<Locked<Contract>> {
  const contract = await lockForChange(ctx.em, ContractEntity, { id });
  if (!contract) throw new DomainError('not_found');
  return contract;
}

/** Holds the file of the scan against deletion (REV-6). @throws {DomainError} file_missing */
export async function holdScan(
  ctx: CommandContext,
  { ownerId, scanStorageKey }: Pick<Contract, 'ownerId' | 'scanStorageKey'>,
): Promise<void> {
  const file = await ctx.db
    .selectFrom('files')
    .select('id')
    .where('ownerId', '=', ownerId)
    .where('storageKey', '=', scanStorageKey)
    .where('deletedAt', 'is', null)
    .forShare()
    .executeTakeFirst();
  if (!file) throw new DomainError('file_missing');
}

/** Flushes and reads the record of an agreement as this transaction has changed it. */
export async function recordOf(ctx: CommandContext, id: number): Promise<ContractRecord> {
  await ctx.em.flush();
  const record = await findContract(ctx.db, id);
  if (!record) throw new Error(`agreement ${id} was not found in its own transaction`);
  return record;
}
