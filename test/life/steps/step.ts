import type { Random } from '../../support/random.ts';
import type { World } from '../world.ts';

/** An action of a person, of time or of a fault. */
export interface Step {
  /** In words, for the list of a failed life. */
  name: string;
  /** How often people do it, to each other. */
  weight: number;
  /** It only reads: nothing is asked after it, because nothing but the audit of private reads has changed. */
  isReading?: true;
  /** Takes the step by choices of its own seed. Does nothing when it is not possible now. */
  take(world: World, random: Random): Promise<void>;
}

/** So many of the newest records are what people are busy with. */
const recent = 4;

/** One of them, or nothing. Half of the time it is one of the last, because people go on with what they have begun. */
export function oneOf<T>(random: Random, items: Iterable<T>): T | undefined {
  const list = [...items];
  const least = random.next() < 0.5 ? list.length - recent : 0;
  return list[random.between(Math.max(0, least), Math.max(0, list.length - 1))];
}

/** One by weights. */
export function weighted<T>(random: Random, choices: readonly [T, number][]): T {
  let left = random.next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) if ((left -= weight) < 0) return choice;
  const [first] = choices;
  if (!first) throw new RangeError('no choices');
  return first[0];
}

/** A note or reason at the limits of its length: four and 3,001 characters are refused (REV-1). */
export function anExplanation(random: Random): string {
  return '🏁'.repeat(random.pick([4, 5, 3000, 3001]));
}
