import { type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';

export const changesRecords: readonly PersonalRecord[] = [
  personal('change_waiters', 'change_waiter', { account: 'userId' }, 'technical', 'deleted'),
];

export const changesImpersonalRecords: readonly ImpersonalRecord[] = [
  impersonal('changes', 'name records and accounts by number'),
  impersonal('change_eras', 'places of the log'),
];
