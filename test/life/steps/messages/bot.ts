import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../../support/random.ts';
import { saidIn, type StatusCommand, statusCommands, statusOf } from '../../auditor/messaging-bot/bot-status.ts';
import { takeBlock, takeMessage } from '../../auditor/messaging-bot/bot-updates.ts';
import { languageOf } from '../../auditor/notifications/texts.ts';
import type { Phone } from '../../phones.ts';
import type { Person, World } from '../../world.ts';
import { anyone } from '../athletes.ts';
import { anyProgram } from '../programs.ts';
import { oneOf, type Step, weighted } from '../step.ts';
import { askForUpdate, touchBot } from './bot-webhook.ts';

const minuteMs = 60_000;

/** The bot: people link their telephones, read what it tells, write to it, and block it. */
export const botSteps: readonly Step[] = [
  {
    name: 'a person asks for a link with the bot',
    weight: 1.4,
    async take(world, random) {
      const person = weighted(random, [
        [anyone(world, random), 12],
        [oneOf(random, world.others), 2],
        [anyProgram(world, random), 0.5],
      ]);
      if (!person) return;
      const { status, data } = await world.call(person, 'POST /messaging-bot');
      if (status !== 201 || random.next() < 0.3) return;
      await openLink(world, random, new URL(data.url).searchParams.get('start') ?? '');
      // Without a wish nothing is told by bot.
      await choose(world, random, person);
    },
  },
  {
    name: 'a telephone opens a link of the bot',
    weight: 1.2,
    async take(world, random) {
      const { issued, links } = world.auditor.model.bot;
      const waiting = [...links.values()].flatMap((link) => (link.kind === 'pending' ? [link] : []));
      const link = oneOf(random, waiting);
      if (link && random.next() < 0.2) {
        // A minute before its end, or after it (BOT-1).
        const side = random.next() < 0.5 ? minuteMs : -minuteMs;
        await world.passTo(new Date(link.expiresAt + side).toISOString());
      }
      const token = random.next() < 0.5 ? link?.token : oneOf(random, issued)?.token;
      await openLink(world, random, token ?? 'a-token-of-no-link');
    },
  },
  {
    name: 'a person chooses what the bot tells',
    weight: 0.4,
    async take(world, random) {
      const person = oneOf(
        random,
        world.people.filter(({ accountId }) => world.auditor.model.bot.links.has(accountId)),
      );
      await choose(world, random, person ?? anyone(world, random));
    },
  },
  {
    name: 'a telephone writes to the bot',
    weight: 3,
    async take(world, random) {
      const { bot } = world.auditor.model;
      const linked = world.registry.phones.all.filter(({ chatId, isBlocked }) => !isBlocked && bot.accountOf(chatId) !== null);
      const phone = (random.next() < 0.7 ? oneOf(random, linked) : undefined) ?? (await anyPhone(world, random));
      const text = weighted(random, [
        ['its status', 9],
        ['/help', 1],
        ['/start', 1],
        ['/approve 1', 0.5],
        ['Сәлем! 🏔', 1],
        ['/stop', 0.7],
      ]);
      if (text !== 'its status') await writeTo(world, random, phone, text);
      else for (const command of statusCommands) await askStatus(world, random, phone, command);
    },
  },
  {
    name: 'a person ends the link with the bot',
    weight: 0.1,
    async take(world, random) {
      const linked = world.people.filter(({ accountId }) => world.auditor.model.bot.links.has(accountId));
      const person = random.next() < 0.8 ? oneOf(random, linked) : (oneOf(random, world.others) ?? anyone(world, random));
      if (person) await world.call(person, 'DELETE /messaging-bot');
    },
  },
  {
    name: 'a person blocks or unblocks the bot',
    weight: 0.5,
    async take(world, random) {
      const phone = await anyPhone(world, random);
      await setBlocked(world, phone, !phone.isBlocked);
    },
  },
  { name: 'a stranger calls the webhook of the bot', weight: 0.25, take: askForUpdate },
];

/** @param ordinary steps of people that may meet the fault, because the bot tells of what they do */
export function botFaultSteps(ordinary: readonly Step[]): readonly Step[] {
  return [
    {
      name: 'the platform of the bot fails during some steps',
      weight: 0.1,
      async take(world, random) {
        const faults = weighted<Record<string, unknown>>(random, [
          [{ outage: 'error' }, 2],
          [{ outage: 'hang' }, 1],
          [{ outage: 'refuse_connection' }, 1],
          [{ too_many_requests: { retry_after: random.between(1, 4), times: random.between(1, 3) } }, 2],
        ]);
        await world.registry.phones.failDuring(faults, async () => {
          for (let left = random.between(2, 4); left > 0; left -= 1) {
            const step = weighted(
              random,
              [...ordinary, ...botSteps].map((one) => [one, one.weight] as const),
            );
            world.turns.push(`  ${step.name}, with the bot's ${JSON.stringify(faults)}`);
            await step.take(world, random);
          }
        });
      },
    },
  ];
}

/** One in use, or a new one. */
async function anyPhone({ registry: { phones } }: World, random: Random): Promise<Phone> {
  const fresh = phones.all.length === 0 || random.next() < 0.3 ? await phones.open(random.pick(['ru', 'kk', 'en-US', 'de'])) : null;
  const phone = fresh ?? oneOf(random, phones.all);
  if (!phone) throw new Error('a life has telephones');
  return phone;
}

/** Links an account with a new telephone, which is then told of most facts. */
export async function linkPhone(world: World, random: Random, person: Person): Promise<void> {
  const { data } = await world.call(person, 'POST /messaging-bot');
  const phone = await world.registry.phones.open(random.pick(['ru', 'kk']));
  if (!phone) return;
  await writeTo(world, random, phone, `/start ${new URL(data.url).searchParams.get('start')}`);
  await choose(world, random, person);
}

/** Opens a link on a telephone, which unblocks the bot there. */
async function openLink(world: World, random: Random, token: string): Promise<void> {
  const phone = await anyPhone(world, random);
  await setBlocked(world, phone, false);
  await writeTo(world, random, phone, `/start ${token}`);
}

async function setBlocked(world: World, phone: Phone, isBlocked: boolean): Promise<void> {
  if (phone.isBlocked === isBlocked) return;
  phone.isBlocked = isBlocked;
  await touchBot(world, phone.chatId, async () => {
    await (isBlocked ? phone.block() : phone.unblock());
    await world.registry.phones.settle();
    if (isBlocked) takeBlock(world.auditor.model, phone.chatId);
  });
}

/** Writes to the bot, which takes it once however often the platform says it (BOT-3). @returns the answer; null where it may be lost */
async function writeTo(world: World, random: Random, phone: Phone, text: string): Promise<string | null> {
  const { phones } = world.registry;
  const { model, inquiry } = world.auditor;
  if (phone.isBlocked) return null;
  const before = (await phone.heard()).filter((one) => !isOfFact(world, one)).length;
  await phones.deliverTimes(random.next() < 0.3 ? 3 : 1);
  let language = 'ru';
  await touchBot(world, phone.chatId, async () => {
    await phone.write(text);
    await phones.settle();
    language = takeMessage(model, { chatId: phone.chatId, text, language: phone.language }, world.now);
  });
  if (phones.isFailing) return null;
  const answer = await answerAfter(world, phone, before);
  inquiry.same(`the bot answers ${text} in chat ${phone.chatId} (BOT-4)`, true, answer !== null);
  if (answer !== null)
    inquiry.same(`the answer to ${text} is in the language of the account or the program: ${answer} (NOT-2)`, language, languageOf(answer));
  return answer;
}

const isOfFact = ({ registry }: World, text: string) => text.split('\n')[1] === registry.url && !text.includes('\n\n');

const [answerPatienceMs, answerPauseMs] = [20_000, 50];

async function answerAfter(world: World, phone: Phone, before: number): Promise<string | null> {
  const until = Date.now() + answerPatienceMs;
  for (;;) {
    const answers = (await phone.heard()).filter((one) => !isOfFact(world, one));
    if (answers.length > before) return answers.at(-1) ?? null;
    if (Date.now() > until) return null;
    await setTimeout(answerPauseMs);
  }
}

/** The bot shows what the owner sees on the site (BOT-4); what has changed meanwhile is not asked for. */
async function askStatus(world: World, random: Random, phone: Phone, command: StatusCommand): Promise<void> {
  const { inquiry, model } = world.auditor;
  const owner = inquiry.personOf(model.bot.accountOf(phone.chatId) ?? 0);
  const look = async () => (owner && inquiry.isActive(owner) ? statusOf(inquiry, owner, command) : null);
  const before = await look();
  const answer = await writeTo(world, random, phone, command);
  const after = await look();
  if (answer === null || before === null || before !== after) return;
  inquiry.same(`the bot shows ${owner?.name} what the site shows of ${command}: ${answer} (BOT-4)`, after, saidIn(answer, command));
}

/** Wishes for the bot; those for mails stay. */
async function choose(world: World, random: Random, person: Person | undefined): Promise<void> {
  if (!person) return;
  const { mails } = world.auditor.model;
  const known = await world.call(person, 'GET /notifications/preferences');
  if (known.status !== 200) return;
  const types = (known.data.preferences as { type: string }[]).map(({ type }) => type);
  const chosen = random.shuffled(types).slice(0, random.between(5, types.length));
  const { accountId } = world.callerOf(person);
  const preferences = chosen.map((type) => ({
    type,
    mail: mails.chosen.get(`${accountId} ${type}`) ?? true,
    bot: random.next() < 0.8,
  }));
  await world.call(person, 'PUT /notifications/preferences', { body: { preferences } });
}
