import { Listener } from '../../listeners.ts';
import { anyone } from '../athletes.ts';
import type { Step } from '../step.ts';

const mostListeners = 3;

/** The live stream: a person leaves a browser open. */
export const streamSteps: readonly Step[] = [
  {
    name: 'a person leaves the live stream open',
    weight: 0.6,
    async take(world, random) {
      const person = anyone(world, random);
      if (!person || world.listeners.length >= mostListeners) return;
      const { inquiry } = world.auditor;
      const by = world.callerOf(person);
      if (inquiry.isSignedOut(person) || by.administratorId !== null) return;
      const listener = await Listener.open(world.registry.url, by, person.client.cookie ?? '');
      if (listener) world.listeners.push(listener);
    },
  },
];
