import { isDeepStrictEqual } from 'node:util';
import { followTouched } from '../applications/applications.ts';
import { serviceOf } from '../applications/readiness.ts';
import { type Area, touchedIds } from '../area.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Application, Profile } from '../applications/application-records.ts';
import type { Model } from '../model.ts';

const standings = ['issued', 'pending', 'not_issued'] as const;

interface ListedAthlete {
  id: number;
  status: string;
  photo_status: string;
  city: string | null;
  phone: string | null;
  owner: { id: number };
  certificate: { issued: boolean; number: string | null; valid_from: string | null; valid_until: string | null };
  latest_application: { id: number; service_id: number; status: string } | null;
  counters: { documents: number; applications: number };
}

/** The administrators' list of athletes, with their certificates of the present year (ADM-2, APP-21). */
export const athletesArea: Area = {
  read(model, { operation, query, bytes }) {
    if (operation !== 'GET /admin/export' || !query.includes('format=csv')) return;
    const [, ...lines] = bytes.toString().trim().split(/\r?\n/);
    const expected = athletesOf(model).map(({ id }) => id);
    const exported = lines.map((line) => Number(line.split(',')[0]));
    if (!isDeepStrictEqual(expected, exported))
      throw new Finding('an export has a row of each athlete, newest first (ADM-6)', expected, exported);
  },

  async ask(inquiry, touched) {
    const ids = (['profile', 'document', 'application'] as const).flatMap((kind) => touchedIds(touched, kind));
    const [first] = ids;
    if (first === undefined) return;
    let followed = touched;
    await inquiry.eventually(async () => {
      await followTouched(inquiry, followed);
      // The list shows the others too.
      followed = inquiry.model.everything();
      await askList(inquiry);
      await askStanding(inquiry, standings[first % standings.length] ?? 'issued');
    });
  },

  async askAll(inquiry) {
    for (const standing of standings) await askStanding(inquiry, standing);
    for (const { certificate, profileId } of inquiry.model.applications.values()) {
      if (!certificate || inquiry.model.profiles.get(profileId)?.kind !== 'athlete') continue;
      const found = await inquiry.listed<ListedAthlete>('GET /admin/athletes', `?q=${certificate.number}`);
      inquiry.same(
        `the athlete of certificate ${certificate.number} is found by its number (ADM-2)`,
        [profileId],
        found.map(({ id }) => id),
      );
    }
  },
};

async function askList({ model, today, listed, same }: Inquiry): Promise<void> {
  const year = Number(today.slice(0, 4));
  const rows = await listed<ListedAthlete>('GET /admin/athletes');
  const expected = athletesOf(model).map((profile) => expectedRow(model, profile, year));
  same('the list of athletes shows each as it stands, newest first (ADM-2)', expected, rows.map(shownRow));
}

async function askStanding({ model, today, listed, same }: Inquiry, standing: (typeof standings)[number]): Promise<void> {
  const year = Number(today.slice(0, 4));
  const rows = await listed<ListedAthlete>('GET /admin/athletes', `?certificate=${standing}`);
  const expected = athletesOf(model).filter((profile) => standingOf(model, profile, year) === standing);
  same(
    `the list of athletes whose certificate of this year is ${standing} (ADM-2)`,
    expected.map(({ id }) => id),
    rows.map(({ id }) => id),
  );
}

export function athletesOf({ profiles }: Model): Profile[] {
  return [...profiles.values()].filter(({ kind }) => kind === 'athlete').toSorted((left, right) => right.id - left.id);
}

function expectedRow(model: Model, { id, ownerId, data, photo, fields }: Profile, year: number) {
  const applications = applicationsOf(model, id);
  const latest = applications.at(-1);
  return {
    id,
    status: data.status,
    photo_status: photo?.status ?? 'draft',
    city: fields['city'] ?? null,
    phone: fields['phone'] ?? null,
    owner_id: ownerId,
    number: issuedIn(model, id, year).at(-1)?.certificate?.number ?? null,
    latest_application: latest ? { id: latest.id, service_id: latest.serviceId, status: latest.status } : null,
    documents: model.documents.values().reduce((count, { profileId }) => count + (profileId === id ? 1 : 0), 0),
    applications: applications.length,
  };
}

function shownRow(row: ListedAthlete) {
  const { id, status, photo_status, city, phone, owner, certificate, latest_application, counters } = row;
  return { id, status, photo_status, city, phone, owner_id: owner.id, number: certificate.number, latest_application, ...counters };
}

/** By the national certificates of a year: one that is not annulled, else an application that waits for one (ADM-2). */
function standingOf(model: Model, { id }: Profile, year: number): (typeof standings)[number] {
  if (issuedIn(model, id, year).length > 0) return 'issued';
  const waiting = nationalOf(model, id, year).some(({ status }) => status === 'submitted' || status === 'changes');
  return waiting ? 'pending' : 'not_issued';
}

/** National certificates of a year that count as issued (APP-21). */
function issuedIn(model: Model, profileId: number, year: number): Application[] {
  return nationalOf(model, profileId, year).filter(({ certificate, status }) => certificate !== null && status !== 'cancelled');
}

function nationalOf(model: Model, profileId: number, year: number): Application[] {
  return applicationsOf(model, profileId).filter(
    (application) => application.year === year && serviceOf(model, application).kind === 'national_certificate',
  );
}

function applicationsOf({ applications }: Model, profileId: number): Application[] {
  return [...applications.values()].filter((application) => application.profileId === profileId).toSorted((a, b) => a.id - b.id);
}
