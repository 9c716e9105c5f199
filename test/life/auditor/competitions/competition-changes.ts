import type { Event, Intake, StageName } from './competition-records.ts';

/** A changed or new event, as it is sent. */
export interface Change {
  title?: string;
  location?: string;
  starts_at?: string;
  ends_at?: string;
  reserve_at?: string | null;
  discipline_id?: number;
  service_id?: number;
  stage?: StageName;
  files?: Partial<Record<StageName, string>>;
}

type Content = Pick<Event, 'title' | 'location' | 'startsAt' | 'endsAt' | 'reserveAt' | 'disciplineId' | 'serviceId'>;

/** The fields that were sent; an absent one stays as it is. */
export function changeOf(sent: Change): Partial<Content> {
  const fields = {
    title: sent.title,
    location: sent.location,
    startsAt: sent.starts_at === undefined ? undefined : instantOf(sent.starts_at, 'first'),
    endsAt: sent.ends_at === undefined ? undefined : instantOf(sent.ends_at, 'last'),
    reserveAt: sent.reserve_at === undefined ? undefined : instantOf(sent.reserve_at, 'last'),
    disciplineId: sent.discipline_id,
    serviceId: sent.service_id,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** An instant in milliseconds; a day alone is its first or last second in UTC+5. */
export function instantOf(text: string | null, side: 'first' | 'last'): number | null {
  if (text === null) return null;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Date.parse(`${text}T${side === 'first' ? '00:00:00' : '23:59:59'}+05:00`);
  return Math.floor(Date.parse(text) / 1000) * 1000;
}

/** A class with its places (EVT-22). */
export interface SentClass {
  name: string;
  capacity?: number | null;
  waiting_list?: boolean;
  offer_hours?: number;
}

export interface SentSettings {
  opens_at?: string | null;
  closes_at?: string | null;
  classes: (string | SentClass)[];
  crew?: Intake['crew'];
  vehicle_fields?: Intake['vehicleFields'];
  columns?: string[];
}

/** All settings are replaced; an absent one gets its default. */
export function intakeOf({ opens_at: opensAt, closes_at: closesAt, classes, crew, vehicle_fields: fields, columns }: SentSettings): Intake {
  return {
    opensAt: instantOf(opensAt ?? null, 'first'),
    closesAt: instantOf(closesAt ?? null, 'last'),
    classes: classes.map((one) => (typeof one === 'string' ? one : one.name)),
    limits: limitsOf(classes),
    crew: crew ?? { roles: [], min: 0, max: 0 },
    vehicleFields: fields ?? [],
    columns: columns ?? ['start_number', 'name', 'class'],
  };
}

/** A bare string is a class without limit (EVT-22). */
function limitsOf(classes: SentSettings['classes']): Intake['limits'] {
  const sent = classes.map((one): SentClass => (typeof one === 'string' ? { name: one } : one));
  return Object.fromEntries(
    sent.map(({ name, capacity = null, waiting_list: waitingList = false, offer_hours: offerHours = 48 }) => [
      name,
      { capacity, waitingList, offerHours },
    ]),
  );
}
