import { z } from 'zod';
import { apiPrefix } from '../../../http/api-prefix.ts';
import { languages } from '../../../http/language.ts';
import { boundary, dateTimeResponse, id, idParam, line, paging } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { discipline } from '../../catalog/index.ts';
import { additionalDocumentKind } from '../additional-documents/wire.ts';
import { type ClassPlaces, placesResponse } from '../events/settings.ts';
import { stageStatus } from '../events/wire.ts';
import type { PublicResult } from '../participants/queries.ts';
import { shownResult } from '../participants/wire.ts';
import { type CalendarEvent, type PublicEvent, type PublicStatus, publicStatuses } from './queries.ts';

const filters = {
  from: boundary('from').optional().describe('Earliest start, included: a day in UTC+5 or an instant'),
  to: boundary('to').optional().describe('Latest start: a day in UTC+5, included, or an instant, excluded'),
  discipline_id: idParam.optional(),
  q: line(100)
    .optional()
    .meta({
      description:
        'Prefixes of words of the title, location or organizer; all must match, in any order. ә, ғ, қ, ң, ө, ұ, ү, һ, і and ё also match as а, г, к, н, о, у, х, и and е',
      examples: ['алматы ралли'],
    }),
};

interface Span {
  from?: Date | undefined;
  to?: Date | undefined;
}
const isInOrder = ({ from, to }: Span) => from === undefined || to === undefined || from < to;
const outOfOrder = { message: 'must not be before `from`', path: ['to'] };

export const calendarQuery = z.strictObject({ ...filters, ...paging }).refine(isInOrder, outOfOrder);
export const calendarFeedQuery = z
  .strictObject({
    ...filters,
    lang: z.enum(languages).optional().describe('Language of the texts; otherwise the preferred one of `Accept-Language`'),
  })
  .refine(isInOrder, outOfOrder);

const calendarEvent = {
  id,
  title: z.string(),
  location: z.string().describe('Town and place'),
  starts_at: dateTimeResponse,
  ends_at: dateTimeResponse,
  reserve_at: dateTimeResponse.nullable().describe('The reserve day'),
  discipline,
  organizer_name: z.string().describe('Name of the organization'),
  status: z.enum(publicStatuses).describe('`completed`: the results are approved; `cancelled`: cancelled after the publication'),
};

export const calendarResponse = z.array(z.object(calendarEvent).meta({ id: 'CalendarEvent' }));

const documentUrl = z.string().meta({ format: 'uri', description: 'Address of the file; needs no login' });
const stageDocument = z
  .object({
    status: stageStatus,
    url: documentUrl.nullable().meta({ description: 'Null until the stage is approved', format: 'uri' }),
  })
  .meta({ id: 'PublicStageDocument', description: 'The document of a stage' });

export const publicEventResponse = z
  .object({
    ...calendarEvent,
    documents: z.object({
      regulations: stageDocument,
      results: stageDocument,
      additional: z.array(
        z
          .object({
            document_id: id,
            title: z.string(),
            kind: additionalDocumentKind,
            status: z.literal('approved').describe('Only approved documents are public'),
            url: documentUrl,
          })
          .meta({ id: 'PublicAdditionalDocument' }),
      ),
    }),
    places: placesResponse,
    results: z
      .array(
        z
          .object({
            name: z.string(),
            ...shownResult,
          })
          .meta({ id: 'PublicResult' }),
      )
      .describe('By class and place; empty until the results are approved'),
  })
  .meta({ id: 'PublicEvent' });

export const additionalFileParams = z.strictObject({ id: idParam, document_id: idParam });

/** Lists each public field, so that no other field leaks: the organization is public, its director is not (EVT-17). */
export function presentCalendarEvent(event: CalendarEvent): z.output<typeof calendarResponse>[number] {
  return {
    id: event.id,
    title: event.title,
    location: event.location,
    starts_at: formatDateTime(event.startsAt),
    ends_at: formatDateTime(event.endsAt),
    reserve_at: formatDateTime(event.reserveAt),
    discipline: { id: event.discipline.id, code: event.discipline.code, title: event.discipline.title },
    organizer_name: event.organizerName,
    status: event.status,
  };
}

export type PresentedEvent = z.output<typeof publicEventResponse>;

/**
 * Presents an event with its documents, and its results once they are approved (EVT-17).
 * @param root address of the site; its path prefix for links within its pages
 */
export function presentPublicEvent(
  { event, results, places }: { event: PublicEvent; results: readonly PublicResult[]; places: readonly ClassPlaces[] },
  root: string,
): PresentedEvent {
  const documents = `${root}${apiPrefix}/events/public/${event.id}/documents`;
  const documentOf = (name: 'regulations' | 'results') => {
    const { status, available } = event.stages.find(({ stage }) => stage === name) ?? { status: 'locked' as const, available: false };
    return { status, url: status === 'approved' && available ? `${documents}/${name}` : null };
  };
  return {
    ...presentCalendarEvent(event),
    documents: {
      regulations: documentOf('regulations'),
      results: documentOf('results'),
      additional: event.additional.map(({ id, title, kind }) => ({
        document_id: id,
        title,
        kind,
        status: 'approved',
        url: `${documents}/additional/${id}`,
      })),
    },
    places: [...places],
    results: [...results],
  };
}

/** Phase of an event for visitors. `over`: it has ended, its results are not approved yet. */
export type EventPhase = 'planned' | 'running' | 'over' | 'completed' | 'cancelled';

/** Returns the phase of an event from its status and the time. */
export function phaseOf({ status, startsAt, endsAt }: { status: PublicStatus; startsAt: Date; endsAt: Date }, now: Date): EventPhase {
  if (status !== 'published') return status;
  if (now < startsAt) return 'planned';
  return now <= endsAt ? 'running' : 'over';
}
