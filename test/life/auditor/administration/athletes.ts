import { isDeepStrictEqual } from 'node:util';
import { followTouched } from '../applications/applications.ts';
import { serviceOf } from '../applications/readiness.ts';
import { type Area, touchedIds } from '../area.ts';
import type { Exchange } from '../exchange.ts';
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
    // Which certificate stands a process may change at any time.
    if (operation !== 'GET /admin/export' || !query.includes('format=csv') || query.includes('certificate=')) return;
    const expected = athletesFor(model, query, 0).map(({ id }) => id);
    const exported = exportedIds(bytes);
    if (!isDeepStrictEqual(expected, exported))
      throw new Finding(`the export ${query} has a row of each athlete that it names, newest first (ADM-6)`, expected, exported);
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
      await askFiltered(inquiry, filterOf(inquiry.model, first));
    });
    const issued = touchedIds(touched, 'application').find((id) => inquiry.model.applications.get(id)?.certificate);
    if (issued !== undefined) await askByNumber(inquiry, issued);
  },

  async askAll(inquiry) {
    for (const standing of standings) await askFiltered(inquiry, `certificate=${standing}`);
    for (const id of inquiry.model.applications.keys()) await askByNumber(inquiry, id);
  },
};

/** An athlete and the account are found by the number of a certificate (ADM-2). */
async function askByNumber({ model, listed, same }: Inquiry, id: number): Promise<void> {
  const { certificate, profileId = 0 } = model.applications.get(id) ?? {};
  const profile = model.profiles.get(profileId);
  if (!certificate || !profile) return;
  const found = async (list: string) => (await listed<{ id: number }>(list, `?q=${certificate.number}`)).map((row) => row.id);
  if (profile.kind === 'athlete')
    same(
      `the athlete of certificate ${certificate.number} is found by its number (ADM-2)`,
      [profileId],
      await found('GET /admin/athletes'),
    );
  same(
    `the account of certificate ${certificate.number} is found by its number (ADM-2)`,
    [profile.ownerId],
    await found('GET /admin/users'),
  );
}

async function askList({ model, today, listed, same }: Inquiry): Promise<void> {
  const year = Number(today.slice(0, 4));
  const rows = await listed<ListedAthlete>('GET /admin/athletes');
  const expected = athletesOf(model).map((profile) => expectedRow(model, profile, year));
  same('the list of athletes shows each as it stands, newest first (ADM-2)', expected, rows.map(shownRow));
}

/** One filter of the list, as the first touched record chooses it. */
function filterOf(model: Model, chosen: number): string {
  const athletes = athletesOf(model);
  const { data, fields } = athletes[chosen % athletes.length] ?? {};
  const name = String(fields?.['last_name']);
  const others = data ? [`status=${data.status}`, `q=${encodeURIComponent(name)}`] : [];
  const filters = [...standings.map((standing) => `certificate=${standing}`), ...others];
  return filters[chosen % filters.length] ?? '';
}

/** The list and its export keep the athletes that a filter names. */
async function askFiltered({ model, today, listed, asAdministrator, same }: Inquiry, filter: string): Promise<void> {
  const expected = athletesFor(model, filter, Number(today.slice(0, 4))).map(({ id }) => id);
  const rows = await listed<ListedAthlete>('GET /admin/athletes', `?${filter}`);
  const seen = rows.map(({ id }) => id);
  same(`the list of athletes with ${filter} (ADM-2)`, expected, seen);
  const { bytes } = await asAdministrator('GET /admin/export', { query: `?kind=athletes&format=csv&${filter}` });
  same(`the export of athletes with ${filter} has the rows of the list (ADM-6)`, expected, exportedIds(bytes));
}

/** The athletes that the filters of a query name. */
export function athletesFor(model: Model, query: string, year: number): Profile[] {
  const filters = new URLSearchParams(query);
  const [status, certificate, words] = ['status', 'certificate', 'q'].map((name) => filters.get(name));
  return athletesOf(model).filter(
    (profile) =>
      (!status || profile.data.status === status) &&
      (!certificate || standingOf(model, profile, year) === certificate) &&
      (!words || String(profile.fields['last_name']).includes(words)),
  );
}

const linesOf = (csv: Buffer) => csv.toString().trim().split(/\r?\n/).slice(1);
const exportedIds = (csv: Buffer) => linesOf(csv).map((line) => Number(line.split(',')[0]));

/** What the audit must have of an export: its number of rows, and its filters without the text of a search (ADM-6). */
export function exportFactsOf(model: Model, { query, bytes }: Exchange): Record<string, unknown> {
  const filters = new URLSearchParams(query);
  const count = filters.get('format') === 'csv' ? linesOf(bytes).length : athletesFor(model, query, 0).length;
  return { count, status: filters.get('status') ?? undefined, certificate: filters.get('certificate') ?? undefined };
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
