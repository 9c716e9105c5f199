import { cleared, type PersonalRecord, personal } from '../../platform/personal-data.ts';
import { personalApplications } from '../applications/index.ts';

export const nationalRecords: readonly PersonalRecord[] = [
  personal(
    'national_list_entries',
    'list_entry',
    { account: 'administratorId' },
    { administratorId: 'fact', list: 'fact', addedAt: 'fact' },
    'deleted',
  ),
  personal(
    'national_exports',
    'national_export',
    { account: 'administratorId' },
    {
      administratorId: 'fact',
      list: 'fact',
      count: 'fact',
      failure: 'fact',
      requestIp: 'personal',
      requestedAt: 'fact',
      finishedAt: 'fact',
      progress: 'technical',
    },
    { keptFor: 'audit', columns: { requestIp: cleared } },
  ),
  personal(
    'national_export_records',
    'exported_certificate',
    { column: 'applicationId', of: personalApplications },
    { exportId: 'fact', list: 'fact', position: 'fact', exportedAt: 'fact', problems: 'fact' },
    { keptFor: 'certificates', columns: {} },
  ),
  personal('national_certificates', 'national_certificate', { column: 'applicationId', of: personalApplications }, 'technical', 'derived'),
];
