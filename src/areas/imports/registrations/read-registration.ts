import { isDeepStrictEqual } from 'node:util';
import { readDay, readInteger, readPhone } from '../../../platform/spreadsheet/reading/cells.ts';
import type { SheetCell } from '../../../platform/spreadsheet/reading/sheet-content.ts';
import { sheetNames } from '../../../platform/spreadsheet/sheet-names.ts';
import type { RegistrationSettings } from '../../competitions/index.ts';
import type { RegistrationRecord } from '../../registrations/index.ts';
import { plainTitle } from '../sheet/columns.ts';
import { type Entry, textIn } from '../sheet/entries.ts';
import { mayBeSame, nameIn } from '../sheet/names.ts';
import { type RowProblems, withAllowed } from '../sheet/problems.ts';

/** An athlete of the account. */
export interface Athlete {
  id: number;
  /** `YYYY-MM-DD`. */
  birthDate: string | null;
  phone: string | null;
}

/** Records that the rows of a sheet name: the account's own. */
export interface OwnRecords {
  settings: Pick<RegistrationSettings, 'classes' | 'crew' | 'vehicleFields'>;
  /** By the name as a row has it. */
  athletes: ReadonlyMap<string, readonly Athlete[]>;
  /** Registrations of the event: the living ones of these athletes, and those that rows name by number. */
  registrations: ReadonlyMap<number, RegistrationRecord>;
  /** Certificates that the event may accept: of these athletes, and those that rows name. */
  licences: readonly { applicationId: number; profileId: number; holder: string; number: string }[];
  /** Approved papers of another federation. */
  papers: readonly { id: number; profileId: number; type: string; number: string | null }[];
  /** Names of the athletes in the crews of these registrations, by registration. */
  members: ReadonlyMap<number, string>;
}

/** What a registration says, as a row of the batch names it (`registrationRow`). */
interface Content {
  class: string;
  vehicle: Record<string, string>;
  application_ids: number[];
  document_ids: number[];
  crew: { role: string; registration_id: number }[];
}

/** A row as the batch takes it. */
export interface ReadRegistration {
  /** The registration that it means; null for a new one. */
  id: number | null;
  /** Whether that has the same content already, and nothing is left to do. */
  isUnchanged: boolean;
  /** What could be read, also beside problems. */
  form: Partial<Content> & { id?: number; profile_id?: number };
}

/**
 * Reads a row of a sheet as a registration (IMP-2). Columns that the sheet does not have keep what is saved. Pure.
 * @param problems receives what is wrong with its cells
 */
export function readRegistration(entry: Entry, records: OwnRecords, isSubmitted: boolean, problems: RowProblems): ReadRegistration {
  const named = findNamed(entry, records, problems);
  if (named !== null) checkAthlete(entry, named, records, problems);
  const profileId = named === null ? findAthlete(entry, records, problems) : (named?.profile.id ?? null);
  const chosen = named === undefined ? null : chooseClass(entry, records, { named, profileId }, problems);
  const saved = named ?? (profileId === null || chosen === null ? null : findLiving(records, profileId, chosen));
  const before = saved === null ? emptyContent : contentOf(saved);
  const content: Content = {
    ...before,
    class: chosen ?? before.class,
    vehicle: readVehicle(entry, records, before.vehicle),
    ...readPapers(entry, records, { profileId, saved }, problems),
    ...readCrew(entry, records, { chosen, saved }, problems),
  };
  const isOpen = saved?.registration.status === 'draft' || saved?.registration.status === 'returned';
  return {
    id: saved?.id ?? null,
    isUnchanged: saved !== null && isDeepStrictEqual(inOrder(content), inOrder(before)) && !(isOpen && isSubmitted),
    form: { ...(saved === null ? {} : { id: saved.id }), ...(profileId === null ? {} : { profile_id: profileId }), ...content },
  };
}

const emptyContent: Content = { class: '', vehicle: {}, application_ids: [], document_ids: [], crew: [] };

function contentOf({ registration, licences, papers, crew }: RegistrationRecord): Content {
  return {
    class: registration.class,
    vehicle: registration.vehicle,
    application_ids: licences.map(({ applicationId }) => applicationId),
    document_ids: papers.map(({ id }) => id),
    crew: crew.map(({ role, registrationId }) => ({ role, registration_id: registrationId })),
  };
}

function inOrder(content: Content): Content {
  return {
    ...content,
    application_ids: content.application_ids.toSorted((left, right) => left - right),
    document_ids: content.document_ids.toSorted((left, right) => left - right),
    crew: content.crew.toSorted((left, right) => left.registration_id - right.registration_id),
  };
}

/** The largest id of a record. */
const lastId = 2_147_483_647;

/** Returns the number of the registration in a row; null for an empty cell, and for what is no number of a record. */
export function registrationIn({ cells }: Pick<Entry, 'cells'>): number | null {
  const value = cells['registration_id']?.value ?? null;
  const id = value === null ? null : readInteger(value);
  return id !== null && id > 0 && id <= lastId ? id : null;
}

/** Returns the registration that a row names by its number; null without a number, undefined for a wrong one. */
function findNamed(entry: Entry, { registrations }: OwnRecords, problems: RowProblems): RegistrationRecord | null | undefined {
  if (textIn(entry, 'registration_id') === '') return null;
  const found = registrations.get(registrationIn(entry) ?? 0);
  if (found === undefined)
    problems.add('registration_id', 'not_found', 'is not the number of a registration of this account for the event');
  return found;
}

/** A number decides which registration a row means; a name beside it must not say another one. */
function checkAthlete(entry: Entry, named: RegistrationRecord | undefined, { athletes }: OwnRecords, problems: RowProblems): void {
  const name = nameIn(entry);
  const profile = named?.profile;
  if (profile !== undefined && name !== '' && !athletes.get(name)?.some(({ id }) => id === profile.id))
    problems.add('name', 'another_athlete', 'is not the athlete of this registration');
}

function findAthlete(entry: Entry, { athletes, licences }: OwnRecords, problems: RowProblems): number | null {
  const name = nameIn(entry);
  if (name === '') {
    problems.add('name', 'required', 'is required: the name of an athlete of this account');
    return null;
  }
  const birthDate = readIdentity(entry, 'birth_date', readDay, problems);
  const phone = readIdentity(entry, 'phone', readPhone, problems);
  if (birthDate === undefined || phone === undefined) return null;
  // A licence names its holder, where the name alone does not.
  const numbers = partsOf(textIn(entry, 'licence_number').toUpperCase(), ',');
  const named = licences.filter(({ number }) => numbers.includes(number.toUpperCase()));
  const holders = new Set(named.map(({ profileId }) => profileId));
  const namesakes = athletes.get(name) ?? [];
  if (namesakes.length === 0) {
    const [holder] = named;
    if (holder !== undefined && holders.size === 1 && mayBeSame(plainTitle(name), plainTitle(holder.holder))) return holder.profileId;
    problems.add('name', 'not_found', 'is not the name of an athlete of this account');
    return null;
  }
  const ofDay = namesakes.filter((athlete) => birthDate === null || athlete.birthDate === null || athlete.birthDate === birthDate);
  const ofPhone = ofDay.filter((athlete) => phone === null || athlete.phone === null || plainPhone(athlete.phone) === phone);
  const ofLicence = ofPhone.filter(({ id }) => holders.has(id));
  const fitting = ofLicence.length === 1 ? ofLicence : ofPhone;
  if (ofDay.length === 0) problems.add('birth_date', 'differs', 'is not the date of birth in the profile; correct one of them');
  else if (fitting.length === 0) problems.add('phone', 'differs', 'is not the phone in the profile; correct one of them');
  else if (fitting.length > 1)
    problems.add(
      'name',
      'ambiguous',
      `is the name of ${fitting.length} athletes of this account: add the date of birth, a licence or the registration`,
    );
  return fitting.length === 1 ? (fitting[0]?.id ?? null) : null;
}

/** @returns null for an empty cell, undefined for one that `read` does not understand */
function readIdentity(
  entry: Entry,
  field: 'birth_date' | 'phone',
  read: (cell: SheetCell) => string | null,
  problems: RowProblems,
): string | null | undefined {
  const cell = entry.cells[field]?.value ?? null;
  const found = cell === null ? null : read(cell);
  if (cell === null || found !== null) return found;
  if (field === 'phone') problems.add(field, 'not_a_phone', 'must be a phone number such as +7 701 123 45 67');
  else problems.add(field, 'not_a_day', 'must be a day such as 31.12.2006');
  return undefined;
}

function plainPhone(phone: string): string {
  return readPhone({ kind: 'text', text: phone }) ?? phone;
}

function chooseClass(
  entry: Entry,
  records: OwnRecords,
  { named, profileId }: { named: RegistrationRecord | null; profileId: number | null },
  problems: RowProblems,
): string | null {
  const { classes } = records.settings;
  const written = entry.cells['class'] === undefined ? classOfSheet(entry, classes) : textIn(entry, 'class');
  if (written !== '') {
    const found = classes.find((name) => name === written) ?? classes.find((name) => plainTitle(name) === plainTitle(written));
    if (found !== undefined) return found;
    // A registration keeps a class that the settings no longer have.
    const saved = named ?? (profileId === null ? null : findLiving(records, profileId, written));
    if (saved?.registration.class === written) return written;
    problems.add('class', 'unknown_class', withAllowed('is not a class of the event', classes));
    return null;
  }
  if (named !== null) return named.registration.class;
  if (classes.length === 1) return classes[0] ?? null;
  const own = [...records.registrations.values()].filter(({ profile }) => profile.id === profileId);
  if (own.length === 1) return own[0]?.registration.class ?? null;
  problems.add('class', 'required', withAllowed('is required: the event has several classes', classes));
  return null;
}

/** The export has a sheet for each class. */
function classOfSheet({ sheet }: Entry, classes: readonly string[]): string {
  return sheet === null ? '' : (classes[sheetNames(classes).indexOf(sheet)] ?? '');
}

function findLiving({ registrations }: OwnRecords, profileId: number, name: string): RegistrationRecord | null {
  const isOver = ({ registration: { status } }: RegistrationRecord) => status === 'rejected' || status === 'withdrawn';
  const own = [...registrations.values()].filter(({ profile }) => profile.id === profileId);
  return own.find((record) => record.registration.class === name && !isOver(record)) ?? null;
}

/** Fields without a column stay; an empty cell clears its field. */
function readVehicle(entry: Entry, { settings }: OwnRecords, saved: Content['vehicle']): Content['vehicle'] {
  const written = settings.vehicleFields.filter(({ code }) => entry.cells[`vehicle.${code}`] !== undefined);
  const kept = Object.entries(saved).filter(([code]) => !written.some((field) => field.code === code));
  const given = written.flatMap(({ code }) => {
    const text = textIn(entry, `vehicle.${code}`);
    return text === '' ? [] : [[code, text] as const];
  });
  return Object.fromEntries([...kept, ...given]);
}

/**
 * Reads numbers of certificates, and of a licence of another federation, which brings the athlete's own permission. Numbers that the saved
 * registration has are read as they are saved.
 */
function readPapers(
  entry: Entry,
  { licences, papers }: OwnRecords,
  { profileId, saved }: { profileId: number | null; saved: RegistrationRecord | null },
  problems: RowProblems,
): Partial<Pick<Content, 'application_ids' | 'document_ids'>> {
  // Without an athlete no number is right or wrong.
  if (entry.cells['licence_number'] === undefined || profileId === null) return {};
  // As the template shows it: papers without a number stay too.
  if (saved !== null && textIn(entry, 'licence_number') === licencesIn(saved)) return {};
  const own = [...(saved?.licences ?? []), ...licences.filter((licence) => licence.profileId === profileId)];
  const foreign = papers.filter((paper) => paper.profileId === profileId);
  const savedForeign = (saved?.documents ?? []).filter(({ isAttached, type }) => isAttached && type === foreignLicence);
  const applicationIds: number[] = [];
  const documentIds: number[] = [];
  for (const written of partsOf(textIn(entry, 'licence_number'), ',')) {
    const isWritten = ({ number }: { number: string | null }) => number?.toUpperCase() === written.toUpperCase();
    const licence = own.find(isWritten);
    const paper = foreign.find((each) => each.type === foreignLicence && isWritten(each));
    if (licence !== undefined) applicationIds.push(licence.applicationId);
    else if (saved !== null && savedForeign.some(isWritten)) documentIds.push(...saved.papers.map(({ id }) => id));
    else if (paper !== undefined)
      documentIds.push(paper.id, ...foreign.filter(({ type }) => type === 'naf_permission').map(({ id }) => id));
    else {
      const allowed = [...own, ...foreign.filter(({ type }) => type === foreignLicence)].map(({ number }) => number ?? '');
      const message = withAllowed('is not the number of a certificate or licence of this athlete', [...new Set(allowed)]);
      problems.add('licence_number', 'not_found', message);
    }
  }
  return { application_ids: [...new Set(applicationIds)], document_ids: [...new Set(documentIds)] };
}

/** Lists the numbers of the certificates, and of the attached licence of another federation. */
export function licencesIn({ licences, documents }: RegistrationRecord): string {
  const foreign = documents.filter(({ isAttached, type }) => isAttached && type === foreignLicence);
  return [...licences, ...foreign].flatMap(({ number }) => number ?? []).join(', ');
}

const foreignLicence = 'foreign_naf_license';

/** Reads `Role: athlete; Role: athlete`; the athlete by name or by the number of the registration. */
function readCrew(
  entry: Entry,
  records: OwnRecords,
  row: { chosen: string | null; saved: RegistrationRecord | null },
  problems: RowProblems,
): Partial<Pick<Content, 'crew'>> {
  if (entry.cells['crew'] === undefined) return {};
  const { roles } = records.settings.crew;
  const crew = partsOf(textIn(entry, 'crew'), ';').flatMap((part) => {
    const { role: writtenRole, member } = memberOf(part);
    const role = roles.find((known) => plainTitle(known) === plainTitle(writtenRole));
    if (role === undefined) {
      problems.add('crew', 'unknown_role', withAllowed('must have a role of the event before a colon', roles));
      return [];
    }
    const registrationId = findMember({ role, member }, records, row);
    if (registrationId !== null) return [{ role, registration_id: registrationId }];
    problems.add('crew', 'not_found', `the "${role}" is not one registration of this account for the event; its number names any other`);
    return [];
  });
  return { crew };
}

function findMember(
  { role, member }: { role: string; member: string },
  { athletes, registrations, members }: OwnRecords,
  { chosen, saved }: { chosen: string | null; saved: RegistrationRecord | null },
): number | null {
  const number = readInteger({ kind: 'text', text: member });
  if (number !== null) return number;
  const kept = saved?.crew.find((each) => each.role === role && members.get(each.registrationId) === member);
  if (kept !== undefined) return kept.registrationId;
  const ids = new Set(athletes.get(member)?.map(({ id }) => id));
  const own = [...registrations.values()].filter(({ profile }) => ids.has(profile.id));
  const ofClass = own.filter(({ registration }) => registration.class === chosen);
  const fitting = ofClass.length > 0 ? ofClass : own;
  return fitting.length === 1 ? (fitting[0]?.id ?? null) : null;
}

/** Splits a member into role and athlete. */
export function memberOf(part: string): { role: string; member: string } {
  const at = part.indexOf(':');
  return at < 0 ? { role: '', member: part.trim() } : { role: part.slice(0, at).trim(), member: part.slice(at + 1).trim() };
}

export function partsOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
