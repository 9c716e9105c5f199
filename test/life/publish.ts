import type { Random } from '../support/random.ts';
import type { StageName } from './auditor/competitions/competition-records.ts';
import { addDays } from './auditor/days.ts';
import { attachFile, giveMoney, makeContract, makeEvent, sendScan, submitStage } from './steps/organizers/organizer-acts.ts';
import { weighted } from './steps/step.ts';
import type { Person, World } from './world.ts';

const note = 'Мөр анық емес, қайта жіберіңіз.';

/**
 * Does all that leads a competition from its draft to the intake of registrations, as an organizer and a quick clerk would.
 * @param fields of the competition, beside the usual ones
 * @param detours what the clerk returns first
 * @returns its id; null when it, or its agreement, is refused
 */
export async function publishEvent(
  world: World,
  owner: Person,
  profileId: number,
  fields: Record<string, unknown>,
  detours: { scan?: boolean; details?: boolean } = {},
): Promise<number | null> {
  const id = await makeEvent(world, owner, profileId, fields);
  const contractId = id === null ? null : await makeContract(world, owner, id);
  if (id === null || contractId === null) return null;
  await sendScan(world, owner, contractId);
  const decide = (body: object) =>
    world.call(world.administrator, 'POST /admin/contracts/{id}/review', { params: { id: contractId }, body });
  if (detours.scan) {
    await decide({ decision: 'reject', reason: note });
    await world.auditor.askAfterStep();
    await sendScan(world, owner, contractId);
  }
  await decide({ decision: 'confirm' });
  await submitStage(world, owner, id, 'details');
  const feeId = world.auditor.model.events.get(id)?.feeId;
  await giveMoney(world, owner, 30_000_000);
  if (feeId) await world.call(owner, 'POST /applications/{id}/pay', { params: { id: feeId } });
  if (detours.details) await returnStage(world, owner, id, 'details');
  await approveStage(world, id, 'details');
  await attachFile(world, owner, id, 'regulations');
  await submitStage(world, owner, id, 'regulations');
  await approveStage(world, id, 'regulations');
  const body = { opens_at: world.now.toISOString(), classes: ['Абсолют', 'Юниор'] };
  await world.call(owner, 'PUT /events/{id}/registration-settings', { params: { id }, body });
  return id;
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
