import type { Model } from '../model.ts';

/** Notes that an account must be told of a fact, once (NOT-1). */
export function tell(model: Model, accountId: number, type: string, id: number): void {
  const told = toldOf(model, accountId, type, id);
  told.least += 1;
  told.most += 1;
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
