import { defineEntity, p } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import { EventEntity } from './entities.ts';

/**
 * What the public calendar finds an event by; one row for each that was published, also for one that was cancelled since. Written by the
 * database itself with the event and with the name of its organizer (triggers of the migration `calendar_entries`), so no command can
 * forget it. The other columns of an event would make its indexes wide, and the name of the organizer is not among them.
 */
export const CalendarEntryEntity = defineEntity({
  name: 'CalendarEntry',
  tableName: 'calendar_entries',
  properties: {
    eventId: () =>
      p.manyToOne(EventEntity).mapToPk().primary().fieldName('event_id').deleteRule('cascade').foreignKeyName('calendar_entries_event_fk'),
    startsAt: p.datetime(),
    endsAt: p.datetime(),
    disciplineId: p.integer(),
    // The words of title, location and organizer, as `calendar_words` of the database makes them.
    words: p.string().columnType('tsvector'),
  },
  indexes: [
    // In the order of the calendar; the end stands in them so that counting reads no row.
    { name: 'calendar_entries_index', properties: ['startsAt', 'eventId', 'endsAt'] },
    { name: 'calendar_entries_discipline_index', properties: ['disciplineId', 'startsAt', 'eventId', 'endsAt'] },
    { name: 'calendar_entries_words_index', properties: ['words'], type: 'gin' },
  ],
});
export type CalendarEntry = InferEntity<typeof CalendarEntryEntity>;
