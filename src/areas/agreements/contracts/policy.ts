import { type Actor, isActingAsAdministrator } from '../../../platform/commands/context.ts';
import { ownerCheck, readerCheck } from '../../audit/index.ts';
import type { Contract } from '../entities.ts';
import type { ContractRecord } from './queries.ts';

/** @throws {DomainError} not_found for any account but the organizer (API-3) */
export const requireContractOwner = ownerCheck('contract');

/** Allows the organizer and administrators, who may cancel (AGR-6). @throws {DomainError} not_found for any other account */
export function requireContractParty<Row extends Pick<Contract, 'id' | 'ownerId'>>(actor: Actor, contract: Row | null): Row {
  if (contract !== null && isActingAsAdministrator(actor)) return contract;
  return requireContractOwner(actor, contract);
}

/** Allows reading for the organizer and for administrators with `admin:read`; audits an administrator (AGR-16). */
export const requireContractReader = readerCheck<ContractRecord>('contract', ({ contract }) => contract);
