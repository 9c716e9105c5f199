import type { Profile, Service } from './auditor/applications/application-records.ts';
import { addDays } from './auditor/days.ts';
import { makeDocument, makePhoto } from './papers.ts';
import { giveMoney } from './steps/organizers/organizer-acts.ts';
import type { Person, World } from './world.ts';

/** More than any certificate costs. */
const givenTiyn = 6_000_000;

export interface Certifying {
  service: Service;
  disciplineId: number | undefined;
  /** The current year when absent. */
  year?: number;
  /** Days until the papers end. */
  days: number;
  /** The papers are left to the clerks of the life, and the application waits for them. */
  isHasty?: boolean;
}

/**
 * Does all that leads an athlete to a certificate, as a careful athlete and a quick clerk would. Stops where the registry refuses.
 * @returns the application; null when it is refused
 */
export async function certify(
  world: World,
  owner: Person,
  profile: Profile,
  { service, disciplineId, year, days, isHasty = false }: Certifying,
): Promise<number | null> {
  await bringInOrder(world, owner, profile);
  const documents: number[] = [];
  for (const { types, onlyMinors } of service.required) {
    if (onlyMinors && !isMinor(profile, world.auditor.inquiry.today)) continue;
    const id = await makeDocument(world, owner, profile.id, types[0] ?? '', addDays(world.auditor.inquiry.today, days));
    if (id === null) continue;
    if (!isHasty) await approve(world, 'document', id);
    documents.push(id);
  }
  const body = {
    profile_id: profile.id,
    service_id: service.id,
    document_ids: documents,
    data: disciplineId === undefined ? {} : { discipline_id: disciplineId },
    ...(year === undefined ? {} : { year }),
  };
  const made = await world.call(owner, 'POST /applications', { body });
  if (made.status !== 201) return null;
  const { id } = made.data;
  await giveMoney(world, owner, givenTiyn);
  await world.call(owner, 'POST /applications/{id}/submit', { params: { id } });
  await world.call(owner, 'POST /applications/{id}/pay', { params: { id } });
  return id;
}

/** Sends a paper and has it approved. @returns its id; null when it is refused */
export async function approvedDocument(world: World, owner: Person, profileId: number, type: string, days: number): Promise<number | null> {
  const id = await makeDocument(world, owner, profileId, type, addDays(world.auditor.inquiry.today, days));
  if (id !== null) await approve(world, 'document', id);
  return id;
}

export async function bringInOrder(world: World, owner: Person, profile: Profile): Promise<void> {
  if (profile.photo === null || profile.photo.status === 'cancelled') {
    const photoId = await makePhoto(world, owner);
    await world.call(owner, 'PATCH /profiles/{id}', { params: { id: profile.id }, body: { photo_id: photoId } });
  }
  const isUnsent = [profile.data, profile.photo].some((part) => part?.status === 'draft');
  if (isUnsent) await world.call(owner, 'POST /profiles/{id}/submit', { params: { id: profile.id } });
  if (profile.data.status === 'pending') await approve(world, 'profile', profile.id);
  if (profile.photo?.status === 'pending') await approve(world, 'photo', profile.id);
}

function isMinor({ birthDate }: Profile, today: string): boolean {
  return birthDate !== null && Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4)) <= 18;
}

export async function approve(world: World, kind: string, id: number): Promise<void> {
  await world.call(world.administrator, 'POST /admin/review', { body: { kind, id, decision: 'approve' } });
}
