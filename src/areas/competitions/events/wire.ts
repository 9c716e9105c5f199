import { z } from 'zod';
import {
  dateTime,
  dateTimeResponse,
  endDateTime,
  id,
  note,
  printableText,
  processResponse,
  uuid,
  versionResponse,
} from '../../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../../platform/time/date-time.ts';
import { applicationStatus } from '../../applications/index.ts';
import { agreementFields, differencesFromAgreement } from './agreement.ts';
import { closingOf } from './dates.ts';
import { deadlineOf } from './schedule.ts';
import type { EventRecord } from './record.ts';
import { availableColumns, defaultSettings, limitOf, type settingsResponse } from './settings.ts';
import { eventStatuses, type StageName, stageNames, stageStatuses } from './states.ts';

export const eventStatus = z
  .enum(eventStatuses)
  .describe(
    '`draft`: without a confirmed agreement; `in_progress`: details, regulations or results are in work; `published`: in the public calendar; `completed`: the results are approved',
  );
export const stageStatus = z
  .enum(stageStatuses)
  .describe(
    '`locked`: an earlier stage is not approved; `open`: not submitted; `submitted`: in review; `changes`: returned to the organizer',
  );
const title = printableText(200).meta({ examples: ['Kazakhstan Cup in karting, first round'] });
const location = printableText(300).meta({ examples: ['Oskemen, karting track "Shyghys"'] });
const startsAt = dateTime;
const endsAt = endDateTime.describe('Not before `starts_at`, and within 366 days of it; a day alone means its last second, 23:59:59');
const reserveAt = endDateTime.nullable().describe('The reserve day; not before `ends_at`; a day alone means its last second');
const disciplineId = id.describe('A discipline of the service');
const serviceId = id.describe('A service of the kind `event_fee`');

export const createEventBody = z
  .strictObject({
    profile_id: id.describe('Id of an own approved organizer profile'),
    service_id: serviceId,
    discipline_id: disciplineId,
    title,
    location,
    starts_at: startsAt,
    ends_at: endsAt,
    reserve_at: reserveAt.optional(),
  })
  .meta({ id: 'NewEvent' });

const filedStage = z.enum(['agreement', 'regulations', 'results']);
const fileId = uuid.describe('Id of an own PDF, uploaded with POST /files');

/** An absent field stays as it is. */
export const updateEventBody = z
  .strictObject({
    title: title.optional(),
    location: location.optional(),
    starts_at: startsAt.optional(),
    ends_at: endsAt.optional(),
    reserve_at: reserveAt.optional(),
    discipline_id: disciplineId.optional(),
    service_id: serviceId.optional(),
    stage: filedStage.optional().describe('The stage of `files`'),
    files: z
      .strictObject({ agreement: fileId.optional(), regulations: fileId.optional(), results: fileId.optional() })
      .optional()
      .describe('File id by the name of the stage; `agreement` only in the earlier flow'),
  })
  .superRefine(({ stage, files }, context) => {
    const wrong = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (stage === undefined) {
      if (files !== undefined) wrong(['stage'], 'is required with files');
      return;
    }
    if (files?.[stage] === undefined) wrong(['files', stage], 'is required for this stage');
    for (const name of filedStage.options)
      if (name !== stage && files?.[name] !== undefined) wrong(['files', name], 'is not a file of this stage');
  })
  .meta({ id: 'EventChanges' });

export const submitStageBody = z
  .strictObject({
    stage: z.enum(['details', 'regulations', 'results']).describe('The stage `agreement` is approved with its contract'),
  })
  .meta({ id: 'StageSubmission' });

export const cancelEventBody = z.strictObject({ reason: note }).meta({ id: 'EventCancellation' });

const stageResponse = z
  .object({
    status: stageStatus,
    submitted_at: dateTimeResponse.nullable(),
    review_note: z.string().nullable().describe('Note of the last decision; null after approval or resubmission'),
    file_id: uuid.nullable(),
    deadline: dateTimeResponse.describe('The organizer is reminded of it; a late submission is accepted'),
    updated_at: versionResponse,
    flags: z
      .array(z.enum(['participants_not_valid']))
      .optional()
      .describe(
        'Of `results`, for administrators only. `participants_not_valid`: a participant is not eligible on some day of the event, which prevents no decision; `GET /events/{id}/participants` says why',
      ),
  })
  .meta({ id: 'EventStage', description: 'One stage; its approval opens the next' });

export const eventResponse = z
  .object({
    id,
    profile_id: id,
    service_id: id,
    discipline_id: id,
    title: z.string(),
    location: z.string().describe('Town and place'),
    starts_at: dateTimeResponse,
    ends_at: dateTimeResponse,
    reserve_at: dateTimeResponse.nullable(),
    status: eventStatus,
    workflow_version: z
      .union([z.literal(1), z.literal(3)])
      .describe('3: the agreement is a contract; 1: the earlier flow, a draft that is signed by hand'),
    stages: z
      .object({ agreement: stageResponse, details: stageResponse, regulations: stageResponse, results: stageResponse })
      .describe('In their order'),
    agreement_differs: z
      .array(z.enum(agreementFields))
      .describe(
        'Fields that changed after the contract was generated. Until the contract is replaced, approval of the details answers 409 `agreement_differs`',
      ),
    application_id: id.nullable().describe('Fee application, paid like any application; null until the details are submitted'),
    fee: z
      .object({ application_id: id, status: applicationStatus, paid: z.boolean().describe('Paid and not refunded') })
      .nullable()
      .describe('State of the fee application; null without one'),
    published_at: dateTimeResponse.nullable(),
    completed_at: dateTimeResponse.nullable(),
    cancelled_at: dateTimeResponse.nullable(),
    cancel_reason: z.string().nullable().describe('Reason given with the cancellation'),
    created_at: dateTimeResponse,
    updated_at: versionResponse,
    process: processResponse.optional().describe('State of the process; for administrators only'),
  })
  .meta({ id: 'Event' });

export const reviewedStage = z.enum(stageNames).describe('The submitted stage; `agreement` only in the earlier flow');

export function presentEvent(record: EventRecord): z.input<typeof eventResponse> {
  const { event, stages, fee } = record;
  const stageOf = (name: StageName) => ({
    status: stages[name].status,
    submitted_at: formatDateTime(stages[name].submittedAt),
    review_note: stages[name].reviewNote,
    file_id: stages[name].fileId,
    deadline: formatDateTime(deadlineOf(event, name)),
    updated_at: formatVersion(stages[name].updatedAt),
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
    reserve_at: formatDateTime(event.reserveAt),
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
    published_at: formatDateTime(event.publishedAt),
    completed_at: formatDateTime(event.completedAt),
    cancelled_at: formatDateTime(event.cancelledAt),
    cancel_reason: event.cancelReason,
    created_at: formatDateTime(event.createdAt),
    updated_at: formatVersion(event.updatedAt),
  };
}

/** Presents the registration settings; the defaults, with a closed intake, until the organizer sets them. */
export function presentSettings({ event, settings }: EventRecord): z.input<typeof settingsResponse> {
  const { opensAt, classes, classLimits, crew, vehicleFields, columns } = settings ?? defaultSettings;
  return {
    opens_at: formatDateTime(opensAt),
    closes_at: formatDateTime(closingOf(event, settings ?? defaultSettings)),
    classes,
    class_limits: classes.flatMap((name) => {
      const limit = limitOf({ classes, classLimits }, name);
      return limit === null ? [] : [{ name, capacity: limit.capacity, waiting_list: limit.waitingList, offer_hours: limit.offerHours }];
    }),
    crew,
    vehicle_fields: vehicleFields,
    columns,
    available_columns: availableColumns({ vehicleFields }),
  };
}
