import { isDeepStrictEqual } from 'node:util';
import type { Area, Asked, Touched } from '../area.ts';
import { judgeList, takeOverLine } from '../competitions/participants.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { judgeRows, type RowJudgement, type Sending } from '../registrations/registration-rows.ts';
import { type RowResult, takeOverRows } from '../registrations/registrations.ts';
import { type ReadLine, readParticipantSheet } from './participant-sheet.ts';
import { type ReadRow, readRegistrationSheet } from './registration-sheet.ts';
import { addressOf, type AnsweredRow, askAnswer, type SentSheet } from './sheet.ts';

const ofRegistrations = 'POST /events/{id}/registrations/import';
const ofParticipants = 'POST /events/{id}/participants/import';

type Judged = { rows: ReadRow[]; batch: RowJudgement[] | null } | { lines: ReadLine[] };

/** By the body of an import, what the rules say of its rows; a race is not judged. */
const judged = new WeakMap<object, Judged>();

/** The rows of the last check by the model, until another request may have changed something. */
const checked = new WeakMap<Model, { exchange: Exchange; rows: AnsweredRow[] }>();

/** Imports of registrations and results, by `docs/rules/imports.md`. */
export const importsArea: Area = {
  judge(model, asked, now) {
    if (asked.operation === ofRegistrations) return judgeRegistrations(model, asked, now);
    return asked.operation === ofParticipants ? judgeParticipants(model, asked, now) : null;
  },

  saw(model, exchange) {
    const { operation, body } = exchange;
    const isImport = operation === ofRegistrations || operation === ofParticipants;
    if (isImport) {
      askAnswer(body as SentSheet, exchange.data);
      askRoundTrip(exchange);
      askAfterCheck(model, exchange);
    }
    checked.delete(model);
    if (!isImport) return [];
    if ((body as SentSheet).mode === 'check' && exchange.raced.length === 0)
      checked.set(model, { exchange, rows: exchange.data.rows as AnsweredRow[] });
    return operation === ofRegistrations ? takeOverRegistrations(model, exchange) : takeOverParticipants(model, exchange);
  },
};

const sheetIn = ({ body }: Pick<Asked, 'body'>) => body as SentSheet | undefined;

function sendingOf({ params, by, body }: Pick<Exchange, 'params' | 'by' | 'body'>): Sending {
  const isSubmitted = (body as SentSheet).mode !== 'draft';
  return { eventId: Number(params['id']), accountId: by.accountId, isSubmitted, hasDetails: true };
}

/** A file without the columns that name a record, or without rows, is refused as a whole (IMP-4). */
function judgeFile({ columns, rows }: SentSheet, identifying: readonly string[]): Judgement {
  const isReadable = columns.some((field) => field !== null && identifying.includes(field)) && rows.length > 0;
  return isReadable ? 'accept' : refuse('file_rejected');
}

/** An event that is not published does not exist for athletes. */
function judgeRegistrations(model: Model, asked: Asked, now: Date): Judgement {
  const sheet = sheetIn(asked);
  if (model.events.get(Number(asked.params['id']))?.status !== 'published') return refuse('not_found');
  if (!sheet) return 'open';
  const judgement = judgeFile(sheet, ['name', 'registration_id']);
  if (judgement === 'accept') judged.set(sheet, readAndJudge(model, asked, now));
  return judgement;
}

function readAndJudge(model: Model, asked: Pick<Exchange, 'params' | 'by' | 'body'>, now: Date): Judged {
  const sending = sendingOf(asked);
  const rows = readRegistrationSheet(model, asked.body as SentSheet, sending.eventId, sending.accountId);
  const sent = rows.flatMap((row) => row.sent ?? []);
  // A row that may be refused for its licence leaves it open whether those after it have a place.
  const isOpen = rows.some(({ means }) => means === 'open');
  return { rows, batch: isOpen ? null : judgeRows(model, sent, sending, now) };
}

/** The list belongs to the organizer; one that is closed refuses each row (EVT-7). */
function judgeParticipants(model: Model, asked: Asked, now: Date): Judgement {
  const list = judgeList(model, asked);
  if (list !== null && typeof list !== 'string' && list.codes.includes('not_found')) return list;
  const sheet = sheetIn(asked);
  if (!sheet) return 'open';
  if (sheet.mode === 'draft') return refuse('validation_failed');
  const judgement = judgeFile(sheet, ['licence_number', 'start_number']);
  if (judgement === 'accept') judged.set(sheet, { lines: readParticipantSheet(model, sheet, Number(asked.params['id']), asked.by, now) });
  return judgement;
}

/** What a check called good is good in the submission right after it, and changes the same (IMP-1). */
function askAfterCheck(model: Model, { operation, params, by, body, file, data, raced }: Exchange): void {
  const before = checked.get(model);
  if (!before || raced.length > 0 || (body as SentSheet).mode !== 'submit') return;
  const { exchange } = before;
  const isSame = exchange.operation === operation && exchange.params['id'] === params['id'] && exchange.by.accountId === by.accountId;
  if (!isSame || exchange.file?.sha256 !== file?.sha256) return;
  const outcomeOf = ({ row, ok, change, problems }: AnsweredRow) => ({ row, ok, change, problems });
  const [expected, seen] = [before.rows.map(outcomeOf), (data.rows as AnsweredRow[]).map(outcomeOf)];
  if (!isDeepStrictEqual(expected, seen))
    throw new Finding('a submission does what the check right before it said (IMP-1)', expected, seen);
}

/**
 * What the registry made and gets back changes nothing (IMP-6). Drafts of a template may be submitted, and an export is for the organizer's
 * list a list of who takes part; it has rows of other accounts.
 */
function askRoundTrip({ operation, body, data }: Exchange): void {
  const { madeAs, mode } = body as SentSheet;
  if (madeAs === undefined || (madeAs === 'export' && operation === ofParticipants)) return;
  const isSubmission = madeAs === 'template' && operation === ofRegistrations && mode !== 'draft';
  const kept = new Set<unknown>([
    'unchanged',
    'left_out',
    ...(madeAs === 'export' ? [null] : []),
    ...(isSubmission ? ['changed', null] : []),
  ]);
  const others = (data.rows as AnsweredRow[]).filter(({ change }) => !kept.has(change));
  if (others.length > 0) throw new Finding(`the ${madeAs} that ${operation} gets back as it is changes nothing (IMP-6)`, [], others);
}

/** Codes of a whole row of a batch; others are of its fields. */
const codesOfRows: ReadonlySet<string> = new Set([
  'intake_closed',
  'not_found',
  'invalid_state',
  'not_eligible',
  'class_full',
  'duplicate_registration',
]);

function takeOverRegistrations(model: Model, exchange: Exchange): Touched[] {
  const sheet = exchange.body as SentSheet;
  const known = judged.get(sheet);
  judged.delete(sheet);
  const isJudged = exchange.raced.length === 0 && known !== undefined;
  const reading = isJudged ? known : readAndJudge(model, exchange, exchange.at);
  if (!('rows' in reading)) return [];
  const answers = exchange.data.rows as AnsweredRow[];
  const sent = reading.rows.flatMap((row, index) => (row.sent === null ? [] : [{ row, answer: answers[index] }]));
  const results = sent.map(({ answer }): RowResult => {
    const code = answer?.problems.find((problem) => codesOfRows.has(problem.code))?.code ?? 'validation_failed';
    if (answer?.ok !== true) return { ok: false, error: { code } };
    return { ok: true, ...(answer.registration_id === undefined ? {} : { id: answer.registration_id }) };
  });
  if (isJudged) {
    for (const [index, row] of reading.rows.entries()) {
      const at = sent.findIndex((one) => one.row === row);
      const answer = answers[index];
      const result = results[at];
      if (answer && result && reading.batch?.[at]) compareSent(row, answer, result, reading.batch[at]);
      if (answer) compareRow(sheet, row, answer);
    }
  }
  if (sheet.mode === 'check') {
    const unknown = answers.filter(({ registration_id: id }) => id !== undefined && !model.registrations.has(id));
    if (unknown.length > 0) throw new Finding('a check names no registration that is not saved (IMP-1)', [], unknown);
    return [];
  }
  // A row with the same content changes nothing, also where another of a race has saved it.
  const effective = sent.map(({ answer }, index): RowResult => {
    const isSaved = answer?.change === 'created' || answer?.change === 'changed';
    return isSaved || answer?.ok !== true ? (results[index] ?? { ok: false }) : { ok: false, error: { code: 'unchanged' } };
  });
  const rows = sent.flatMap(({ row }) => row.sent ?? []);
  return takeOverRows(model, rows, effective, sendingOf(exchange), exchange);
}

const wordsOf = (row: { line: { texts: unknown } }) => `the row ${JSON.stringify(row.line.texts)} of a sheet`;

/** A row that the rules refuse by its cells, leave out or find unchanged (IMP-2). */
function compareRow(sheet: SentSheet, row: ReadRow, answer: AnsweredRow): void {
  const { means, saved, wrong } = row;
  if (means === 'refused') return compareRefused(sheet, row.line, wrong, answer);
  const isNew = saved === null;
  const change = means === 'left_out' || means === 'unchanged' ? means : isNew ? 'created' : 'changed';
  const isOpen = means === 'open' || means === 'batch';
  // The rules of the batch have judged it; a row in order says what it changed.
  const isExpected = answer.change === change || (isOpen && answer.change === null) || (means === 'open' && answer.change === 'unchanged');
  if (!isExpected) throw new Finding(`${wordsOf(row)} means a registration as the rules say (IMP-2)`, change, answer);
  const expected = change === 'changed' || change === 'unchanged' ? (saved?.id ?? null) : null;
  if (answer.change !== null && answer.change !== 'created' && (answer.registration_id ?? null) !== expected)
    throw new Finding(`${wordsOf(row)} names the registration that it means (IMP-2)`, expected, answer);
  if (answer.change === 'created' && (sheet.mode === 'check') === (answer.registration_id !== undefined))
    throw new Finding(`${wordsOf(row)} names a new registration once it is saved (IMP-1)`, sheet.mode, answer);
}

/** A row that is read as one of a batch is accepted or refused as that (REG-1). */
function compareSent(row: ReadRow, answer: AnsweredRow, { ok, error }: RowResult, { codes, holderId }: RowJudgement): void {
  if (codes === null) return;
  const isOfField = codes.includes('validation_failed');
  const isExpected = codes.length === 0 ? ok : !ok && (isOfField || codes.includes(error?.code ?? ''));
  const wanted = codes.length === 0 ? 'accepted' : `refused ${codes.join(' or ')}`;
  const asked = `${wordsOf(row)}, read as ${JSON.stringify(row.sent)},`;
  if (!isExpected) throw new Finding(`${asked} is judged as the row of a batch (IMP-2, REG-1)`, wanted, answer);
  if (error?.code === 'duplicate_registration' && holderId !== null && answer.registration_id !== holderId)
    throw new Finding(`${asked} names the registration that holds its place (REG-2)`, holderId, answer);
}

/** A row whose cells are wrong is refused, and one of these cells is named (IMP-1). */
function compareRefused(sheet: SentSheet, line: ReadRow['line'], wrong: readonly string[], answer: AnsweredRow): void {
  const addresses = wrong.map((field) => addressOf(sheet, line, field));
  const named = new Set(answer.problems.map(({ cell }) => cell));
  const isNamed = addresses.every((address) => named.has(address));
  if (answer.ok || !isNamed)
    throw new Finding(`${wordsOf({ line })} is refused at each of its wrong cells (IMP-1)`, `refused at ${addresses.join(', ')}`, answer);
}

function takeOverParticipants(model: Model, exchange: Exchange): Touched[] {
  const sheet = exchange.body as SentSheet;
  const known = judged.get(sheet);
  judged.delete(sheet);
  const isJudged = exchange.raced.length === 0 && known !== undefined;
  const eventId = Number(exchange.params['id']);
  const reading = isJudged ? known : { lines: readParticipantSheet(model, sheet, eventId, exchange.by, exchange.at) };
  if (!('lines' in reading)) return [];
  const answers = exchange.data.rows as AnsweredRow[];
  const touched: Touched[] = [];
  for (const [index, line] of reading.lines.entries()) {
    const answer = answers[index];
    if (!answer) continue;
    if (isJudged) compareLine(sheet, line, answer);
    const isSaved = answer.change === 'created' || answer.change === 'changed';
    if (sheet.mode === 'submit' && isSaved && line.application) {
      touched.push(...takeOverLine(model, exchange, line.application.id, line.changes));
    }
  }
  return touched;
}

function compareLine(sheet: SentSheet, read: ReadLine, answer: AnsweredRow): void {
  const { line, means, wrong, codes, application } = read;
  if (means === 'refused') {
    if (wrong.length > 0) return compareRefused(sheet, line, wrong, answer);
    const isNamed = codes.includes('validation_failed') || answer.problems.some(({ code }) => codes.includes(code));
    if (answer.ok || !isNamed)
      throw new Finding(`${wordsOf(read)} is refused by the rules of the list (IMP-3, EVT-7, EVT-12)`, codes.join(' or '), answer);
    return;
  }
  const isExpected = means === 'open' ? answer.change === null || answer.change === 'created' : answer.change === means;
  if (!isExpected) throw new Finding(`${wordsOf(read)} changes the list as the rules say (IMP-3)`, means, answer);
  const isNamed = answer.change === 'changed' || answer.change === 'unchanged' || (answer.change === 'created' && sheet.mode === 'submit');
  const expected = isNamed ? (application?.id ?? null) : null;
  if (answer.change !== null && (answer.application_id ?? null) !== expected)
    throw new Finding(`${wordsOf(read)} names the certificate of its athlete (IMP-3)`, expected, answer);
}
