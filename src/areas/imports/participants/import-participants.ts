import { sql } from 'kysely';
import { isDomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type Database, inList } from '../../../platform/database/database.ts';
import { type LineOutcome, saveParticipants } from '../../competitions/index.ts';
import { findReferredCertificates, parsePlainReference, type ReferredCertificate } from '../../verification/index.ts';
import { type Entry, textIn } from '../sheet/entries.ts';
import { mayBeSame, nameIn } from '../sheet/names.ts';
import { addRefusal, type ImportedRow, RowProblems } from '../sheet/problems.ts';
import { namesResults, readLine } from './read-line.ts';

/**
 * Adds or changes participants of a sheet of results (IMP-3). Each row is taken or refused by itself. A row names its athlete by a
 * certificate, or by a start number: of a participant, else of an approved registration.
 * @param entries at most 100
 * @returns the outcome of each row, in their order
 * @throws {DomainError} not_found, also for another account's event
 */
export async function importParticipants(
  ctx: CommandContext,
  { eventId }: { eventId: number },
  entries: readonly Entry[],
): Promise<ImportedRow[]> {
  const certificates = await findCertificates(ctx.db, eventId, entries);
  const holders = certificates.flatMap((found) => found.map(({ holderName }) => holderName));
  const fold = await foldAll(ctx.db, [...entries.map((entry) => nameIn(entry)), ...holders]);
  const taken = new Set<number>();
  const read = entries.map((entry, index) => {
    const problems = new RowProblems(entry);
    const certificate = chooseCertificate(entry, certificates[index] ?? [], fold, problems);
    const changes = readLine(entry, problems);
    if (certificate !== null && taken.has(certificate.applicationId)) problems.add('', 'repeated', 'is the same athlete as an earlier row');
    const isGood = certificate !== null && problems.found.length === 0;
    if (isGood) taken.add(certificate.applicationId);
    return { entry, problems, line: isGood ? { certificate, changes, addsAlways: !namesResults(entry) } : null };
  });
  const lines = read.flatMap(({ line }) => (line === null ? [] : [line]));
  const outcomes = await saveEach(ctx, { eventId, lines });
  const outcomeOf = new Map(lines.map((line, index) => [line, outcomes[index]]));

  return read.map(({ entry, problems, line }): ImportedRow => {
    const at = () => ({ sheet: entry.sheet, row: entry.row, problems: problems.list() });
    if (line === null) return { ...at(), change: null };
    const outcome = outcomeOf.get(line);
    if (outcome === undefined) throw new Error('a line has no outcome');
    const { applicationId } = line.certificate;
    if ('change' in outcome)
      return outcome.change === 'unlisted' ? { ...at(), change: 'left_out' } : { ...at(), change: outcome.change, applicationId };
    const main = () => identifyingField(entry);
    addRefusal(problems, outcome.refusal, { mainOf: main, fieldOf: main, allowedIn: () => [] });
    return { ...at(), change: null };
  });
}

/** A refusal of all lines, such as a closed list, is the refusal of each. */
async function saveEach(ctx: CommandContext, input: Parameters<typeof saveParticipants>[1]): Promise<LineOutcome[]> {
  try {
    return await saveParticipants(ctx, input);
  } catch (error) {
    if (isDomainError(error) && error.code !== 'not_found') return input.lines.map(() => ({ refusal: error }));
    throw error;
  }
}

/** Finds the certificates that each row may mean: of its licence, else of its start number. */
async function findCertificates(db: Database, eventId: number, entries: readonly Entry[]): Promise<ReferredCertificate[][]> {
  const references = entries.map((entry) => {
    const licence = textIn(entry, 'licence_number');
    // The export lists all numbers of an athlete.
    const [first = ''] = licence.split(',');
    return licence === '' ? null : parsePlainReference(first);
  });
  const named = references.flatMap((reference) => (reference === null ? [] : [reference]));
  const found = await findReferredCertificates(db, named);
  const byReference = new Map(named.map((reference, index) => [reference, found[index] ?? null]));
  const numbers = entries.flatMap((entry) => (textIn(entry, 'licence_number') === '' ? [textIn(entry, 'start_number')] : []));
  const byNumber = await findByStartNumber(db, eventId, [...new Set(numbers.filter((number) => number !== ''))]);
  return entries.map((entry, index) => {
    const reference = references[index] ?? null;
    if (reference !== null) {
      const certificate = byReference.get(reference) ?? null;
      return certificate === null ? [] : [certificate];
    }
    return textIn(entry, 'licence_number') === '' ? (byNumber.get(textIn(entry, 'start_number')) ?? []) : [];
  });
}

/** Participants with a start number, else approved registrations with it, by number. One statement. */
async function findByStartNumber(
  db: Database,
  eventId: number,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, ReferredCertificate[]>> {
  if (numbers.length === 0) return new Map();
  const { rows } = await sql<ReferredCertificate & { startNumber: string }>`
    select p.start_number as "startNumber", p.application_id as "applicationId", p.certificate_number as number, p.name as "holderName"
    from participants p where p.event_id = ${eventId} and p.start_number = ${inList(numbers)}
    union all
    (select distinct on (r.id) r.start_number, c.application_id, c.number, c.snapshot->>'holderName'
    from registrations r
      join registration_licences l on l.registration_id = r.id
      join certificates c on c.application_id = l.application_id
    where r.event_id = ${eventId} and r.status = 'approved' and r.start_number = ${inList(numbers)}
      and not exists (select from participants p where p.event_id = ${eventId} and p.start_number = r.start_number)
    order by r.id, c.valid_from)`.execute(db);
  return Map.groupBy(rows, ({ startNumber }) => startNumber);
}

/** A licence decides which athlete a row means, before a start number. */
function identifyingField(entry: Entry): 'licence_number' | 'start_number' {
  return textIn(entry, 'licence_number') === '' ? 'start_number' : 'licence_number';
}

function chooseCertificate(
  entry: Entry,
  found: readonly ReferredCertificate[],
  fold: (name: string) => string,
  problems: RowProblems,
): ReferredCertificate | null {
  const field = identifyingField(entry);
  const [certificate, other] = found;
  if (textIn(entry, field) === '') problems.add(field, 'required', 'is required: the number of a licence, or a start number');
  else if (certificate === undefined && field === 'licence_number')
    problems.add(field, 'not_found', 'is not the number, the code or the link of a certificate of this registry');
  else if (certificate === undefined)
    problems.add(field, 'not_found', 'is not the start number of a participant, or of an approved registration');
  else if (other !== undefined)
    problems.add(field, 'ambiguous', 'is the start number of several participants: add the number of the licence');
  else if (!mayBeSame(fold(nameIn(entry)), fold(certificate.holderName)))
    problems.add('name', 'another_athlete', `is not the athlete of this ${field === 'start_number' ? 'start number' : 'licence'}`);
  else return certificate;
  return null;
}

/** Returns names without case, as the search reads them: Kazakh letters and ё become the Russian letters beside them. One statement. */
async function foldAll(db: Database, names: readonly string[]): Promise<(name: string) => string> {
  const { rows } = await sql<{ name: string; folded: string }>`
    select w.name, folded(w.name) as folded from unnest(${[...new Set(names)]}::text[]) w(name)`.execute(db);
  const folded = new Map(rows.map((row) => [row.name, row.folded]));
  return (name) => folded.get(name) ?? name;
}
