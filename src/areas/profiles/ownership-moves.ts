import { type AliasableExpression, type RawBuilder, sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { FileCopy } from '../files/index.ts';

/** From whom to whom a profile goes; both accounts and the profile are locked. */
export interface OwnershipMove {
  profileId: number;
  fromUserId: number;
  toUserId: number;
}

/** What the preview counts besides files. */
export type MovedRecords = 'documents' | 'applications' | 'certificates' | 'events' | 'contracts' | 'registrations' | 'conversations';

/** Files that records of profiles name. */
export interface NamedFiles {
  /** Their ids, for these profiles; twice is as good as once, and null counts for nothing. */
  ofProfiles(db: Database, profileIds: readonly number[]): AliasableExpression<{ fileId: string | null }>;
  /** Has the profile's records name the copies. Left out where what is named never changes, such as an issued snapshot. */
  exchange?(ctx: CommandContext, profileId: number, copies: readonly FileCopy[]): Promise<void>;
}

/** Records that go with a profile when its owner changes (service.md "Administration", decisions.md §9 "Ownership transfer"). */
export interface OwnedWithProfile {
  /** The records that go with it, by the counter that they fill. */
  counted: Partial<Record<MovedRecords, (db: Database, profileId: number) => AliasableExpression<{ id: number }>>>;
  files?: NamedFiles;
  /** Takes its rows before the profile's own, in the order in which the commands of its area lock. */
  lock?(ctx: CommandContext, profileId: number): Promise<void>;
  /**
   * Moves them and wakes their processes, set by set: all that stands on the profile by then, since nothing joins it while it is locked.
   * Issued snapshots, paid sums and the ledger stay as they are.
   */
  move?(ctx: CommandContext, move: OwnershipMove): Promise<void>;
}

/** Entered by every area with records that name the owner of a profile, or whose processes act on his behalf. */
export const ownedWithProfile = definePoint<OwnedWithProfile>('what goes with a profile to its new owner');

/**
 * Whether an account once was the owner of a profile, in SQL: what somebody did as its owner he did so for good. By
 * audit_events_subject_index.
 */
export function wasOwner(profileId: RawBuilder<number>, userId: RawBuilder<number | null>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from audit_events t where t.subject_kind = 'profile' and t.subject_id = ${profileId}::text
    and t.action = 'profile.transferred' and t.data ->> 'from' = ${userId}::text)`;
}
