import { z } from 'zod';
import { tiyn } from '../../../http/schemas.ts';
import { listedUserResponse, presentListedUser } from '../../accounts/index.ts';
import { exportStateResponse, presentExportState } from '../../privacy/index.ts';
import { profileResponse } from '../../profiles/index.ts';
import type { UserRecord } from './read-user.ts';

export const userRecordResponse = listedUserResponse
  .extend({
    balance_minor: tiyn.describe('Balance of the wallet, tiyn'),
    profiles: z
      .array(profileResponse.pick({ id: true, kind: true, name: true, status: true, photo_status: true }))
      .describe('Profiles of the account, oldest first'),
    last_export: exportStateResponse.nullable().describe('The newest archive of its data that the account requested'),
  })
  .meta({ id: 'UserRecord' });

export function presentUserRecord({ user, profiles, balanceMinor, lastExport }: UserRecord): z.input<typeof userRecordResponse> {
  return {
    ...presentListedUser(user),
    balance_minor: balanceMinor,
    last_export: lastExport && presentExportState(lastExport),
    profiles: profiles.map(({ id, kind, name, status, photoStatus }) => ({ id, kind, name, status, photo_status: photoStatus })),
  };
}
