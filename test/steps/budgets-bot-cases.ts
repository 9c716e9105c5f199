import { randomInt } from 'node:crypto';
import { endLinks } from '../../src/areas/messaging-bot/end-link.ts';
import { issueLink } from '../../src/areas/messaging-bot/issue-link.ts';
import { type ChatUpdate, receiveUpdate } from '../../src/areas/messaging-bot/receive-update.ts';
import { commit } from '../../src/platform/command.ts';
import type { UnrecordedCaller } from '../../src/platform/context.ts';
import { fixturesIn } from '../support/factories.ts';
import type { Case, Stage } from './budgets-cases.ts';

/** What accounts do with the messaging bot, by its name. */
export function botCases({ platform }: Stage): Record<string, Case> {
  const fixtures = fixturesIn(platform);
  const messenger: UnrecordedCaller = { actor: { kind: 'anonymous' }, requestId: 'messenger', ip: null };
  // Later updates have larger numbers.
  let lastId = randomInt(1, 1_000_000_000);
  const newId = () => (lastId += 1);
  const updateOf = (chatId: number, text: string): ChatUpdate => ({
    id: newId(),
    chatId,
    languageCode: 'kk',
    what: { kind: 'message', text },
  });
  const receive = (update: ChatUpdate) => commit(platform, messenger, (ctx) => receiveUpdate(ctx, update));

  async function token() {
    const person = await fixtures.person();
    return { person, ...(await commit(platform, person.caller, (ctx) => issueLink(ctx, person.userId))) };
  }

  /** An account with a chat. */
  async function linked() {
    const { person, token: secret } = await token();
    const chatId = newId();
    await receive(updateOf(chatId, `/start ${secret}`));
    return { person, chatId };
  }

  return {
    'plain: issueLink': async () => {
      const { person } = await token();
      return () => commit(platform, person.caller, (ctx) => issueLink(ctx, person.userId));
    },
    'plain: endLinks, on the site': async () => {
      const { person } = await linked();
      return () => commit(platform, person.caller, (ctx) => endLinks(ctx, { userId: person.userId }, 'site'));
    },
    'plain: receiveUpdate, a link': async () => {
      const update = updateOf(newId(), `/start ${(await token()).token}`);
      return () => receive(update);
    },
    "plain: receiveUpdate, a link in another account's chat": async () => {
      const update = updateOf((await linked()).chatId, `/start ${(await token()).token}`);
      return () => receive(update);
    },
    'plain: receiveUpdate, a command': async () => {
      const update = updateOf((await linked()).chatId, '/balance');
      return () => receive(update);
    },
    'plain: receiveUpdate, one seen before': async () => {
      const update = updateOf((await linked()).chatId, '/balance');
      await receive(update);
      return () => receive(update);
    },
    'plain: receiveUpdate, blocked': async () => {
      const { chatId } = await linked();
      return () => receive({ id: newId(), chatId, languageCode: null, what: { kind: 'blocked' } });
    },
  };
}
