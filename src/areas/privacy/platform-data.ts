import { type ImpersonalRecord, impersonal } from '../../platform/personal-data.ts';

export const platformImpersonalRecords: readonly ImpersonalRecord[] = [
  impersonal('receipts', 'commands by their ids'),
  impersonal('idempotent_requests', 'results and answers, encrypted with a key that only the client has, for a day'),
  impersonal('sandbox_clock', 'the clock'),
  impersonal('sandbox_clock_moves', 'the clock'),
  impersonal('private_inputs', 'notes on their way to a process, for a day'),
  impersonal('outbox', 'processes to wake'),
  impersonal('cursors', 'places of the sweeper'),
  impersonal('process_troubles', 'steps that fail'),
  impersonal('tallies', 'totals'),
  impersonal('tally_changes', 'totals'),
];
