import type { Model } from '../model.ts';

/** Notes that an account must be told of a fact, once (NOT-1). */
export function tell(model: Model, accountId: number, type: string, id: number): void {
  mayTell(model, accountId, type, id);
  mustTell(model, accountId, type, id);
}

/** Notes that an account may be told of a fact, once. */
export function mayTell(model: Model, accountId: number, type: string, id: number): void {
  toldOf(model, accountId, type, id).most += 1;
  model.untold.add(accountId);
}

/** Notes that an account must be told of a fact of which it may be told. */
export function mustTell(model: Model, accountId: number, type: string, id: number): void {
  toldOf(model, accountId, type, id).least += 1;
  model.untold.add(accountId);
}

function toldOf(model: Model, accountId: number, type: string, id: number) {
  const ofAccount = model.told.get(accountId) ?? new Map<string, { least: number; most: number }>();
  model.told.set(accountId, ofAccount);
  const key = `${type} ${id}`;
  const told = ofAccount.get(key) ?? { least: 0, most: 0 };
  ofAccount.set(key, told);
  return told;
}
