import { type ImpersonalRecord, impersonal } from '../../platform/personal-data.ts';

export const catalogImpersonalRecords: readonly ImpersonalRecord[] = [
  impersonal('services', 'the catalogue'),
  impersonal('disciplines', 'the catalogue'),
  impersonal('service_disciplines', 'the catalogue'),
  impersonal('base_indexes', 'the catalogue'),
];
