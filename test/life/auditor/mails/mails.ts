import type { Area } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { refuse } from '../judgement.ts';
import { readNew } from '../notifications/notifications.ts';
import type { Account } from '../accounts/account-records.ts';
import type { Model } from '../model.ts';
import { askMailPages } from './mail-pages.ts';
import type { KnownNotification } from './mail-records.ts';
import type { SentMail } from './mailbox.ts';

const preferences = 'PUT /notifications/preferences';
/** A mail goes out within this time of the machine, also when a worker died with it. */
const patienceMs = 25_000;
/** Between the look at an account and the mail, at most. */
const sendingMs = 5_000;

interface Preference {
  type: string;
  mail: boolean;
  bot: boolean;
}

/** Before each request everything stands as it was left. */
export const mailClock: Area = {
  judge(model, { operation, body, by }, now) {
    noteMailing(model, now);
    if (operation !== preferences || by.accountId === 0) return null;
    const types = (body as { preferences: Preference[] }).preferences.map(({ type }) => type);
    return new Set(types).size === types.length ? null : refuse('validation_failed');
  },
};

/** Mails, by NOT-1, NOT-3, NOT-8, NOT-10 and ACC-19, ACC-23, ACC-25. It sees a request after the areas have taken it over. */
export const mailsArea: Area = {
  saw(model, exchange) {
    countSecurityMails(model, exchange);
    choose(model, exchange);
    noteMailing(model, exchange.at);
    return [];
  },

  async ask(inquiry, touched) {
    noteMailing(inquiry.model, inquiry.now);
    await askMailPages(inquiry, touched, await takeMails(inquiry));
    for (const one of inquiry.model.mails.notifications.values())
      if (!one.isSettled && isOverdue(inquiry, one.learntAt)) askMailed(inquiry, one);
  },

  async askAll(inquiry) {
    const { mails } = inquiry.model;
    await inquiry.eventually(async () => {
      // A process may have told of a fact after the list of its account was read.
      for (const to of new Set(mails.unexplained.map((mail) => mail.to))) {
        const account = accountOf(inquiry.model, to);
        if (account) await readNew(inquiry, account.id);
      }
      await takeMails(inquiry);
      for (const one of mails.notifications.values()) if (!one.isSettled) askMailed(inquiry, one);
      for (const [id, { least, came }] of mails.ofAccounts)
        if (came < least) throw new Finding(`account ${id} got its mails about keys, passwords and rights (ACC-19)`, least, came);
      const unknown = mails.unexplained.find(({ to }) => isReadable(inquiry, to));
      if (unknown) throw new Finding('a mail tells a notification of its account (NOT-1)', 'a notification', lineOf(unknown));
    });
  },
};

/** Notes to whom mails may go now, and which. */
function noteMailing({ mails, accounts }: Model, now: Date): void {
  mails.mailing.note(
    accounts.values().map((one) => [one.id, one.status === 'active' && one.isConfirmed]),
    now,
  );
  mails.wanted.note(mails.chosen, now);
}

/** A type keeps its setting until another is sent for it (NOT-3). */
function choose({ mails }: Model, { operation, body, by }: Exchange): void {
  if (operation !== preferences) return;
  for (const { type, mail } of (body as { preferences: Preference[] }).preferences) mails.chosen.set(`${by.accountId} ${type}`, mail);
}

/**
 * Each new key, webhook and password is mailed (ACC-19); a new role or status, when the account is taken over. A login is not: everybody is
 * at one address (ACC-25).
 */
function countSecurityMails(model: Model, { operation, by, body }: Exchange): void {
  const isCertain = securityMails[operation];
  if (isCertain === undefined) return;
  const isRecovery = operation === 'POST /auth/reset';
  const accountId = isRecovery ? model.links.get((body as { token: string }).token)?.accountId : by.accountId;
  const account = model.accounts.get(accountId ?? 0);
  if (account) model.mails.expectSecurity(account, isCertain);
}

/** Whether the request always causes a mail about the account. */
const securityMails: Readonly<Record<string, boolean>> = {
  'POST /auth/password': true,
  'POST /auth/reset': true,
  'POST /api-keys': true,
  'POST /webhooks': true,
  // Only a new address is mailed.
  'PATCH /webhooks/{id}': false,
};

/** Reads the mails that came, and asks about each. @returns them, oldest first @throws {Finding} */
async function takeMails(inquiry: Inquiry): Promise<SentMail[]> {
  const { mails } = inquiry.model;
  const waiting = mails.unexplained.splice(0);
  const fresh = await inquiry.mailbox.look();
  for (const mail of fresh) {
    askForm(inquiry, mail);
    mails.sent.push(mail);
  }
  for (const mail of [...waiting, ...fresh]) askMail(inquiry, mail);
  return fresh;
}

function askForm({ model }: Inquiry, mail: SentMail): void {
  const isRight = mail.text.includes(model.origin) && !mail.text.includes('/api/v1') && mail.subject !== '';
  if (!isRight) throw new Finding('a mail links a page for people, and no address for programs (NOT-10)', model.origin, mail.text);
  const isOfFact = mail.notificationId !== null;
  if (isOfFact !== (mail.unsubscribe !== null))
    throw new Finding('the mail of a notification can be turned off, one about the account cannot (NOT-8)', isOfFact, lineOf(mail));
}

function askMail(inquiry: Inquiry, mail: SentMail): void {
  const { model, same } = inquiry;
  const { mails } = model;
  const account = accountOf(model, mail.to);
  if (!account) throw new Finding('a mail goes to the address of an account (NOT-3)', 'an account', lineOf(mail));
  const { notificationId: id, sentAt } = mail;
  if (id === null) return countAccountMail(model, account, mail);
  const until = inquiry.registryTimeAt(sentAt);
  const from = Math.min(until, inquiry.registryTimeAt(sentAt - sendingMs));
  if (!mails.mailing.between(account.id, from, until).has(true))
    throw new Finding(`no mail goes to account ${account.id} while it is blocked or not confirmed (ACC-23, NOT-8)`, 'none', lineOf(mail));
  const told = mails.notifications.get(id);
  if (!told) {
    mails.unexplained.push(mail);
    return;
  }
  same(`the mail of notification ${id} goes to the account that is told of it (NOT-1)`, told.accountId, account.id);
  // Both have the language of the account at their time.
  const isOneLanguage = (account.language?.since ?? 0) < Math.min(told.learntAt, sentAt) - sendingMs;
  if (isOneLanguage) same(`the mail of notification ${id} says what the notification says (NOT-2)`, told.title, mail.subject);
  if (!mails.wanted.between(`${account.id} ${told.type}`, from, until).has(true))
    throw new Finding(`no mail of ${told.type} goes to account ${account.id}, which does not want it (NOT-3)`, 'none', lineOf(mail));
  const copies = mails.sent.filter((one) => one.notificationId === id);
  // A worker that died with a mail sends it again, with the same Message-ID (NOT-4).
  const wasKilled = inquiry.killedAt.some((at) => at > told.learntAt - patienceMs && at < sentAt + patienceMs);
  if (copies.length > 1 && !wasKilled) throw new Finding(`notification ${id} is mailed once (NOT-1)`, 1, copies.map(lineOf));
}

function countAccountMail({ mails }: Model, account: Account, mail: SentMail): void {
  if (/\/(confirm-email|reset)\?token=/.test(mail.text)) return;
  const { name: language, since } = account.language ?? { name: 'ru', since: 0 };
  if (since < mail.sentAt - sendingMs && languageOf(mail.subject) !== language)
    throw new Finding(`a mail about account ${account.id} has its language (ACC-19)`, language, lineOf(mail));
  const count = mails.about(account.id);
  count.came += 1;
  if (count.came > count.most)
    throw new Finding(`account ${account.id} gets no mails about itself but those of the rules (ACC-19, ACC-25)`, count.most, lineOf(mail));
}

/** The mail of a notification has come, where its account has wanted it all the time since. */
function askMailed({ model: { mails }, now }: Inquiry, one: KnownNotification): void {
  const { id, accountId, type, createdAt } = one;
  const isCertain = [
    mails.mailing.between(accountId, createdAt, now.getTime()),
    mails.wanted.between(`${accountId} ${type}`, createdAt, now.getTime()),
  ];
  const isExpected = isCertain.every((values) => !values.has(false));
  if (isExpected && !mails.sent.some(({ notificationId }) => notificationId === id))
    throw new Finding(`notification ${id} ${type} of account ${accountId} is mailed (NOT-3)`, 'a mail', 'none');
  one.isSettled = true;
}

function isOverdue({ disturbedAt }: Inquiry, since: number): boolean {
  return Date.now() - Math.max(since, disturbedAt) > patienceMs;
}

/** Whether the account of an address can read its notifications. */
function isReadable(inquiry: Inquiry, email: string): boolean {
  const account = accountOf(inquiry.model, email);
  const person = account && inquiry.personOf(account.id);
  return person !== undefined && inquiry.isActive(person) && !inquiry.isSignedOut(person);
}

/** By the letters: Kazakh has some of its own. */
const languageOf = (text: string) => (/[әғқңөұүһі]/i.test(text) ? 'kk' : /[а-яё]/i.test(text) ? 'ru' : 'en');

const accountOf = ({ accounts }: Model, email: string) => accounts.values().find((one) => one.email === email);
const lineOf = ({ to, subject, sentAt }: SentMail) => `${new Date(sentAt).toISOString()} to ${to}: ${subject}`;
