import { baseUrl } from '../config.ts';
import type { Variables } from '../config.ts';
import { wordsOfInstant } from '../http/dates-in-words.ts';
import type { Language } from '../http/language.ts';
import type { Mail } from '../platform/mail/mailer.ts';
import type { AccessChange } from './change-user.ts';
import type { ApiKey, ContactMessage, MailRecipient } from './entities.ts';
import { mailTexts } from './mail-texts.ts';
import type { RecoveryLink } from './request-password-reset.ts';
import type { PasswordChange } from './set-password.ts';

/** The mail with the link for a new password; the page behind it speaks the language of the mail. */
export function recoveryMail(config: Variables, { email, language, token }: RecoveryLink): Mail {
  const { recovery } = mailTexts[language];
  return {
    to: email,
    subject: recovery.subject,
    text: [...recovery.before, `${baseUrl(config)}/reset?token=${token}&lang=${language}`, '', recovery.after].join('\n'),
  };
}

/** Tells the owner of an account that its password was changed, and what that ended. @param how it was proven whose account it is */
export function passwordMail(
  config: Variables,
  { email, language, at, revokedKeys, keptKeys }: PasswordChange,
  how: 'password' | 'link',
): Mail {
  const { password } = mailTexts[language];
  return {
    to: email,
    subject: password.subject,
    text: [
      password.changed(momentOf(at, language), how),
      '',
      password.sessions[how],
      keptKeys > 0 ? password.keptKeys(keptKeys) : revokedKeys > 0 ? password.revokedKeys(revokedKeys) : password.noKeys,
      '',
      password.notYou(baseUrl(config)),
    ].join('\n'),
  };
}

/** Tells the owner of an account of a new API key; the key itself is in no mail. */
export function apiKeyMail(
  config: Variables,
  { email, language }: MailRecipient,
  { name, scopes, createdAt, expiresAt }: Readonly<ApiKey>,
): Mail {
  const { apiKey } = mailTexts[language];
  return {
    to: email,
    subject: apiKey.subject,
    text: [
      apiKey.made(momentOf(createdAt, language)),
      '',
      `${apiKey.name}: ${name}`,
      `${apiKey.scopes}: ${scopes.join(', ')}`,
      `${apiKey.until}: ${momentOf(expiresAt, language)}`,
      '',
      apiKey.notYou(baseUrl(config)),
    ].join('\n'),
  };
}

/** Tells the owner of an account what the federation made of it; null parts of the change stayed as they were. */
export function accessMail({ email, language, at, role, status }: AccessChange): Mail {
  const { access } = mailTexts[language];
  const when = momentOf(at, language);
  return {
    to: email,
    subject: status === null ? access.rightsChanged : access.subjects[status],
    text: [
      ...(status === null ? [] : [access.statuses[status](when)]),
      ...(role === null ? [] : [access.roles[role](when)]),
      access.sessions,
      '',
      access.unexpected,
    ].join('\n'),
  };
}

/** What the administrators are told of a message of the contact form. Their address is no account, so it is written to as accounts are at first: in Russian. */
export function contactMail(config: Variables, message: Readonly<ContactMessage>): Mail {
  const { contact } = mailTexts.ru;
  return {
    to: config.ADMIN_EMAIL,
    subject: contact.subject(message.id),
    text: [`${contact.from}: ${message.name} <${message.email}>`, '', message.message].join('\n'),
  };
}

function momentOf(at: Date, language: Language): string {
  return `${wordsOfInstant(at, language)} (UTC+5)`;
}
