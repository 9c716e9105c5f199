import { baseUrl } from '../../registry/config.ts';
import type { Language } from '../../http/language.ts';
import { wordsOfInstant } from '../../http/response/in-words.ts';
import { footOf, type Site } from '../../platform/mail/foot.ts';
import type { Mail } from '../../platform/mail/mailer.ts';
import type { ApiKey, ContactMessage, MailRecipient, UserRole, UserStatus } from './entities.ts';
import { mailTexts, type SecondFactorEvent } from './mail-texts.ts';

/**
 * Addresses a mail to the owner of an account; null while their address is not confirmed, except for an administrator (ACC-23). All but
 * links for the address go here.
 */
function toOwner(site: Site, { email, emailConfirmed, role, language }: MailRecipient, subject: string, lines: string[]): Mail | null {
  return emailConfirmed || role === 'administrator' ? compose(site, language, { to: email, subject, lines }) : null;
}

function compose(site: Site, language: Language, { to, subject, lines }: { to: string; subject: string; lines: string[] }): Mail {
  return { to, subject, text: [...lines, ...footOf(site, language)].join('\n') };
}

/** A link of a mail that proves the address: its secret and its recipient; not stored. */
export interface MailedLink extends Pick<MailRecipient, 'email' | 'language'> {
  token: string;
}

/** Builds the mail with the recovery link; the page behind the link has the language of the mail. */
export function recoveryMail(site: Site, { email, language, token }: MailedLink): Mail {
  const { recovery } = mailTexts[language];
  const lines = [...recovery.before, `${baseUrl(site.config)}/reset?token=${token}&lang=${language}`, '', recovery.after];
  return compose(site, language, { to: email, subject: recovery.subject, lines });
}

/** Builds the mail with the link that confirms the address (ACC-24). */
export function confirmationMail(site: Site, { email, language, token }: MailedLink): Mail {
  const { confirmation } = mailTexts[language];
  const lines = [...confirmation.before, `${baseUrl(site.config)}/confirm-email?token=${token}&lang=${language}`, '', confirmation.after];
  return compose(site, language, { to: email, subject: confirmation.subject, lines });
}

/** Builds the mail to the owner about a login from a new network (ACC-25), without the browser's name, which a client chooses freely. */
export function newNetworkMail(site: Site, owner: MailRecipient, { now, ip }: { now: Date; ip: string | null }): Mail | null {
  const { newNetwork } = mailTexts[owner.language];
  return toOwner(site, owner, newNetwork.subject, [
    newNetwork.loggedIn(momentOf(now, owner.language)),
    ...(ip === null ? [] : [`${newNetwork.address}: ${ip}`]),
    '',
    newNetwork.sessions,
    newNetwork.notYou,
  ]);
}

/** Effects of a new password, for the mail to the owner. */
export interface PasswordChange {
  owner: MailRecipient;
  at: Date;
  revokedKeys: number;
  keptKeys: number;
  disabledWebhooks: number;
}

/**
 * Builds the mail to the owner about a new password and the access that it ended (ACC-19).
 * @param how the proof that the change came with: the former password or the link
 */
export function passwordMail(
  site: Site,
  { at, owner, revokedKeys, keptKeys, disabledWebhooks }: PasswordChange,
  how: 'password' | 'link',
): Mail | null {
  const { language } = owner;
  const { password } = mailTexts[language];
  return toOwner(site, owner, password.subject, [
    password.changed(momentOf(at, language), how),
    '',
    password.sessions[how],
    keptKeys > 0 ? password.keptKeys(keptKeys) : revokedKeys > 0 ? password.revokedKeys(revokedKeys) : password.noKeys,
    ...(disabledWebhooks > 0 ? [password.disabledWebhooks(disabledWebhooks)] : []),
    '',
    password.notYou,
  ]);
}

/** Builds the mail to the owner about a new API key, without the key itself (ACC-19). */
export function apiKeyMail(site: Site, owner: MailRecipient, { name, scopes, createdAt, expiresAt }: Readonly<ApiKey>): Mail | null {
  const { language } = owner;
  const { apiKey } = mailTexts[language];
  return toOwner(site, owner, apiKey.subject, [
    apiKey.made(momentOf(createdAt, language)),
    '',
    `${apiKey.name}: ${name}`,
    `${apiKey.scopes}: ${scopes.join(', ')}`,
    `${apiKey.until}: ${momentOf(expiresAt, language)}`,
    '',
    apiKey.notYou,
  ]);
}

/** What happened to the address of a webhook. */
export interface WebhookAddress {
  what: 'created' | 'redirected';
  url: string;
  at: Date;
}

/** Builds the mail to the owner about a webhook that sends their changes to an address (ACC-19). The query may hold a secret of the receiver. */
export function webhookMail(site: Site, owner: MailRecipient, { what, url, at }: WebhookAddress): Mail | null {
  const { webhook } = mailTexts[owner.language];
  const { origin, pathname } = new URL(url);
  return toOwner(site, owner, webhook.subject[what], [
    webhook[what](momentOf(at, owner.language)),
    '',
    `${webhook.address}: ${origin}${pathname}`,
    '',
    webhook.notYou,
  ]);
}

/** Builds the mail to the owner about their second factor (ACC-32). */
export function secondFactorMail(site: Site, owner: MailRecipient, event: SecondFactorEvent): Mail | null {
  const { secondFactor } = mailTexts[owner.language];
  const { subject, text } = secondFactor[event.what];
  const left = event.what === 'recovery_code_used' ? event.left : 0;
  return toOwner(site, owner, subject, [text(momentOf(event.at, owner.language), left), '', secondFactor.notYou]);
}

/** Change of an account, for the mail to its owner; null where a part stayed as it was. */
export interface AccessChange {
  /** With the role before the change: an administrator who is demoted learns of it. */
  owner: MailRecipient;
  at: Date;
  role: UserRole | null;
  status: UserStatus | null;
}

/** Builds the mail to the owner about a new role or status (ACC-19); null parts did not change. */
export function accessMail(site: Site, { at, owner, role, status }: AccessChange): Mail | null {
  const { language } = owner;
  const { access } = mailTexts[language];
  const when = momentOf(at, language);
  return toOwner(site, owner, status === null ? access.rightsChanged : access.subjects[status], [
    ...(status === null ? [] : [access.statuses[status](when)]),
    ...(role === null ? [] : [access.roles[role](when)]),
    access.sessions,
    '',
    access.unexpected,
  ]);
}

/**
 * Builds the mail to the administrators about a message of the contact form. Their address is no account and has no
 * language, so the mail uses the default of accounts: Russian.
 */
export function contactMail(site: Site, message: Readonly<ContactMessage>): Mail {
  const { contact } = mailTexts.ru;
  const lines = [`${contact.from}: ${message.name} <${message.email}>`, '', message.message];
  return compose(site, 'ru', { to: site.config.ADMIN_EMAIL, subject: contact.subject(message.id), lines });
}

function momentOf(at: Date, language: Language): string {
  return `${wordsOfInstant(at, language)} (UTC+5)`;
}
