import { ownershipTransferContract } from '../../../workflows/contracts/ownership-transfer.contract.ts';
import { searchAttributes } from '../../../workflows/contracts/process.contract.ts';
import { reasonInput } from '../../http/schemas.ts';
import { defineProcess, type ProcessState, withPrivateInput } from '../../platform/workflows/define-process.ts';
import { findProfiles, type Profile } from '../profiles/index.ts';
import { transferProfile } from './transfer-profile.ts';

/**
 * The transfer of a profile to another account. One transaction does all the work, so the process ends when its command is answered.
 * The processes of the moved records handle their own follow-up.
 */
export const ownershipTransferProcess = defineProcess(ownershipTransferContract, {
  summary: (id) => `Profile ${id}: transfer to another account`,
  attributes: (id) => [{ key: searchAttributes.profileId, value: id }],
  read: findProfiles,
  describe,
  listDue: async () => [],
  listLiving: async () => [],
  commands: {
    transfer: withPrivateInput(transferProfile, reasonInput),
  },
});

function describe({ id, ownerId }: Readonly<Profile>): ProcessState {
  const details = `Profile ${id} belongs to account ${ownerId}.`;
  return { stage: 'settled', waitingFor: 'none', details, isOver: true, isDue: false, next: null };
}
