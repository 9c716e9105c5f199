import { DomainError } from '../../errors.ts';
import type { Actor } from '../../platform/commands/context.ts';
import { ownerCheck, readerCheck } from '../audit/index.ts';
import { type Profile, requireProfileOwner } from '../profiles/index.ts';
import type { EventRecord } from './events/record.ts';

/** @throws {DomainError} not_found, for every caller but the owner (API-3) */
export const requireEventOwner = ownerCheck('event');

/** @throws {DomainError} not_found, also for another account's profile (API-3) */
export function requireOwnProfile(actor: Actor, profile: Readonly<Profile> | null): Readonly<Profile> {
  if (profile === null) throw new DomainError('not_found', { field: 'profile_id' });
  return requireProfileOwner(actor, profile);
}

/** Allows reading for the owner and for administrators with `admin:read`. */
export const requireEventReader = readerCheck<EventRecord>('event', ({ event }) => event);
