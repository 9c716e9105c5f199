import { type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';
import { eventRecord } from '../competitions/index.ts';
import { profileRecord } from '../profiles/index.ts';

export const administrationRecords: readonly PersonalRecord[] = [
  personal('athlete_entries', 'athlete_entry', { column: 'profileId', of: profileRecord }, 'technical'),
  personal('organizer_entries', 'organizer_entry', { column: 'profileId', of: profileRecord }, 'technical'),
  personal('event_entries', 'event_entry', { column: 'eventId', of: eventRecord }, 'technical'),
];

export const administrationImpersonalRecords: readonly ImpersonalRecord[] = [
  impersonal('process_actions', 'reasons of administrators about processes'),
];
