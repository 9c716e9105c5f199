import { type Contract, type Event, type StageName, stageNames, type Terms } from './competition-records.ts';
import type { Model } from '../model.ts';

export const isLivingEvent = ({ status }: Pick<Event, 'status'>): boolean => status !== 'completed' && status !== 'cancelled';

export const isLiveContract = ({ status }: Pick<Contract, 'status'>): boolean => status !== 'replaced' && status !== 'cancelled';

/** The agreement of an event that is neither replaced nor cancelled (AGR-1). */
export function liveContractOf(model: Model, eventId: number): Contract | undefined {
  return [...model.contracts.values()].find((contract) => contract.eventId === eventId && isLiveContract(contract));
}

/** Whether every earlier stage is approved (EVT-2, EVT-3). */
export function isInTurn({ stages }: Event, stage: StageName): boolean {
  return stageNames.slice(0, stageNames.indexOf(stage)).every((before) => stages[before].status === 'approved');
}

export function isPaidFee(model: Model, { feeId }: Event): boolean {
  const fee = feeId === null ? undefined : model.applications.get(feeId);
  return fee !== undefined && (fee.isPaid || fee.amount === 0);
}

/** What the agreement repeats of its event, by the name on the wire. */
const repeated: Record<keyof Terms, string> = {
  title: 'title',
  location: 'location',
  startsAt: 'starts_at',
  endsAt: 'ends_at',
  disciplineId: 'discipline_id',
};

/** In what an event differs from its agreement; nothing without one (EVT-6). */
export function differencesOf(model: Model, event: Event): string[] {
  const terms = liveContractOf(model, event.id)?.terms;
  if (!terms) return [];
  return (Object.keys(repeated) as (keyof Terms)[]).filter((name) => event[name] !== terms[name]).map((name) => repeated[name]);
}
