import { anyone } from '../athletes.ts';
import { oneOf, type Step } from '../step.ts';

const types = [
  'document.approved',
  'document.changes',
  'document.expiring',
  'application.approved',
  'application.changes',
  'registration.submitted',
  'record.corrected',
] as const;

/** What people do with their mails: they choose, and turn some off by the link of one. */
export const mailSteps: readonly Step[] = [
  {
    name: 'a person chooses which mails to get',
    weight: 1.5,
    async take(world, random) {
      const person = anyone(world, random);
      if (!person) return;
      const chosen = random.shuffled([...types]).slice(0, random.between(1, 4));
      const { bot } = world.auditor.model;
      const preferences = chosen.map((type) => ({
        type,
        mail: random.next() < 0.5,
        bot: bot.chosen.get(`${person.accountId} ${type}`) ?? false,
      }));
      if (random.next() < 0.1) preferences.push(...preferences.slice(0, 1));
      await world.call(person, 'PUT /notifications/preferences', { body: { preferences } });
    },
  },
  {
    name: 'a mail program turns mails off by the link of one',
    weight: 1,
    async take(world, random) {
      const { mails, accounts } = world.auditor.model;
      const mail = oneOf(
        random,
        mails.sent.filter(({ unsubscribe }) => unsubscribe !== null),
      );
      const told = mails.notifications.get(mail?.notificationId ?? 0);
      if (!mail?.unsubscribe || !told) return;
      const status = await turnOff(mail.unsubscribe);
      const isOpen = accounts.get(told.accountId)?.status === 'active';
      world.auditor.inquiry.same(
        `the link of a mail to account ${told.accountId} turns it off while the account is active (NOT-8)`,
        isOpen,
        status === 200,
      );
      if (isOpen) mails.chosen.set(`${told.accountId} ${told.type}`, false);
    },
  },
];

/** RFC 8058: one POST without a session. */
async function turnOff(link: string): Promise<number> {
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  const { status } = await fetch(link, { method: 'POST', body });
  return status;
}
