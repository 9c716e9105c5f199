import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import type { MovedRecords } from '../profiles/index.ts';

/** In the order of the response. */
export const movedRecords = [
  'documents',
  'applications',
  'certificates',
  'files',
  'events',
  'contracts',
  'registrations',
  'conversations',
] as const satisfies readonly (MovedRecords | 'files')[];

export type MovedCounts = Record<(typeof movedRecords)[number], number>;

/** A transfer of a profile, append-only. Holds what the audit row lacks: the reason and the number of moved records. */
export const OwnershipTransferEntity = defineEntity({
  name: 'OwnershipTransfer',
  tableName: 'ownership_transfers',
  properties: {
    id: p.integer().primary().autoincrement(),
    // No foreign key: a draft profile may be deleted, its transfers stay.
    profileId: p.integer(),
    fromUserId: () => referenceTo(UserEntity, 'from_user_id', 'ownership_transfers_from_fk'),
    toUserId: () => referenceTo(UserEntity, 'to_user_id', 'ownership_transfers_to_fk'),
    actorId: () => referenceTo(UserEntity, 'actor_id', 'ownership_transfers_actor_fk'),
    reason: p.text(),
    moved: p.json<MovedCounts>(),
    requestId: p.string().length(64),
    at: p.datetime(),
  },
  indexes: [{ name: 'ownership_transfers_profile_index', properties: ['profileId', 'id'] }],
});
export type OwnershipTransfer = InferEntity<typeof OwnershipTransferEntity>;
