import { type Area, touchedIds } from '../area.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import { isPlaced } from '../registrations/places.ts';
import type { Profile } from './application-records.ts';

interface Summary {
  id: number;
  status: string;
  photo_status: string;
  counters: Record<string, number>;
}

interface Portfolio {
  documents: { id: number }[];
  applications: { id: number }[];
  certificates: { application_id: number }[];
  participation: { event_id: number }[];
}

/** The owner's compact list of athletes and the dossier of each: they count and list what the records are ("Profiles and documents"). */
export const dossiersArea: Area = {
  async ask(inquiry, touched) {
    const { profiles, documents, applications, registrations } = inquiry.model;
    const [id] = [
      ...touchedIds(touched, 'profile'),
      ...touchedIds(touched, 'document').map((one) => documents.get(one)?.profileId),
      ...touchedIds(touched, 'application').map((one) => applications.get(one)?.profileId),
      ...touchedIds(touched, 'registration').map((one) => registrations.get(one)?.profileId),
    ];
    const profile = profiles.get(id ?? 0);
    if (profile?.kind === 'athlete') await askDossier(inquiry, profile);
  },

  async askAll(inquiry) {
    for (const profile of inquiry.model.profiles.values()) if (profile.kind === 'athlete') await askDossier(inquiry, profile);
  },
};

async function askDossier(inquiry: Inquiry, { id, ownerId }: Profile): Promise<void> {
  const { model, asOwner, eventually, same } = inquiry;
  await eventually(async () => {
    const profile = model.profiles.get(id);
    if (!profile || profile.ownerId !== ownerId) return;
    const [summary, portfolio] = await Promise.all([
      asOwner(ownerId, 'GET /profiles/summary'),
      asOwner(ownerId, 'GET /profiles/{id}/portfolio', { params: { id } }),
    ]);
    if (summary.status !== 200 || portfolio.status !== 200) return;
    const expected = dossierOf(model, profile);
    const row = (summary.data as Summary[]).find((one) => one.id === id);
    same(
      `the list of own athletes shows profile ${id} as it stands`,
      [profile.data.status, profile.photo?.status ?? 'draft'],
      row && [row.status, row.photo_status],
    );
    const counters = Object.fromEntries(Object.entries(expected).map(([name, ids]) => [name, ids.length]));
    same(`the list of own athletes counts the records of profile ${id}`, counters, row?.counters);
    const shown = portfolio.data as Portfolio;
    same(`the dossier of profile ${id} lists its records`, expected, {
      documents: inOrder(shown.documents.map((one) => one.id)),
      applications: inOrder(shown.applications.map((one) => one.id)),
      certificates: inOrder(shown.certificates.map((one) => one.application_id)),
      competitions: inOrder(shown.participation.map((one) => one.event_id)),
    });
  });
}

/** The ids of what belongs to a profile. Only registrations with a place count, and no cancelled competitions. */
function dossierOf({ documents, applications, registrations, participants, events }: Model, { id }: Profile) {
  const own = [...applications.values()].filter(({ profileId }) => profileId === id);
  const registered = registrations.values().filter((one) => one.profileId === id && isPlaced(one));
  const took = participants.values().filter(({ profileId }) => profileId === id);
  const eventIds = new Set([...registered, ...took].map(({ eventId }) => eventId));
  return {
    documents: inOrder([...documents.values()].filter(({ profileId }) => profileId === id).map((one) => one.id)),
    applications: inOrder(own.map((one) => one.id)),
    certificates: inOrder(own.filter(({ certificate }) => certificate !== null).map((one) => one.id)),
    competitions: inOrder([...eventIds].filter((eventId) => events.get(eventId)?.status !== 'cancelled')),
  };
}

const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);
