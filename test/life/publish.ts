import type { Random } from '../support/random.ts';
import type { StageName } from './auditor/competitions/competition-records.ts';
import { addDays } from './auditor/days.ts';
import { wordOf } from './marks.ts';
import { attachFile, giveMoney, makeContract, makeEvent, sendScan, submitStage } from './steps/organizers/organizer-acts.ts';
import { crewAndVehicle } from './steps/licences.ts';
import { weighted } from './steps/step.ts';
import type { Person, World } from './world.ts';

const note = 'Мөр анық емес, қайта жіберіңіз.';

/**
 * Does all that leads a competition from its draft to the intake of registrations, as an organizer and a quick clerk would.
 * @param fields of the competition, beside the usual ones
 * @param detours what the clerk returns first; `changed`: fields that the organizer changes once the agreement is confirmed
 * @returns its id; null when it, or its agreement, is refused
 */
export async function publishEvent(
  world: World,
  random: Random,
  owner: Person,
  profileId: number,
  fields: Record<string, unknown>,
  detours: { scan?: boolean; details?: boolean; changed?: Record<string, unknown> } = {},
): Promise<number | null> {
  const id = await makeEvent(world, owner, profileId, fields);
  const contractId = id === null ? null : await makeContract(world, owner, id);
  if (id === null || contractId === null) return null;
  await sendScan(world, owner, contractId);
  if (detours.scan) {
    await decideScan(world, contractId, { decision: 'reject', reason: note });
    await world.auditor.askAfterStep();
    await sendScan(world, owner, contractId);
  }
  await decideScan(world, contractId, { decision: 'confirm' });
  const change = (body: Record<string, unknown>) => world.call(owner, 'PATCH /events/{id}', { params: { id }, body });
  if (detours.changed) await change(detours.changed);
  await submitStage(world, owner, id, 'details');
  const feeId = world.auditor.model.events.get(id)?.feeId;
  await giveMoney(world, owner, 30_000_000);
  if (feeId) await world.call(owner, 'POST /applications/{id}/pay', { params: { id: feeId } });
  if (detours.details) await returnStage(world, owner, id, 'details');
  if (detours.changed) {
    await change({ title: 'A title that comes too late' });
    await renewAgreement(world, owner, id, contractId);
  }
  await approveStage(world, id, 'details');
  if (detours.changed) await change({ ends_at: `${addDays(world.auditor.inquiry.today, 200)}T18:00:00+05:00` });
  await attachFile(world, owner, id, 'regulations');
  await submitStage(world, owner, id, 'regulations');
  await approveStage(world, id, 'regulations');
  const needs = random.next() < 0.5 ? crewAndVehicle(random) : {};
  const full = { name: 'Юниор', capacity: 1, waiting_list: true, offer_hours: random.pick([1, 24, 48]) };
  const body = { opens_at: world.now.toISOString(), classes: ['Абсолют', random.next() < 0.5 ? full : 'Юниор'], ...needs };
  await world.call(owner, 'PUT /events/{id}/registration-settings', { params: { id }, body });
  return id;
}

export async function decideScan(world: World, contractId: number, body: object): Promise<void> {
  await world.call(world.administrator, 'POST /admin/contracts/{id}/review', { params: { id: contractId }, body });
}

/** A competition that differs from its agreement is not approved; another agreement repeats what it is now (EVT-3, EVT-6). */
async function renewAgreement(world: World, owner: Person, id: number, contractId: number): Promise<void> {
  await world.auditor.askAfterStep();
  await approveStage(world, id, 'details');
  const body = { reason: 'Жарыстың шарттары өзгерді.' };
  const made = await world.call(owner, 'POST /contracts/{id}/replace', { params: { id: contractId }, body });
  await world.auditor.askAfterStep();
  if (made.status >= 300) return;
  await sendScan(world, owner, made.data.id);
  await decideScan(world, made.data.id, { decision: 'confirm' });
}

/** A clerk returns a stage, and the organizer submits it as it is. */
export async function returnStage(world: World, owner: Person, id: number, stage: StageName): Promise<void> {
  const body = { kind: 'event_stage', id, stage, decision: 'changes', note };
  await world.call(world.administrator, 'POST /admin/review', { body });
  await world.auditor.askAfterStep();
  await submitStage(world, owner, id, stage);
}

export async function approveStage(world: World, id: number, stage: StageName): Promise<void> {
  await world.call(world.administrator, 'POST /admin/review', { body: { kind: 'event_stage', id, stage, decision: 'approve' } });
}

/** One field of those that an agreement repeats. */
export function anotherTerm(world: World, random: Random): Record<string, unknown> {
  return random.pick<Record<string, unknown>>([
    { title: `Алатау ралли ${wordOf(world.nextMark())}` },
    { location: `Талғар, ${wordOf(world.nextMark())}` },
    { discipline_id: random.between(4, 6) },
    datesAhead(world, random),
  ]);
}

/** One day, some days, or across New Year where it is near. */
export function datesAhead(world: World, random: Random): Record<string, string> {
  const { today } = world.auditor.inquiry;
  const year = Number(today.slice(0, 4));
  const start = addDays(today, random.between(25, 90));
  const [first, last] = weighted(random, [
    [[start, start], 3],
    [[start, addDays(start, random.between(1, 5))], 4],
    [[`${year}-12-30`, `${year + 1}-01-02`], 1],
  ]);
  return { starts_at: `${first}T09:00:00+05:00`, ends_at: `${last}T18:00:00+05:00` };
}
