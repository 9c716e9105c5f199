import type { z } from 'zod';
import { formatDateTime, formatVersion } from '../platform/date-time.ts';
import { differencesFromAgreement } from './agreement-terms.ts';
import { deadlineOf } from './deadlines.ts';
import { closingOf } from './intake.ts';
import type { EventRecord } from './record.ts';
import type { eventResponse } from './schemas.ts';
import type { settingsResponse } from './settings-schemas.ts';
import { availableColumns, defaultSettings } from './settings.ts';
import type { StageName } from './states.ts';

/** An event for its owner and for administrators. */
export function presentEvent(record: EventRecord): z.input<typeof eventResponse> {
  const { event, stages, fee } = record;
  const stageOf = (name: StageName) => ({
    status: stages[name].status,
    submitted_at: at(stages[name].submittedAt),
    review_note: stages[name].reviewNote,
    file_id: stages[name].fileId,
    deadline: formatDateTime(deadlineOf(event, name)),
  });
  return {
    id: event.id,
    profile_id: event.profileId,
    service_id: event.serviceId,
    discipline_id: event.disciplineId,
    title: event.title,
    location: event.location,
    starts_at: formatDateTime(event.startsAt),
    ends_at: formatDateTime(event.endsAt),
    reserve_at: at(event.reserveAt),
    status: event.status,
    workflow_version: event.agreementFlow,
    stages: {
      agreement: stageOf('agreement'),
      details: stageOf('details'),
      regulations: stageOf('regulations'),
      results: stageOf('results'),
    },
    agreement_differs: differencesFromAgreement(event),
    application_id: event.feeApplicationId,
    fee: fee && { application_id: fee.id, status: fee.status, paid: fee.paid },
    published_at: at(event.publishedAt),
    completed_at: at(event.completedAt),
    cancelled_at: at(event.cancelledAt),
    cancel_reason: event.cancelReason,
    created_at: formatDateTime(event.createdAt),
    updated_at: formatVersion(event.updatedAt),
  };
}

/** What the organizer has set about registrations; of an event of which nothing was set the usual, which takes none. */
export function presentSettings({ event, settings }: EventRecord): z.input<typeof settingsResponse> {
  const { opensAt, classes, crew, vehicleFields, columns } = settings ?? defaultSettings;
  return {
    opens_at: at(opensAt),
    closes_at: formatDateTime(closingOf(event, settings ?? defaultSettings)),
    classes,
    crew,
    vehicle_fields: vehicleFields,
    columns,
    available_columns: availableColumns({ vehicleFields }),
  };
}

function at(instant: Date | null): string | null {
  return instant && formatDateTime(instant);
}
