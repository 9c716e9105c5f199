import type { Profile } from '../applications/application-records.ts';
import type { Event } from '../competitions/competition-records.ts';
import type { Model } from '../model.ts';
import { daysOf, fits } from '../registrations/eligibility.ts';
import type { Registration } from '../registrations/registration-records.ts';
import type { Row } from '../registrations/registration-rows.ts';
import { athleteOf, eventOf, isLive, registrationsOf } from '../registrations/registrations-of.ts';
import { folded, type Line, linesOf, mayBeSame, type SentSheet } from './sheet.ts';

/** What a row of a sheet of registrations means (IMP-2). */
export interface ReadRow {
  line: Line;
  /**
   * `batch`: it is judged as the row of a batch. `open`: so it is, unless the registry refuses its licence, which the rules leave open.
   */
  means: 'refused' | 'left_out' | 'unchanged' | 'batch' | 'open';
  /** Fields that are wrong; the whole row is the empty one. */
  wrong: string[];
  /** The registration that it means; null for a new one. */
  saved: Registration | null;
  /** As the batch takes it, where it is clear whom the row means. */
  sent: Row | null;
}

const isFilled = (texts: Line['texts'], field: string) => (texts[field] ?? '') !== '';

function keyOf(texts: Line['texts']): string | null {
  if (isFilled(texts, 'registration_id')) return `registration ${texts['registration_id']}`;
  if (!isFilled(texts, 'name')) return null;
  return ['name', 'birth_date', 'phone', 'licence_number', 'class'].map((field) => (texts[field] ?? '').toLowerCase()).join('\n');
}

/** Reads the rows of a sheet by what is saved now. */
export function readRegistrationSheet(model: Model, sheet: SentSheet, eventId: number, accountId: number): ReadRow[] {
  const reader = new Reader(model, eventOf(model, eventId), accountId, sheet.mode !== 'draft');
  return linesOf(sheet, keyOf).map((line) => reader.read(line));
}

class Reader {
  readonly #model: Model;
  readonly #event: Event;
  readonly #own: readonly Registration[];
  readonly #athletes: readonly Profile[];
  readonly #isSubmitted: boolean;

  constructor(model: Model, event: Event, accountId: number, isSubmitted: boolean) {
    this.#model = model;
    this.#event = event;
    this.#isSubmitted = isSubmitted;
    this.#own = registrationsOf(model, event.id).filter((one) => athleteOf(model, one) === accountId);
    this.#athletes = [...model.profiles.values()].filter(({ ownerId, kind }) => ownerId === accountId && kind === 'athlete');
  }

  read(line: Line): ReadRow {
    const { texts } = line;
    if (line.isRepeated) return { line, means: 'refused', wrong: [''], saved: null, sent: null };
    if (isLeftOut(texts)) return { line, means: 'left_out', wrong: [], saved: null, sent: null };
    const wrong: string[] = [];
    const named = this.#named(texts, wrong);
    const profile = named === undefined ? null : named === null ? this.#athlete(texts, wrong) : this.#profileOf(named);
    const chosen = named === undefined ? null : this.#class(line, named, profile, wrong);
    const saved = named ?? this.#living(profile, chosen);
    const papers = this.#papers(texts, profile, saved, wrong);
    const crew = this.#crew(texts, chosen, saved, wrong);
    if (wrong.length > 0 || profile === null || chosen === null) return { line, means: 'refused', wrong, saved, sent: null };
    const content = { class: chosen, vehicle: this.#vehicle(texts, saved), ...papers.content, crew };
    const isOpen = saved?.status === 'draft' || saved?.status === 'returned';
    const isUnchanged = saved !== null && textOf(content) === textOf(contentOf(saved)) && !(isOpen && this.#isSubmitted);
    if (isUnchanged && !papers.isOpen) return { line, means: 'unchanged', wrong, saved, sent: null };
    const { application_ids: licences, ...rest } = content;
    const sent: Row = {
      ...(saved === null ? {} : { id: saved.id }),
      profile_id: profile.id,
      ...rest,
      ...(licences.length === 0 ? {} : { application_ids: licences }),
    };
    return { line, means: papers.isOpen ? 'open' : 'batch', wrong, saved, sent };
  }

  #profileOf({ profileId }: Registration): Profile | null {
    return this.#model.profiles.get(profileId) ?? null;
  }

  /** The registration of the number; null without a number, undefined for a number that is not the account's for the event. */
  #named(texts: Line['texts'], wrong: string[]): Registration | null | undefined {
    if (!isFilled(texts, 'registration_id')) return null;
    const found = this.#own.find(({ id }) => String(id) === texts['registration_id']);
    if (!found) wrong.push('registration_id');
    const isOther = found && isFilled(texts, 'name') && !this.#namesakes(texts['name']).some(({ id }) => id === found.profileId);
    if (isOther) wrong.push('name');
    return found;
  }

  #namesakes(name = ''): Profile[] {
    return this.#athletes.filter((one) => folded(nameOf(one)) === folded(name));
  }

  #athlete(texts: Line['texts'], wrong: string[]): Profile | null {
    const day = dayOfText(texts['birth_date'] ?? '');
    if (day === undefined) return refuse('birth_date', wrong);
    const numbers = new Set(partsOf(texts['licence_number'], ',').map(upper));
    const namesakes = this.#namesakes(texts['name']);
    if (namesakes.length === 0) {
      const named = this.#athletes.filter(({ id }) => this.#licencesOf(id).some((one) => one.isFitting && numbers.has(upper(one.number))));
      const [holder, another] = named;
      const isHolder = holder !== undefined && another === undefined && mayBeSame(texts['name'] ?? '', nameOf(holder));
      return isHolder ? holder : refuse('name', wrong);
    }
    const ofDay = namesakes.filter(({ birthDate }) => day === null || birthDate === null || birthDate === day);
    if (ofDay.length === 0) return refuse('birth_date', wrong);
    const phone = digitsOf(texts['phone']);
    const ofPhone = ofDay.filter(({ fields }) => phone === '' || digitsOf(fields['phone']) === '' || digitsOf(fields['phone']) === phone);
    if (ofPhone.length === 0) return refuse('phone', wrong);
    const isHolder = ({ id }: Profile) => this.#licencesOf(id).some(({ number }) => numbers.has(upper(number)));
    const holders = ofPhone.filter(isHolder);
    const [fitting, other] = holders.length === 1 ? holders : ofPhone;
    return other === undefined ? (fitting ?? null) : refuse('name', wrong);
  }

  /** The class of the cell, of the sheet's name, of the registration that is meant, or the only one. */
  #class({ texts, sheet }: Line, named: Registration | null, profile: Profile | null, wrong: string[]): string | null {
    const classes = this.#event.settings?.classes ?? [];
    const ofSheet = classes.find((name) => name.replaceAll('/', '_') === sheet) ?? '';
    const written = texts['class'] ?? ofSheet;
    if (written === '') {
      if (named) return named.class;
      const [only, another] = classes;
      if (only !== undefined && another === undefined) return only;
      const [living, second] = this.#own.filter((one) => isLive(one) && one.profileId === profile?.id);
      if (living && second === undefined) return living.class;
      return refuse('class', wrong);
    }
    const found = classes.find((name) => name.toLowerCase() === written.toLowerCase());
    if (found !== undefined) return found;
    const saved = named ?? this.#living(profile, written);
    return saved?.class === written ? written : refuse('class', wrong);
  }

  #living(profile: Profile | null, name: string | null): Registration | null {
    return this.#own.find((one) => isLive(one) && one.profileId === profile?.id && one.class === name) ?? null;
  }

  #vehicle(texts: Line['texts'], saved: Registration | null): Record<string, string> {
    const codes = (this.#event.settings?.vehicleFields ?? []).map(({ code }) => code);
    const written = codes.filter((code) => texts[`vehicle.${code}`] !== undefined);
    const kept = Object.entries(saved?.vehicle ?? {}).filter(([code]) => !written.includes(code));
    const given = written.map((code) => [code, texts[`vehicle.${code}`] ?? ''] as const).filter(([, text]) => text !== '');
    return Object.fromEntries([...kept, ...given]);
  }

  /** Certificates of the athlete that fit the event. */
  #licencesOf(profileId: number): { id: number; number: string; isFitting: boolean }[] {
    const event = this.#event;
    const { first, last } = daysOf(event);
    return [...this.#model.applications.values()].flatMap((application) => {
      const { id, certificate } = application;
      if (certificate === null || application.profileId !== profileId) return [];
      const isDated = certificate.validFrom <= last && certificate.validUntil >= first;
      const isFitting = isDated && fits(this.#model, application, { profileId, event, applicationIds: [], paperIds: [] });
      return [{ id, number: certificate.number, isFitting }];
    });
  }

  /** The licences and papers that the numbers of the cell name; `isOpen`: one is a certificate of the athlete that cannot fit. */
  #papers(texts: Line['texts'], profile: Profile | null, saved: Registration | null, wrong: string[]) {
    const before = { application_ids: saved?.applicationIds ?? [], document_ids: saved?.paperIds ?? [] };
    if (texts['licence_number'] === undefined || profile === null) return { content: before, isOpen: false };
    const [applicationIds, documentIds] = [new Set<number>(), new Set<number>()];
    let isOpen = false;
    const { documents } = this.#model;
    const approved = [...documents.values()].filter(({ profileId, status }) => profileId === profile.id && status === 'approved');
    for (const written of partsOf(texts['licence_number'], ',')) {
      const isWritten = (number: string | null | undefined) => number != null && upper(number) === upper(written);
      const licence = this.#licencesOf(profile.id).find(({ number }) => isWritten(number));
      const attached = (saved?.paperIds ?? []).map((id) => documents.get(id)).filter((one) => one?.type === 'foreign_naf_license');
      const paper = approved.find(({ type, fields }) => type === 'foreign_naf_license' && isWritten(fields.number));
      if (licence) {
        applicationIds.add(licence.id);
        isOpen ||= !licence.isFitting && saved?.applicationIds.includes(licence.id) !== true;
      } else if (attached.some((one) => isWritten(one?.fields.number))) for (const id of saved?.paperIds ?? []) documentIds.add(id);
      else if (paper) for (const { id, type } of approved) if (id === paper.id || type === 'naf_permission') documentIds.add(id);
      if (!licence && !paper && !attached.some((one) => isWritten(one?.fields.number))) refuse('licence_number', wrong);
    }
    return { content: { application_ids: [...applicationIds], document_ids: [...documentIds] }, isOpen };
  }

  /** `Role: athlete; Role: number of the registration`. */
  #crew(texts: Line['texts'], chosen: string | null, saved: Registration | null, wrong: string[]): NonNullable<Row['crew']> {
    if (texts['crew'] === undefined) return contentOf(saved).crew;
    const { roles = [] } = this.#event.settings?.crew ?? {};
    return partsOf(texts['crew'], ';').flatMap((part) => {
      const [writtenRole = '', ...rest] = part.split(':');
      const member = rest.join(':').trim();
      const role = roles.find((one) => one.toLowerCase() === writtenRole.trim().toLowerCase());
      const id = role === undefined ? null : this.#member(role, member, chosen, saved);
      if (role !== undefined && id !== null) return [{ role, registration_id: id }];
      refuse('crew', wrong);
      return [];
    });
  }

  #member(role: string, member: string, chosen: string | null, saved: Registration | null): number | null {
    if (/^\d+$/.test(member)) return Number(member);
    const kept = saved?.crew.find((one) => one.role === role && this.#nameOfMember(one.registrationId) === member);
    if (kept) return kept.registrationId;
    const ids = new Set(this.#namesakes(member).map(({ id }) => id));
    const own = this.#own.filter((one) => isLive(one) && ids.has(one.profileId));
    const ofClass = own.filter((one) => one.class === chosen);
    const [only, another] = ofClass.length > 0 ? ofClass : own;
    return another === undefined ? (only?.id ?? null) : null;
  }

  #nameOfMember(registrationId: number): string {
    const profile = this.#model.profiles.get(this.#model.registrations.get(registrationId)?.profileId ?? 0);
    return profile ? nameOf(profile) : '';
  }
}

/** A row that names an athlete and nothing else, as in the template; without a column for the class the name is enough. */
function isLeftOut(texts: Line['texts']): boolean {
  const identity = new Set(['name', 'birth_date', 'phone']);
  return texts['class'] !== undefined && Object.keys(texts).every((field) => identity.has(field) || !isFilled(texts, field));
}

function contentOf(saved: Registration | null) {
  return {
    class: saved?.class ?? '',
    vehicle: saved?.vehicle ?? {},
    application_ids: saved?.applicationIds ?? [],
    document_ids: saved?.paperIds ?? [],
    crew: (saved?.crew ?? []).map(({ role, registrationId }) => ({ role, registration_id: registrationId })),
  };
}

function textOf(content: ReturnType<typeof contentOf>): string {
  const byNumber = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);
  return JSON.stringify([
    content.class,
    Object.entries(content.vehicle).toSorted(([left], [right]) => left.localeCompare(right)),
    byNumber(content.application_ids),
    byNumber(content.document_ids),
    content.crew.map(({ role, registration_id: id }) => `${id} ${role}`).toSorted(),
  ]);
}

export function nameOf({ fields }: Profile): string {
  return [fields['last_name'], fields['first_name'], fields['middle_name']].filter(Boolean).join(' ');
}

/** `31.12.1990` or `1990-12-31`; null for an empty cell, undefined for what is no day. */
function dayOfText(text: string): string | null | undefined {
  if (text === '') return null;
  const [, day = '', month = '', year = ''] = /^(\d\d)\.(\d\d)\.(\d{4})$/.exec(text) ?? [];
  const written = year === '' ? text : `${year}-${month}-${day}`;
  const instant = Date.parse(`${written}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(written) ? written : undefined;
}

function refuse(field: string, wrong: string[]): null {
  wrong.push(field);
  return null;
}

const partsOf = (text = '', separator: string) =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
const upper = (text: string) => text.toUpperCase();
const digitsOf = (text: unknown) => (typeof text === 'string' ? text : '').replaceAll(/\D/g, '').replace(/^8/, '7');
