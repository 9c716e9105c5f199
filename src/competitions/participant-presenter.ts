import type { z } from 'zod';
import { formatDateTime, formatVersion } from '../platform/date-time.ts';
import type { Participant } from './entities.ts';
import type { participantResponse } from './participant-schemas.ts';

/** A participant for the organizer and for administrators. */
export function presentParticipant(participant: Readonly<Participant>): z.input<typeof participantResponse> {
  return {
    application_id: participant.applicationId,
    event_id: participant.eventId,
    profile_id: participant.profileId,
    name: participant.name,
    certificate_number: participant.certificateNumber,
    category: participant.category,
    start_number: participant.startNumber,
    result_status: participant.resultStatus,
    place: participant.place,
    result: participant.result,
    created_at: formatDateTime(participant.createdAt),
    updated_at: formatVersion(participant.updatedAt),
  };
}
