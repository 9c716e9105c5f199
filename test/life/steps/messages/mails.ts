import type { Random } from '../../../support/random.ts';
import { switchesOf } from '../../auditor/mails/mail-pages.ts';
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
    name: 'mails are turned off by the link of one',
    weight: 2,
    async take(world, random) {
      const { mails, accounts } = world.auditor.model;
      const mail = oneOf(
        random,
        mails.sent.filter(({ unsubscribe }) => unsubscribe !== null),
      );
      const told = mails.notifications.get(mail?.notificationId ?? 0);
      if (!mail?.unsubscribe || !told) return;
      const isOpen = accounts.get(told.accountId)?.status === 'active';
      const chosen = random.next() < 0.3 ? await choose(mail.unsubscribe, random) : await turnOff(mail.unsubscribe, told.type);
      world.auditor.inquiry.same(
        `the link of a mail to account ${told.accountId} sets its mails while the account is active (NOT-8, NOT-9)`,
        isOpen,
        chosen !== null,
      );
      for (const [type, isWanted] of chosen ?? []) mails.chosen.set(`${told.accountId} ${type}`, isWanted);
    },
  },
];

/** Whether mails of a type are wanted, by type. */
type Switches = ReadonlyMap<string, boolean>;

/** RFC 8058: one POST without a session. @returns null when it is refused */
async function turnOff(link: string, type: string): Promise<Switches | null> {
  return send(link, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }), new Map([[type, false]]));
}

/** Opens the page, and sends its form with some switches on, or its button for none. */
async function choose(link: string, random: Random): Promise<Switches | null> {
  const page = await fetch(link, { headers: { accept: 'text/html' } });
  if (page.status !== 200) return null;
  const all = [...switchesOf(await page.text()).keys()];
  const isNone = random.next() < 0.3;
  const on = isNone ? [] : all.filter(() => random.next() < 0.7);
  const body = new URLSearchParams([['save', isNone ? 'none' : 'chosen'], ...on.map((type) => ['type', type])]);
  return send(link, body, new Map(all.map((type) => [type, on.includes(type)])));
}

async function send(link: string, body: URLSearchParams, switches: Switches): Promise<Switches | null> {
  const { status } = await fetch(link, { method: 'POST', body, headers: { accept: 'text/html' } });
  return status === 200 ? switches : null;
}
