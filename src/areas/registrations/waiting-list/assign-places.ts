import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type ClassLimit, type EventRecord, limitOf, type PlaceCount } from '../../competitions/index.ts';
import type { AcceptedRow } from '../place-rows.ts';
import { isPlaced } from '../states.ts';
import { countPlaces, emptyClass, lockClasses } from './places.ts';

/** A row that stands by itself, or its refusal. */
export type JudgedRow = AcceptedRow | { refusal: DomainError };

/**
 * Gives each row a place of its class or the next one in its line, or refuses it with `class_full` (REG-20, REG-21). Locks the classes with
 * a capacity; without one it reads nothing.
 */
export async function assignPlaces(
  { db }: CommandContext,
  { id, settings }: EventRecord,
  judged: readonly JudgedRow[],
  isSubmitted: boolean,
): Promise<readonly JudgedRow[]> {
  const limits = new Map<string, ClassLimit & { capacity: number }>();
  for (const row of judged) {
    if ('refusal' in row || settings === null || !takesPlace(row, isSubmitted)) continue;
    // Also the class that it leaves, so that all are locked in one order.
    for (const name of [row.class, row.registration?.class ?? row.class]) {
      const limit = limitOf(settings, name);
      if (limit !== null && limit.capacity !== null) limits.set(name, { ...limit, capacity: limit.capacity });
    }
  }
  if (limits.size === 0) return judged;
  await lockClasses(db, id, [...limits.keys()]);
  return shareOut(judged, { limits, counts: await countPlaces(db, id, [...limits.keys()]), isSubmitted });
}

interface Shares {
  limits: ReadonlyMap<string, Pick<ClassLimit, 'waitingList'> & { capacity: number }>;
  counts: ReadonlyMap<string, PlaceCount>;
  isSubmitted: boolean;
}

/**
 * Shares out places to rows, in their order. A row takes no free place while another registration waits for one, so a later submission never
 * overtakes. A row that leaves a class frees its place for later rows. Pure.
 */
export function shareOut(judged: readonly JudgedRow[], { limits, counts: before, isSubmitted }: Shares): JudgedRow[] {
  const counts = new Map([...limits.keys()].map((name) => [name, { ...(before.get(name) ?? emptyClass) }]));
  return judged.map((row): JudgedRow => {
    if ('refusal' in row) return row;
    const [limit, count] = [limits.get(row.class), counts.get(row.class)];
    let waitingPlace: number | null = null;
    if (limit !== undefined && count !== undefined && takesPlace(row, isSubmitted)) {
      const isFree = count.waiting === 0 && count.taken < limit.capacity;
      if (isFree) count.taken += 1;
      // A returned registration that is saved without a submission keeps its status, so it cannot wait.
      else if (limit.waitingList && isSubmitted) waitingPlace = count.waiting += 1;
      else return { refusal: new DomainError('class_full', { class: row.class }) };
    }
    const left = row.registration !== null && isPlaced(row.registration.status) ? counts.get(row.registration.class) : undefined;
    if (left !== undefined && row.registration?.class !== row.class) left.taken -= 1;
    return { ...row, waitingPlace };
  });
}

/** Whether a row needs a place that its registration does not have yet. */
function takesPlace({ registration, class: name }: AcceptedRow, isSubmitted: boolean): boolean {
  if (registration !== null && isPlaced(registration.status)) return registration.class !== name;
  return isSubmitted;
}
