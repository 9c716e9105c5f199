import { botSecret } from '../../../support/identities/telephones.ts';
import { TestClient } from '../../../support/client.ts';
import type { Random } from '../../../support/random.ts';
import { noteBot } from '../../auditor/messaging-bot/bot-updates.ts';
import { botPlatformName } from '../../auditor/messaging-bot/messaging-bot.ts';
import { type Person, personOf, type World } from '../../world.ts';
import { oneOf, weighted } from '../step.ts';

/** Calls of the webhook that are not of the simulator: with a wrong secret, of a group, and repeats of earlier ones (BOT-2, BOT-3). */
export async function askForUpdate(world: World, random: Random): Promise<void> {
  const phone = oneOf(
    random,
    world.registry.phones.all.filter(({ isBlocked }) => !isBlocked),
  );
  if (!phone) return;
  const { bot } = world.auditor.model;
  const { token } = oneOf(random, bot.issued.slice(-3)) ?? { token: 'a-token-of-no-link' };
  const text = weighted(random, [
    ['/stop', 2],
    [`/start ${token}`, 2],
    ['/missing', 1],
  ]);
  const header = random.pick(['x-messaging-bot-api-secret-token', 'x-telegram-bot-api-secret-token']);
  const kind = weighted(random, [
    ['wrong', 2],
    ['without', 1],
    ['group', 2],
    ['once', 1],
    ['repeat', 4],
  ] as const);
  const isRepeat = kind === 'repeat' && bot.updates.size > 0;
  // Numbers of the simulator are far above.
  const id = isRepeat ? (oneOf(random, bot.updates) ?? 0) : world.nextMark();
  const chat = { id: phone.chatId, type: kind === 'group' ? 'group' : 'private' };
  const body = { update_id: id, message: { chat, from: { language_code: phone.language }, text } };
  const secret = { wrong: { [header]: `${botSecret}-` }, without: {}, group: null, once: null, repeat: null }[kind];
  const name = secret === null ? botPlatformName : 'a stranger';
  const by: Person = { ...personOf(name, new TestClient(world.registry.url)), accountId: 0 };
  await world.call(by, 'POST /messaging-bot/webhook', { body, headers: secret ?? { [header]: botSecret } });
}

/** Does something in a chat; the auditor asks about the accounts that had it before or have it after. */
export async function touchBot(world: World, chatId: number, act: () => Promise<void>): Promise<void> {
  const { model } = world.auditor;
  const before = model.bot.accountOf(chatId);
  noteBot(model, world.now);
  await act();
  noteBot(model, world.now);
  for (const id of [before, model.bot.accountOf(chatId)]) if (id !== null) model.bot.touched.add(id);
}
