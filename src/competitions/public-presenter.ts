import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { CalendarEvent, PublicEvent } from './calendar-queries.ts';
import type { PublicResult } from './participant-queries.ts';
import type { calendarResponse, publicEventResponse } from './public-schemas.ts';

/** Addresses of the documents of one event. */
export interface DocumentUrls {
  stage(stage: 'regulations' | 'results'): string;
  additional(documentId: number): string;
}

/** Field by field, so that nothing else of an event can slip out: the organization is named, the person who runs it is not. */
export function presentCalendarEvent(event: CalendarEvent): z.output<typeof calendarResponse>[number] {
  return {
    id: event.id,
    title: event.title,
    location: event.location,
    starts_at: formatDateTime(event.startsAt),
    ends_at: formatDateTime(event.endsAt),
    reserve_at: event.reserveAt && formatDateTime(event.reserveAt),
    discipline: { id: event.discipline.id, code: event.discipline.code, title: event.discipline.title },
    organizer_name: event.organizerName,
    status: event.status,
  };
}

export type PresentedEvent = z.output<typeof publicEventResponse>;

/** An event with its documents and, once they are approved, its results (decisions.md §6 "Public event"). */
export function presentPublicEvent(event: PublicEvent, results: readonly PublicResult[], urls: DocumentUrls): PresentedEvent {
  const documentOf = (name: 'regulations' | 'results') => {
    const { status, available } = event.stages.find(({ stage }) => stage === name) ?? { status: 'locked' as const, available: false };
    return { status, url: status === 'approved' && available ? urls.stage(name) : null };
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
        url: urls.additional(id),
      })),
    },
    results: [...results],
  };
}
