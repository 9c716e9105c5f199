import type { Application } from '../../src/areas/applications/entities.ts';
import type { Document } from '../../src/areas/documents/entities.ts';
import type { Profile } from '../../src/areas/profiles/entities.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { TestClient } from './client.ts';
import { type Service, stepsThroughApi } from './factories/api.ts';
import { insertMember, type Member, stepsByRecord } from './factories/record.ts';

export { approve, topUp } from './factories/api.ts';
export { insertPeople, openRecord } from './factories/people.ts';
export type { InsertedPerson, InsertOptions } from './factories/people.ts';
export type { Member } from './factories/record.ts';

/**
 * Records that tests begin with: a person, a file, a profile, a document, an application in any state, by one call each. Each call makes the
 * parents that it needs and nothing else.
 *
 * `fixturesOf(api)` and `fixturesIn(platform)` write people, files, profiles and documents as rows, with the decisions of their reviews, and
 * run the commands of money and applications. Rows have no audit, no notification and no process; the sweeper starts a process that a row
 * needs. `fixturesByRequests(service)` sends the requests of people instead, for tests of what follows from them and for services in other
 * processes. Many people at once: `insertPeople`.
 */
export interface Fixtures<Person> {
  /** A new account. */
  person(name?: string): Promise<Person>;
  /** The one who reviews for these fixtures; the same each time. */
  administrator(): Promise<Person>;
  /** A file in storage; `text` makes a scan differ from others. @returns its id */
  file(owner: Person, content: 'photo' | 'scan', text?: string): Promise<string>;
  /** A profile with a photo, a draft by default. @returns its id */
  profile(owner: Person, options?: ProfileOptions): Promise<number>;
  /** A document with a scan, which waits for its review by default. @returns its id */
  document(owner: Person, profileId: number, options?: DocumentOptions): Promise<number>;
  /** Puts money into a wallet, tiyn. */
  money(owner: Person, amountMinor: number): Promise<void>;
  /** All that a national certificate of category A asks of a grown-up, approved. */
  athlete(owner: Person, options?: AthleteOptions): Promise<Athlete>;
  /** An application with what it stands on, a draft by default. Its price is put into the wallet before it is paid. */
  application(owner: Person, options?: ApplicationOptions): Promise<MadeApplication>;
}

export interface ProfileOptions {
  /** Of the data and of the photo. */
  status?: 'draft' | 'pending' | 'approved';
  /** Instead of fields of `athleteData`, or beside them. */
  data?: Record<string, unknown>;
  /** Columns of the row, not by `fixturesByRequests`. */
  columns?: Partial<Profile>;
}

export interface DocumentOptions {
  /** `medical` when nothing is said. */
  type?: Document['type'];
  status?: 'pending' | 'approved' | 'changes' | 'cancelled';
  /** The last day, `YYYY-MM-DD`; null: it never ends. */
  expiresAt?: string | null;
  /** Columns of the row, not by `fixturesByRequests`. */
  columns?: Partial<Document>;
}

export interface AthleteOptions {
  profile?: ProfileOptions;
  medical?: DocumentOptions;
}

/** What an application stands on. */
export interface Athlete {
  profileId: number;
  /** The identity document and the medical one, in this order. */
  documentIds: number[];
}

export interface ApplicationOptions extends AthleteOptions {
  /** `approved`: paid, and decided where a decision is needed. */
  status?: 'draft' | 'submitted' | 'changes' | 'cancelled' | 'approved';
  /** The national certificate of category A when nothing is said. */
  serviceId?: number;
  /** What it stands on; a new athlete of its owner's when nothing is said. */
  on?: Athlete;
  /** The application's own data, such as `discipline_id`. */
  data?: Record<string, unknown>;
  /** Columns of the row, not by `fixturesByRequests`. */
  columns?: Partial<Application>;
}

export interface MadeApplication extends Athlete {
  id: number;
}

/** An application that is about to be opened. */
export interface Draft extends Athlete {
  serviceId: number;
  data: Record<string, unknown>;
}

/** The data of every athlete. */
export const athleteData = {
  last_name: 'Әбдіқадырұлы',
  first_name: 'Ғалым',
  birth_date: '1990-05-17',
  gender: 'male',
  citizenship: 'KZ',
  city: 'Өскемен',
};

/** What each way does by itself; the rest is made of it. */
export interface Steps<Person> extends Omit<Fixtures<Person>, 'athlete' | 'application'> {
  open(owner: Person, draft: Draft): Promise<{ id: number; amountMinor: number }>;
  submit(owner: Person, applicationId: number): Promise<void>;
  pay(owner: Person, applicationId: number): Promise<void>;
  /** An administrator's decision; to approve what is approved already does nothing. */
  decide(owner: Person, applicationId: number, decision: 'approve' | 'changes' | 'cancel'): Promise<void>;
  /** Puts columns into the row of an application. */
  overwrite(applicationId: number, columns: Partial<Application>): Promise<void>;
}

/** Fixtures of a service in this process; a person is signed in. */
export function fixturesOf(service: Pick<Service, 'user' | 'administrator'> & { platform: Platform }): Fixtures<TestClient> {
  return fixturesBy(
    stepsByRecord(service.platform, { person: (name) => service.user(name), administrator: () => service.administrator() }),
  );
}

/** Fixtures in the database of a platform, without a service. */
export function fixturesIn(platform: Platform): Fixtures<Member> {
  return fixturesBy(
    stepsByRecord(platform, {
      person: (name) => insertMember(platform, 'user', name),
      administrator: () => insertMember(platform, 'administrator'),
    }),
  );
}

/** Fixtures of a running service by the requests of people, with all that follows from them. */
export function fixturesByRequests(service: Service): Fixtures<TestClient> {
  return fixturesBy(stepsThroughApi(service));
}

function fixturesBy<Person>(steps: Steps<Person>): Fixtures<Person> {
  const { person, administrator, file, profile, document, money } = steps;
  const athlete = async (owner: Person, options: AthleteOptions = {}): Promise<Athlete> => {
    const usual = { status: 'approved', expiresAt: '2034-01-10' } as const;
    const profileId = await profile(owner, { status: 'approved', ...options.profile });
    const identityId = await document(owner, profileId, { ...usual, type: 'identity' });
    const medicalId = await document(owner, profileId, { ...usual, type: 'medical', ...options.medical });
    return { profileId, documentIds: [identityId, medicalId] };
  };
  const application = async (owner: Person, options: ApplicationOptions = {}): Promise<MadeApplication> => {
    const { serviceId = 1, data = {}, status = 'draft', on = await athlete(owner, options), columns } = options;
    const opened = await steps.open(owner, { ...on, serviceId, data });
    await bring(steps, owner, opened, status);
    if (columns !== undefined) await steps.overwrite(opened.id, columns);
    return { id: opened.id, ...on };
  };
  return { person, administrator, file, profile, document, money, athlete, application };
}

async function bring<Person>(
  { submit, money, pay, decide }: Steps<Person>,
  owner: Person,
  { id, amountMinor }: { id: number; amountMinor: number },
  status: NonNullable<ApplicationOptions['status']>,
): Promise<void> {
  if (status === 'draft') return;
  await submit(owner, id);
  if (status === 'submitted') return;
  if (status === 'changes') return decide(owner, id, 'changes');
  if (status === 'cancelled') return decide(owner, id, 'cancel');
  if (amountMinor > 0) {
    await money(owner, amountMinor);
    await pay(owner, id);
  }
  await decide(owner, id, 'approve');
}
