import { DomainError } from '../../../errors.ts';
import { actingUserId, type Actor, isActingAsAdministrator } from '../../../platform/context.ts';
import { refusalOf } from '../../../platform/security-log.ts';
import { authorizeReading, type Reading } from '../../audit/index.ts';
import type { Contract } from '../entities.ts';
import type { ContractRecord } from './queries.ts';

type Owned = Pick<Contract, 'id' | 'ownerId'>;

/** @throws {DomainError} not_found for any account but the organizer (API-3) */
export function requireContractOwner<Row extends Owned>(actor: Actor, contract: Row | null): Row {
  if (contract === null) throw new DomainError('not_found');
  if (actingUserId(actor) !== contract.ownerId) throw refusalOf('not_found', { kind: 'contract', id: contract.id });
  return contract;
}

/** Allows the organizer and administrators, who may cancel (AGR-6). @throws {DomainError} not_found for any other account */
export function requireContractParty<Row extends Owned>(actor: Actor, contract: Row | null): Row {
  if (contract !== null && isActingAsAdministrator(actor)) return contract;
  return requireContractOwner(actor, contract);
}

/**
 * Allows reading for the organizer and for administrators with `admin:read`; audits an administrator (AGR-16).
 * @param part the part that is read; the whole agreement by default
 * @throws {DomainError} not_found
 */
export async function requireContractReader(reading: Reading, record: ContractRecord | null, part?: string): Promise<ContractRecord> {
  if (record === null) throw new DomainError('not_found');
  await authorizeReading(reading, { kind: 'contract', id: record.id }, record.contract.ownerId, part);
  return record;
}
