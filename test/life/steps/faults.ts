import type { Step } from './step.ts';

/** Faults: a process dies at once and is started again. */
export const faultSteps: readonly Step[] = [
  {
    name: 'the worker is killed and starts again',
    weight: 0.3,
    async take({ registry }) {
      await registry.kill('worker');
      await registry.begin('worker');
    },
  },
  {
    name: 'the API is killed and starts again',
    weight: 0.3,
    async take({ registry }) {
      await registry.kill('api');
      await registry.begin('api');
    },
  },
];
