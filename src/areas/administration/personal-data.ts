import { type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';
import { personalEvents } from '../competitions/index.ts';
import { personalProfiles } from '../profiles/index.ts';

export const administrationRecords: readonly PersonalRecord[] = [
  personal('athlete_entries', 'athlete_entry', { column: 'profileId', of: personalProfiles }, 'technical', 'derived'),
  personal('organizer_entries', 'organizer_entry', { column: 'profileId', of: personalProfiles }, 'technical', 'derived'),
  personal('event_entries', 'event_entry', { column: 'eventId', of: personalEvents }, 'technical', 'derived'),
];

export const administrationImpersonalRecords: readonly ImpersonalRecord[] = [
  impersonal('process_actions', 'reasons of administrators about processes'),
];
