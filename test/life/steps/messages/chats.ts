import type { Random } from '../../../support/random.ts';
import { anyone } from '../athletes.ts';
import { oneOf, type Step, weighted } from '../step.ts';
import { administratorAt } from '../transfers.ts';

/** Chats of accounts with the federation: both write, read and mark. */
export const chatSteps: readonly Step[] = [
  {
    name: 'a person writes to the federation',
    weight: 3,
    async take(world, random) {
      const person = anyone(world, random);
      if (person) await world.call(person, 'POST /chat/messages', { body: { message: aText(random) } });
    },
  },
  {
    name: 'an administrator writes to a person',
    weight: 4,
    async take(world, random) {
      const { accounts, chats } = world.auditor.model;
      const userId = (random.next() < 0.6 ? oneOf(random, chats.keys()) : undefined) ?? oneOf(random, accounts.keys());
      if (userId === undefined) return;
      const by = administratorAt(world, random);
      await world.call(by, 'POST /admin/chats/{user_id}/messages', {
        params: { user_id: random.next() < 0.05 ? 9_999_999 : userId },
        body: { message: aText(random) },
      });
    },
  },
  {
    name: 'one side marks a chat as read',
    weight: 2,
    async take(world, random) {
      const [userId, messages] = oneOf(random, world.auditor.model.chats) ?? [];
      if (userId === undefined || !messages) return;
      const seen = oneOf(random, messages);
      const body = seen && random.next() < 0.5 ? { up_to_id: seen.id } : {};
      const owner = world.auditor.inquiry.personOf(userId);
      if (random.next() < 0.5 && owner) await world.call(owner, 'POST /chat/read', { body });
      else await world.call(administratorAt(world, random), 'POST /admin/chats/{user_id}/read', { params: { user_id: userId }, body });
    },
  },
];

function aText(random: Random): string {
  return weighted(random, [
    ['Сәлеметсіз бе! Анықтамам қашан тексеріледі?', 4],
    ['  Спасибо, жду ответа.\nС уважением 🙏 ', 3],
    ['<b>When?</b>', 1],
    ['й'.normalize('NFD').repeat(random.between(1, 50)), 1],
    ['🏔'.repeat(3000), 0.3],
    ['🏔'.repeat(3001), 0.3],
    [' \n\t', 0.5],
  ]);
}
