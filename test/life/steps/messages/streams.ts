import { Listener } from '../../listeners.ts';
import { administratorPassword } from '../../registry.ts';
import { renewing } from '../../sign-in.ts';
import { signInElsewhere } from '../accounts.ts';
import { anyone } from '../athletes.ts';
import { oneOf, type Step, weighted } from '../step.ts';

const mostListeners = 3;

/** The live stream: a person leaves a browser open, until its session ends. */
export const streamSteps: readonly Step[] = [
  {
    name: 'a person leaves the live stream open',
    weight: 4,
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
  {
    name: 'the session of a live stream ends',
    weight: 1.5,
    async take(world, random) {
      const listener = oneOf(random, world.listeners);
      const person = listener && world.people.find(({ accountId }) => accountId === listener.by.accountId);
      if (!person || world.auditor.inquiry.isSignedOut(person) || !world.auditor.inquiry.isActive(person)) return;
      const end = weighted(random, [
        ['signs out', 1],
        ['ends the others', 1],
        ['is blocked', 1],
      ] as const);
      if (end === 'signs out') await renewing(person, world.call(person, 'POST /auth/logout'));
      else if (end === 'is blocked') {
        const body = { status: 'blocked', password: administratorPassword };
        await world.call(world.administrator, 'PATCH /admin/users/{id}', { params: { id: person.accountId }, body });
      } else {
        const elsewhere = await signInElsewhere(world, person);
        if (elsewhere) await world.call(elsewhere, 'DELETE /account/sessions');
      }
    },
  },
];
