import { TestClient } from '../../../support/client.ts';
import { type Person, personOf } from '../../world.ts';
import { solveCaptcha } from '../accounts.ts';
import { oneOf, type Step } from '../step.ts';
import { administratorAt } from '../transfers.ts';

/** The contact form: visitors write to the federation, and its clerks mark what they have answered. */
export const contactSteps: readonly Step[] = [
  {
    name: 'a visitor writes by the contact form',
    weight: 3,
    async take(world, random) {
      const browser = new TestClient(world.registry.url);
      await browser.session();
      const visitor: Person = { ...personOf('a visitor', browser), accountId: 0 };
      const mark = world.nextMark();
      const captcha = await solveCaptcha(world, random, visitor, 'contact');
      const body = {
        name: random.pick(['Данияр Ахметов', 'Әсем Қайратқызы', 'Siobhán O’Connor']),
        email: `visitor-${mark}@example.kz`,
        message: `Как получить лицензию судьи? ${mark}`,
        ...captcha,
        ...(random.next() < 0.15 ? { captcha_answer: 'WRONG' } : {}),
      };
      await world.call(visitor, 'POST /contact', { body });
      // A captcha is good for one message.
      if (random.next() < 0.2) await world.call(visitor, 'POST /contact', { body: { ...body, ...captcha } });
    },
  },
  {
    name: 'a clerk answers a message of the contact form',
    weight: 3,
    async take(world, random) {
      const messages = [...world.auditor.model.contactMessages];
      const waiting = messages.filter(([, { isAnswered }]) => !isAnswered);
      const [id] = oneOf(random, random.next() < 0.8 ? waiting : messages) ?? [];
      if (id === undefined && random.next() < 0.9) return;
      const body = random.next() < 0.5 ? { note: 'Ответили по телефону.' } : {};
      await world.call(administratorAt(world, random), 'POST /admin/contact-messages/{id}/answered', {
        params: { id: id ?? 999_999 },
        body,
      });
    },
  },
];
