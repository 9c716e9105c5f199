import { sql } from 'kysely';
import { cleared, type PersonalRecord, personal } from '../../platform/personal-data.ts';

export const auditRecords: readonly PersonalRecord[] = [
  personal(
    'audit_events',
    'audit_event',
    { account: 'actorId' },
    { action: 'fact', impersonatedUserId: 'fact', data: 'fact' },
    { keptFor: 'audit', columns: { ip: cleared } },
  ),
  personal(
    'security_events',
    'security_event',
    { account: 'actorId' },
    { action: 'fact', impersonatedUserId: 'fact', count: 'fact', data: 'fact', fingerprint: 'secret' },
    { keptFor: 'audit', columns: { ip: cleared, fingerprint: sql`id::text` } },
  ),
];
