import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';
import { readMails, tokensIn } from '../../areas/accounts/account-mails.ts';
import { TestClient } from '../../support/client.ts';
import { captchaAnswer } from '../../support/identities/captcha-answer.ts';
import { isOver } from '../auditor/accounts/accounts.ts';
import { weakPasswords } from '../auditor/accounts/passwords.ts';
import { passwordOf, renewing, signIn } from '../sign-in.ts';
import { type Person, personOf, type World } from '../world.ts';
import { anyone } from './athletes.ts';
import { anyProgram } from './programs.ts';
import { oneOf, type Step, weighted } from './step.ts';

const mostOthers = 6;
const mailPatienceMs = 10_000;
const mailPauseMs = 50;

/** What people do with their accounts: they sign in and out, at several browsers, and change and forget their passwords. */
export const accountSteps: readonly Step[] = [
  {
    name: 'a person whose session is over signs in again',
    weight: 3,
    async take(world, random) {
      const person = oneOf(
        random,
        [...world.people, ...world.administrators].filter((one) => isSignedOut(world, one) && isActive(world, one)),
      );
      if (!person) return;
      if (random.next() < 0.15) await signIn(world, person, 'not-the-password-of-anyone');
      await signIn(world, person);
    },
  },
  {
    name: 'a person chooses a language',
    weight: 2,
    async take(world, random) {
      const person = anyone(world, random);
      if (person) await world.call(person, 'PATCH /account', { body: { language: random.pick(['ru', 'kk', 'en']) } });
    },
  },
  {
    name: 'a person signs out',
    weight: 1,
    async take(world, random) {
      const person = anyone(world, random);
      if (!person) return;
      await renewing(person, world.call(person, 'POST /auth/logout'));
      if (random.next() < 0.7) await signIn(world, person);
    },
  },
  {
    name: 'a person signs in where they are signed in',
    weight: 1,
    async take(world, random) {
      const person = anyone(world, random);
      if (person) await signIn(world, person, random.next() < 0.2 ? 'not-the-password-of-anyone' : undefined);
    },
  },
  {
    name: 'a person signs in at another browser',
    weight: 1.5,
    async take(world, random) {
      const person = anyone(world, random);
      if (person) await signInElsewhere(world, person);
    },
  },
  {
    name: 'a person ends the other sessions',
    weight: 1,
    async take(world, random) {
      const person = anyone(world, random);
      if (person) await world.call(person, 'DELETE /account/sessions');
    },
  },
  {
    name: 'a person ends one session',
    weight: 1.5,
    async take(world, random) {
      const person = anyone(world, random);
      if (!person) return;
      await signInElsewhere(world, person);
      const isForeign = random.next() < 0.2;
      const holders = [...world.people, ...world.others].filter((one) => (one.accountId === person.accountId) !== isForeign);
      const rows: { id: string }[] = [];
      for (const holder of holders) {
        const { status, data } = await world.call(holder, 'GET /account/sessions');
        if (status === 200) rows.push(...data);
      }
      const row = oneOf(random, rows);
      if (row) await world.call(person, 'DELETE /account/sessions/{id}', { params: { id: row.id } });
    },
  },
  {
    name: 'a person changes the password',
    weight: 1.2,
    async take(world, random) {
      const person = anyone(world, random);
      if (person) await changePassword(world, random, person);
    },
  },
  {
    name: 'a person confirms the address',
    weight: 1.5,
    async take(world, random) {
      const person = anyone(world, random);
      if (person) await confirmAddress(world, person, random);
    },
  },
  {
    name: 'a person asks for another link',
    weight: 0.5,
    async take(world, random) {
      const person = anyone(world, random);
      if (person) await world.call(person, 'POST /account/email-confirmation');
    },
  },
  {
    name: 'a person asks for a recovery link',
    weight: 3,
    async take(world, random) {
      const program = random.next() < 0.6 ? anyProgram(world, random) : undefined;
      const person = world.people.find(({ accountId }) => accountId === program?.accountId) ?? oneOf(random, world.people);
      const visitor = await aVisitor(world);
      const email = person && random.next() < 0.9 ? person.client.email : 'unknown@life.kz';
      await world.call(visitor, 'POST /auth/forgot', { body: { email, ...(await solveCaptcha(world, random, visitor, 'forgot')) } });
      if (person && random.next() < 0.6) await useRecoveryLink(world, random, person);
    },
  },
  {
    name: 'a person uses a recovery link',
    weight: 2,
    async take(world, random) {
      const linksOf = ({ accountId }: Person) => world.auditor.model.accounts.get(accountId)?.links.reset;
      const mailed = world.people.filter((one) => (linksOf(one)?.sent ?? 0) > 0);
      const open = mailed.filter((one) => linksOf(one)?.isClosed === false);
      const person = oneOf(random, open.length > 0 && random.next() < 0.85 ? open : mailed);
      if (person) await useRecoveryLink(world, random, person);
    },
  },
];

/** Also one whose login waits for a code. */
const isSignedOut = (world: World, person: Person) =>
  isOver(world.auditor.model, { by: world.callerOf(person) }) || world.auditor.inquiry.isWaiting(person);

export function isActive(world: World, { accountId }: Person): boolean {
  return world.auditor.model.accounts.get(accountId)?.status === 'active';
}

const newPassword = (random: Random) =>
  random.next() < 0.1 ? random.pick(weakPasswords) : `a-new-long-secret-${random.between(1000, 9999)}`;

async function aVisitor(world: World): Promise<Person> {
  const browser = new TestClient(world.registry.url);
  await browser.session();
  return { ...personOf('a visitor', browser), accountId: 0 };
}

/** A captcha with its answer; now and then of another form or browser, replaced by a newer one, or late (ACC-5). */
export async function solveCaptcha(world: World, random: Random, visitor: Person, purpose: 'forgot' | 'contact') {
  const kind = weighted(random, [
    ['right', 12],
    ['other form', 1],
    ['other browser', 1],
    ['replaced', 1],
    ['early', 1],
    ['late', 1],
  ] as const);
  const of = async (by: Person, form: string = purpose) =>
    (await world.call(by, 'GET /captcha', { query: `?purpose=${form}` })).data?.captcha_id as string | undefined;
  const id =
    kind === 'other form'
      ? await of(visitor, purpose === 'contact' ? 'forgot' : 'contact')
      : await of(kind === 'other browser' ? await aVisitor(world) : visitor);
  if (kind === 'replaced') await of(visitor);
  if (kind === 'early' || kind === 'late')
    await world.passTo(new Date(world.now.getTime() + (kind === 'late' ? 11 : 9) * 60_000).toISOString());
  return { captcha_id: id, captcha_answer: captchaAnswer };
}

/** Sets a new password by a link of the mails, mostly the newest. */
async function useRecoveryLink(world: World, random: Random, person: Person): Promise<void> {
  await meanwhile(world, random, person);
  const visitor = await aVisitor(world);
  const tokens = await readLinks(world, person, 'reset');
  const token = random.next() < 0.8 ? tokens.at(-1) : oneOf(random, tokens);
  if (token === undefined) return;
  const password = newPassword(random);
  const { status } = await world.call(visitor, 'POST /auth/reset', { body: { token, password } });
  if (status !== 200) return;
  person.client.password = password;
  if (isActive(world, person)) await signIn(world, person);
}

/** What may come between a recovery link and its use: half an hour, a block that was taken back, or a new password (ACC-6, ACC-11, ACC-18). */
async function meanwhile(world: World, random: Random, person: Person): Promise<void> {
  const { model } = world.auditor;
  const kind = random.next();
  const sentAt = model.accounts.get(person.accountId)?.links.reset.sentAt;
  if (kind < 0.15 && sentAt) {
    await world.passTo(new Date(sentAt.getTime() + random.pick([29, 31]) * 60_000).toISOString());
  } else if (kind < 0.25 && isActive(world, person)) {
    for (const status of ['blocked', 'active']) {
      const body = { status, password: passwordOf(world, world.administrator) };
      await world.call(world.administrator, 'PATCH /admin/users/{id}', { params: { id: person.accountId }, body });
    }
  } else if (kind < 0.35 && isActive(world, person) && !isSignedOut(world, person)) await changePassword(world, random, person);
}

async function changePassword(world: World, random: Random, person: Person): Promise<void> {
  const current = random.next() < 0.8 ? passwordOf(world, person) : 'not-the-password-of-anyone';
  const password = newPassword(random);
  const body = { current_password: current, password, ...(random.next() < 0.5 ? { keep_api_keys: random.next() < 0.5 } : {}) };
  const answer = await renewing(person, world.call(person, 'POST /auth/password', { body }));
  if (answer.status === 200) person.client.password = password;
}

/** Signs an account in at a browser of its own. */
export async function signInElsewhere(world: World, { name, client }: Person): Promise<Person | null> {
  const browser = Object.assign(new TestClient(world.registry.url), { userId: client.userId, email: client.email });
  const elsewhere = personOf(`${name} at browser ${world.exchanges.length}`, browser);
  if ((await signIn(world, elsewhere)).status !== 200) return null;
  keepOther(world, elsewhere);
  return elsewhere;
}

/** The newest few are kept: each is asked after every change of its account. */
export function keepOther(world: World, person: Person): void {
  world.others.push(person);
  if (world.others.length > mostOthers) world.others.shift();
}

/** Uses a link of the mails to the address, mostly the newest. */
export async function confirmAddress(world: World, person: Person, random: Random): Promise<void> {
  const tokens = await readLinks(world, person, 'confirm-email');
  const token = random.next() < 0.9 ? tokens.at(-1) : oneOf(random, tokens);
  if (token !== undefined) await world.call(person, 'POST /auth/confirm-email', { body: { token } });
}

/** The links that were mailed to a person, oldest first; the auditor learns of them, as their reader does. */
async function readLinks(world: World, { accountId, client }: Person, page: 'reset' | 'confirm-email'): Promise<string[]> {
  const links = world.auditor.model.accounts.get(accountId)?.links[page];
  if (!links) return [];
  const until = Date.now() + mailPatienceMs;
  for (;;) {
    const tokens = tokensIn(await readMails(world.registry.dataDir, client.email), page);
    for (const [index, token] of tokens.entries()) world.auditor.model.links.set(token, { accountId, page, number: index + 1 });
    if (tokens.length >= links.sent || Date.now() > until) return tokens;
    await setTimeout(mailPauseMs);
  }
}
