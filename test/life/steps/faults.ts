import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';
import type { World } from '../world.ts';
import { type Step, weighted } from './step.ts';

const parts = ['worker', 'api'] as const;

/**
 * Faults, during or between the steps of people: a process dies at once and is started again, an answer is lost and its request repeated
 * with its key, Temporal or the storage is away.
 * @param ordinary steps of people that may meet a fault
 */
export function faultSteps(ordinary: readonly Step[]): readonly Step[] {
  const some = (random: Random): Step =>
    weighted(
      random,
      ordinary.map((step) => [step, step.weight] as const),
    );
  return [
    ...parts.map((part) => ({
      name: `the ${part} is killed and starts again`,
      weight: 0.2,
      async take({ registry }: World) {
        await registry.kill(part);
        await registry.begin(part);
      },
    })),
    ...parts.map((part) => ({
      name: `the ${part} is killed during a step`,
      weight: 0.2,
      async take(world: World, random: Random) {
        const step = some(random);
        const delayMs = random.between(0, 60);
        world.turns.push(`  ${step.name}, killed after ${delayMs} ms`);
        const taken = step.take(world, random);
        const killed = setTimeout(delayMs)
          .then(() => world.registry.kill(part))
          .then(() => world.registry.begin(part));
        await Promise.all([taken, killed]);
      },
    })),
    {
      name: 'answers are lost',
      weight: 1,
      async take(world, random) {
        const step = some(random);
        world.turns.push(`  ${step.name}, its answers lost`);
        await world.loseAnswersDuring(() => step.take(world, random));
      },
    },
    ...(['temporal', 'storage'] as const).map((part) => ({
      name: `${part} is away during some steps`,
      weight: 0.05,
      async take(world: World, random: Random) {
        await world.loseDuring(part, async () => {
          for (let left = random.between(1, 3); left > 0; left -= 1) {
            const step = some(random);
            world.turns.push(`  ${step.name}, without ${part}`);
            await step.take(world, random);
          }
        });
      },
    })),
  ];
}
