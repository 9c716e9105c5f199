import type { CommandContext } from '../platform/context.ts';
import type { Database } from '../platform/database/database.ts';
import { definePoint } from '../platform/extensions.ts';

/** From whom to whom a profile goes; both are locked. */
export interface OwnershipMove {
  profileId: number;
  fromUserId: number;
  toUserId: number;
}

/** Records that go with a profile when its owner changes (service.md "Administration", decisions.md §9 "Ownership transfer"). */
export interface OwnedWithProfile {
  /** The counter it fills in the preview: `documents`, `applications`, `certificates`, `files`, `events`, `contracts`, `registrations`. */
  field: string;
  /** How many would move. */
  count(db: Database, profileId: number): Promise<number>;
  /** Takes its rows before the profile's own, in the order in which the commands of its area lock. */
  lock?(ctx: CommandContext, profileId: number): Promise<void>;
  /** Moves them, and wakes their processes. Issued snapshots, paid sums and the ledger stay as they are. */
  move(ctx: CommandContext, move: OwnershipMove): Promise<void>;
}

/** Entered by every area with records that name the owner of a profile, or whose processes act on his behalf. */
export const ownedWithProfile = definePoint<OwnedWithProfile>('what goes with a profile to its new owner');
