import type { Random } from '../../support/random.ts';
import type { Step } from '../steps/step.ts';
import type { World } from '../world.ts';

/** The acts of a story, each up to a `yield`. */
export type Acts = AsyncGenerator<undefined, void>;

/**
 * A story: a step that leads up to where something interesting can go wrong, by the acts of other steps. The auditor asks after each act, as
 * after a step. A story ends early where the life does not allow it.
 */
export function story(name: string, tell: (world: World, random: Random) => Acts): Step {
  return {
    name: `story: ${name}`,
    weight: 1,
    async take(world, random) {
      for await (const _ of tell(world, random)) await world.auditor.askAfterStep();
    },
  };
}

/** Deals every story once before the first comes again; equal seeds deal equally. Two neighbouring seeds begin at the two ends. */
export function* deal<Item>(items: readonly Item[], seed: number, randomOf: (seed: number) => Random): Generator<Item, never> {
  const random = randomOf(Math.floor(seed / 2));
  for (;;) {
    const round = random.shuffled(items);
    yield* seed % 2 === 0 ? round : round.toReversed();
  }
}
