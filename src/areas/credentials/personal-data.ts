import { type ImpersonalRecord, impersonal } from '../../platform/personal-data.ts';

export const credentialsImpersonalRecords: readonly ImpersonalRecord[] = [
  impersonal('signing_keys', 'keys of the federation'),
  impersonal('status_lists', 'states of certificates by place'),
  impersonal('status_list_changes', 'places whose state has changed'),
];
