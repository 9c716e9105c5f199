import type { Service } from './application-records.ts';
import type { Model } from '../model.ts';

/** The price of a service in a year, tiyn: coefficient times base index, for CIS with the surcharge, rounded half up once (CAT-1, CAT-2). */
export function priceOf(model: Model, { coefficient, cisCoefficient }: Service, year: number, territory: unknown): number {
  const total = tenThousandths(coefficient) + (territory === 'CIS' ? tenThousandths(cisCoefficient ?? 0) : 0n);
  return Number((total * BigInt(baseIndexOf(model, year)) + 5000n) / 10_000n);
}

/** The base index of a year, or the newest before it (CAT-1). */
export function baseIndexOf(model: Model, year: number): number {
  return model.baseIndexes.get(indexYearOf(model, year)) ?? 0;
}

/** The year whose base index applies in a year. */
export function indexYearOf(model: Model, year: number): number {
  return Math.max(...[...model.baseIndexes.keys()].filter((one) => one <= year));
}

const tenThousandths = (value: number) => BigInt(Math.round(value * 10_000));
