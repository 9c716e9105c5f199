import type { Readable } from 'node:stream';
import type { Language } from '../../../http/language.ts';
import type { Database } from '../../../platform/database/database.ts';
import { type Sheet, type SheetColumn, streamSpreadsheet } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import { auditRead, type Reading } from '../../audit/index.ts';
import { defaultSettings, type EventRecord, type ResultStatus, resultStatuses } from '../../competitions/index.ts';
import { mostRows } from '../sheet/entries.ts';
import { participantColumns, resultStatusTitles } from './columns.ts';

const sheetName: Record<Language, string> = { ru: 'Результаты', kk: 'Нәтижелер', en: 'Results' };

const widths: Record<string, number> = {
  start_number: 16,
  name: 36,
  licence_number: 24,
  class: 20,
  place: 10,
  result: 20,
  result_status: 20,
};

interface Line {
  startNumber: string | null;
  name: string;
  licenceNumber: string;
  class: string | null;
  place: number | null;
  result: string | null;
  /** Null for a registration that is not among the participants. */
  resultStatus: ResultStatus | null;
}

/**
 * Streams the sheet for an import of results (IMP-6): the participants, then the approved registrations with a certificate that are none
 * yet. The audit row `participants.exported` is written before the first row is read.
 */
export async function streamParticipantTemplate(
  { caller, db, now }: Pick<Reading, 'caller' | 'db' | 'now'>,
  { id: eventId, settings }: EventRecord,
  language: Language,
): Promise<Readable> {
  const lines = await listLines(db, eventId);
  await auditRead({ ...caller, db, now }, 'participants.exported', { kind: 'event', id: eventId }, { count: lines.length });
  const choices: Record<string, readonly string[]> = {
    class: (settings ?? defaultSettings).classes,
    result_status: resultStatuses.map((status) => resultStatusTitles[status][language]),
  };
  const columns = participantColumns.map(({ field, titles }): SheetColumn => {
    const holds = field === 'start_number' || field === 'place' ? 'number' : 'text';
    return { title: titles[language], holds, width: widths[field] ?? 20, choices: choices[field] ?? [] };
  });
  const sheet: Sheet = {
    name: sheetName[language],
    columns,
    async *pages() {
      yield lines.map((line) => [
        line.startNumber,
        line.name,
        line.licenceNumber,
        line.class,
        line.place === null ? null : String(line.place),
        line.result,
        line.resultStatus === null ? null : resultStatusTitles[line.resultStatus][language],
      ]);
    },
  };
  return streamSpreadsheet([sheet], now);
}

/** Uses participants_pkey and registrations_event_index. */
async function listLines(db: Database, eventId: number): Promise<Line[]> {
  const participants = await db
    .selectFrom('participants')
    .where('eventId', '=', eventId)
    .select(['startNumber', 'name', 'certificateNumber as licenceNumber', 'category as class', 'place', 'result', 'resultStatus'])
    .orderBy('category')
    .orderBy('applicationId')
    .limit(mostRows)
    .execute();
  const registered = await db
    .selectFrom('registrations as r')
    .innerJoin('registration_licences as l', 'l.registrationId', 'r.id')
    .innerJoin('certificates as c', 'c.applicationId', 'l.applicationId')
    .innerJoin('profiles as p', 'p.id', 'r.profileId')
    .where('r.eventId', '=', eventId)
    .where('r.status', '=', 'approved')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('participants as t')
            .innerJoin('registration_licences as tl', 'tl.applicationId', 't.applicationId')
            .where('t.eventId', '=', eventId)
            .whereRef('tl.registrationId', '=', 'r.id')
            .select('t.eventId'),
        ),
      ),
    )
    .distinctOn('r.id')
    .orderBy('r.id')
    .orderBy('c.validFrom')
    .select(['r.startNumber', 'p.name', 'c.number as licenceNumber', 'r.class'])
    .limit(mostRows - participants.length)
    .execute();
  // A list has a certificate once (EVT-13), also for an athlete of two classes.
  const once = [...new Map(registered.toReversed().map((line) => [line.licenceNumber, line])).values()].toReversed();
  return [...participants, ...once.map((line) => ({ ...line, place: null, result: null, resultStatus: null }))];
}
