import { judgeEntry, judgeList, referred } from '../competitions/participants.ts';
import type { Application } from '../applications/application-records.ts';
import type { Caller } from '../exchange.ts';
import type { Model } from '../model.ts';
import type { Participant } from '../registrations/registration-records.ts';
import { registrationsOf } from '../registrations/registrations-of.ts';
import { type Line, linesOf, mayBeSame, type SentSheet } from './sheet.ts';

/** What a row of a sheet of results means (IMP-3). */
export interface ReadLine {
  line: Line;
  /** `open`: the auditor cannot know whether its certificate was valid on the days gone by. */
  means: 'refused' | 'left_out' | 'unchanged' | 'changed' | 'created' | 'open';
  /** Fields that are wrong; the whole row is the empty one. */
  wrong: string[];
  /** Codes that may name a refusal by the rules of the list; none when any may. */
  codes: readonly string[];
  application: Application | null;
  changes: Partial<Participant>;
}

/** Words that sheets have for the status of a result. */
export const statusWords: Readonly<Record<string, readonly string[]>> = {
  registered: ['registered', 'Заявлен', 'Тіркелген'],
  started: ['started', 'Стартовал', 'Старт алды'],
  finished: ['finished', 'Финишировал', 'Мәреге жетті', 'OK'],
  dnf: ['dnf', 'Не финишировал', 'Мәреге жетпеді', 'Сход'],
  dns: ['dns', 'Не стартовал', 'Старт алмады', 'Неявка'],
  dsq: ['dsq', 'Дисквалифицирован', 'Шеттетілді', 'Disqualified'],
};

/** Of registrations, in the column of the same title of their export. */
const ofRegistrations: ReadonlySet<string> = new Set(['approved', 'одобрена', 'мақұлданды']);

function keyOf(texts: Line['texts']): string | null {
  const { licence_number: licence = '', start_number: number = '' } = texts;
  if (licence !== '') return `licence ${licence.toUpperCase()}`;
  return number === '' ? null : `number ${number}`;
}

/** Reads the rows of a sheet by what is in the list now. */
export function readParticipantSheet(model: Model, sheet: SentSheet, eventId: number, by: Caller, now: Date): ReadLine[] {
  const params = { id: eventId };
  const closed = judgeList(model, { params, by }) !== null;
  const taken = new Set<number>();
  const addsAll = !sheet.columns.includes('place') && !sheet.columns.includes('result');
  return linesOf(sheet, keyOf).map((line): ReadLine => {
    const wrong: string[] = line.isRepeated ? [''] : [];
    const application = applicationOf(model, line.texts, eventId, wrong);
    const changes = changesIn(line.texts, wrong);
    const read = { line, wrong, codes: [] as string[], application, changes };
    if (application !== null && taken.has(application.id)) wrong.push('');
    if (application === null || wrong.length > 0) return { ...read, means: 'refused' };
    taken.add(application.id);
    if (closed) return { ...read, means: 'refused', codes: ['participants_closed'] };
    const participant = model.participants.get(`${eventId}/${application.id}`);
    if (participant) {
      const isSame = Object.entries(changes).every(([field, value]) => participant[field as keyof Participant] === value);
      return { ...read, means: isSame ? 'unchanged' : 'changed' };
    }
    const hasResult = changes.place != null || changes.result != null || changes.resultStatus !== undefined;
    if (!addsAll && !hasResult) return { ...read, means: 'left_out' };
    const judgement = judgeEntry(model, eventId, application, now);
    if (judgement === 'open') return { ...read, means: 'open' };
    return judgement === 'accept' ? { ...read, means: 'created' } : { ...read, means: 'refused', codes: judgement.codes };
  });
}

/** The certificate of the licence, else that of the participant, or of the approved registration, with the start number. */
function applicationOf(model: Model, texts: Line['texts'], eventId: number, wrong: string[]): Application | null {
  const { licence_number: licence = '', start_number: number = '', name = '' } = texts;
  const field = licence === '' ? 'start_number' : 'licence_number';
  const [first = ''] = licence.split(',');
  const found = licence === '' ? ofStartNumber(model, eventId, number) : [referred(model, first.trim())];
  const [application, another] = found;
  if (!application || application === 'foreign' || another) {
    wrong.push(field);
    return null;
  }
  const participant = licence === '' ? model.participants.get(`${eventId}/${application.id}`) : undefined;
  const holder = participant?.name ?? application.certificate?.holder.filter(Boolean).join(' ') ?? '';
  if (mayBeSame(name, holder)) return application;
  wrong.push('name');
  return null;
}

function ofStartNumber(model: Model, eventId: number, number: string): Application[] {
  if (number === '') return [];
  const listed = [...model.participants.values()].filter((one) => one.eventId === eventId && one.startNumber === number);
  if (listed.length > 0) return listed.flatMap(({ applicationId }) => model.applications.get(applicationId) ?? []);
  const approved = registrationsOf(model, eventId).filter(({ status, startNumber }) => status === 'approved' && startNumber === number);
  return approved.flatMap(({ applicationIds }) => {
    const licences = applicationIds.flatMap((id) => model.applications.get(id) ?? []).filter(({ certificate }) => certificate !== null);
    return licences.toSorted((left, right) => startOf(left).localeCompare(startOf(right))).slice(0, 1);
  });
}

const startOf = ({ certificate }: Application) => certificate?.validFrom ?? '';

/** A field without a column stays, and so does a status whose cell is empty; another empty cell clears its field. */
function changesIn(texts: Line['texts'], wrong: string[]): Partial<Participant> {
  const { class: category, start_number: startNumber, result } = texts;
  const status = statusIn(texts['result_status'] ?? '');
  if (status === undefined) wrong.push('result_status');
  const ofPlace = statusIn(texts['place'] ?? '');
  const place = ofPlace === undefined ? placeIn(texts['place'] ?? '', wrong) : null;
  const hasResult = place !== null || (result ?? '') !== '';
  const named = status ?? ofPlace ?? (hasResult ? 'finished' : null);
  return {
    ...(category === undefined ? {} : { category: category || null }),
    ...(startNumber === undefined ? {} : { startNumber: startNumber || null }),
    ...(texts['place'] === undefined ? {} : { place }),
    ...(result === undefined ? {} : { result: result || null }),
    ...(named === null ? {} : { resultStatus: named }),
  };
}

function placeIn(text: string, wrong: string[]): number | null {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  wrong.push('place');
  return null;
}

/** The status that a cell names; null for an empty cell and for a status of a registration, undefined for other words. */
function statusIn(text: string): string | null | undefined {
  const plain = text.toLowerCase();
  if (plain === '' || ofRegistrations.has(plain)) return null;
  return Object.keys(statusWords).find((status) => statusWords[status]?.some((word) => word.toLowerCase() === plain));
}
