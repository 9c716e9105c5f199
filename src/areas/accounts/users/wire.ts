import { z } from 'zod';
import { dateTimeResponse, line, note, paging, versionResponse } from '../../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../../platform/time/date-time.ts';
import { confirmation, presentUser, role, userResponse } from '../wire.ts';
import type { ListedUser } from './list-users.ts';

const status = z.enum(['active', 'blocked']).describe('`blocked`: cannot sign in; its API keys are refused');
export const usersQuery = z.strictObject({
  q: line(200)
    .optional()
    .meta({
      examples: ['aigerim'],
      description: 'An id, beginnings of words of name and e-mail (all must match, in any order), or the beginning of a telephone number',
    }),
  role: role.optional(),
  status: status.optional(),
  ...paging,
});
export const userChangeBody = z
  .strictObject({
    role: role.optional(),
    status: status.optional(),
    ...confirmation,
  })
  .meta({ id: 'UserChange' });
export const listedUserResponse = userResponse
  .extend({
    status,
    created_at: dateTimeResponse,
    updated_at: versionResponse,
    sessions: z.int().min(0).describe('Valid browser sessions'),
    api_keys: z.int().min(0).describe('API keys that are neither revoked nor expired; the keys of a blocked account are refused'),
    last_seen_at: dateTimeResponse.nullable().describe('Last use of an existing browser session, to the minute'),
  })
  .meta({ id: 'ListedUser' });
export const lostFactorBody = z
  .strictObject({
    reason: note.describe('How the federation recognized the person; stored with the removal'),
    ...confirmation,
  })
  .meta({ id: 'SecondFactorRemoval' });

/** Presents an account to administrators. */
export function presentListedUser(user: ListedUser): z.input<typeof listedUserResponse> {
  return {
    ...presentUser(user),
    status: user.status,
    created_at: formatDateTime(user.createdAt),
    updated_at: formatVersion(user.updatedAt),
    sessions: user.sessions,
    api_keys: user.apiKeys,
    last_seen_at: user.lastSeenAt && formatDateTime(user.lastSeenAt),
  };
}
