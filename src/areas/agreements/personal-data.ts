import { type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';
import { personalEvents } from '../competitions/index.ts';

export const agreementsRecords: readonly PersonalRecord[] = [
  personal(
    'contracts',
    'contract',
    { column: 'eventId', of: personalEvents },
    {
      sequence: 'fact',
      version: 'fact',
      templateId: 'fact',
      templateVersion: 'fact',
      signingId: 'fact',
      snapshot: 'personal',
      creator: 'personal',
      token: 'personal',
      signedAt: 'fact',
      pages: 'fact',
      originalStorageKey: 'file',
      originalSha256: 'fact',
      originalSize: 'fact',
      scanStorageKey: 'file',
      scanSha256: 'fact',
      scanSize: 'fact',
      scanPages: 'fact',
      scanUploadedAt: 'fact',
      replacesId: 'fact',
      replacedById: 'fact',
      remindedAt: 'technical',
      unseenSince: 'technical',
    },
    {
      keptFor: 'agreements',
      columns: {
        snapshot: 'stays',
        creator: 'stays',
        token: 'stays',
        originalStorageKey: 'stays',
        scanStorageKey: 'stays',
        reason: 'stays',
      },
    },
  ),
];

export const agreementsImpersonalRecords: readonly ImpersonalRecord[] = [
  impersonal('federation_signings', 'signatories of the federation'),
  impersonal('contract_templates', 'texts of agreements'),
  impersonal('contract_template_versions', 'texts of agreements'),
];
