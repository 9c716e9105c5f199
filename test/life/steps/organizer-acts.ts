import { makeScan } from '../../support/papers/scans.ts';
import { makePdf } from '../papers.ts';
import type { Person, World } from '../world.ts';

/** What organizers do in several steps. Each returns null, or does nothing, when the registry refuses. */

/** @param fields instead of the usual ones */
export async function makeEvent(world: World, owner: Person, profileId: number, fields: Record<string, unknown>): Promise<number | null> {
  const service = [...world.auditor.model.services.values()].find(({ kind }) => kind === 'event_fee');
  const body = {
    profile_id: profileId,
    service_id: service?.id,
    discipline_id: service?.disciplineIds[0],
    title: 'Алатау ралли',
    location: 'Алматы',
    ...fields,
  };
  const made = await world.call(owner, 'POST /events', { body });
  return made.status === 201 ? made.data.id : null;
}

export async function makeContract(world: World, owner: Person, eventId: number): Promise<number | null> {
  const made = await world.call(owner, 'POST /contracts', { body: { event_id: eventId, data: {} } });
  return made.status === 201 ? made.data.id : null;
}

/** Sends a scan of all pages of the agreement, which differs from every other. */
export async function sendScan(world: World, owner: Person, contractId: number): Promise<void> {
  const pages = world.auditor.model.contracts.get(contractId)?.pages ?? 1;
  const bytes = await makeScan(`The signed agreement ${contractId}, sent as request ${world.exchanges.length}`, pages);
  await world.call(owner, 'POST /contracts/{id}/scan', { params: { id: contractId }, file: { bytes, name: 'signed.pdf', pages } });
}

export async function attachFile(world: World, owner: Person, eventId: number, stage: 'regulations' | 'results'): Promise<void> {
  const fileId = await makePdf(world, owner, `${stage} of event ${eventId}, made as request ${world.exchanges.length}`);
  if (fileId === null) return;
  await world.call(owner, 'PATCH /events/{id}', { params: { id: eventId }, body: { stage, files: { [stage]: fileId } } });
}
