import type { SendMailOptions } from 'nodemailer';

/** One mail to one person. */
export type Mail = {
  /** a bare address, without a display name */
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** stable id of the mail, so that mail programs show a duplicate once */
  messageId?: string;
  /** address that ends mails of this kind by one POST (RFC 8058) */
  unsubscribe?: string;
};

/** Sends mails. */
export interface Mailer {
  /**
   * @throws {MailAddressError} when `to` is not one bare address; a retry cannot help
   * @throws {MailRefusedError} when the mail server permanently refuses this mail; a retry cannot help
   * @throws {MailUnavailableError} when the mail cannot be sent now
   */
  send(mail: Mail): Promise<void>;
  /** Connects, logs in and sends nothing. Absent where no mail server is configured. @throws with host and code */
  check?(): Promise<void>;
}

/** The address is not one bare address; the message does not quote it. */
export class MailAddressError extends Error {
  constructor() {
    super('not a valid mail address');
    this.name = 'MailAddressError';
  }
}

/** The mail server refuses the recipient or the text; the message quotes nothing of them. */
export class MailRefusedError extends Error {
  /** The server's code (SMTP), such as 550. */
  readonly code: number;

  constructor(code: number) {
    super(`the mail server refuses the mail: ${code}`);
    this.name = 'MailRefusedError';
    this.code = code;
  }
}

/** The mail server or folder does not accept the mail; the message has no address or password. */
export class MailUnavailableError extends Error {
  /** Whether only this mail is concerned (a full mailbox); otherwise all mails would fail. */
  readonly isOfMail: boolean;
  /** The server's code (SMTP), such as 451; null without an answer. */
  readonly code: number | null;

  constructor({ isOfMail = false, code = null, ...options }: ErrorOptions & { isOfMail?: boolean; code?: number | null } = {}) {
    super('the mail could not be sent', options);
    this.name = 'MailUnavailableError';
    this.isOfMail = isOfMail;
    this.code = code;
  }
}

/**
 * Requires one bare address: commas and line breaks could add recipients.
 * @throws {MailAddressError}
 */
function assertMailAddress(address: string): void {
  if (address.length > 254 || !/^[^\s@,;:<>()[\]\\"\p{Cc}]+@[^\s@,;:<>()[\]\\"\p{Cc}]+$/u.test(address)) throw new MailAddressError();
}

/**
 * Composes a mail for nodemailer. Passes header values as values, never as header lines, and forbids reading files or fetching URLs.
 * @throws {MailAddressError}
 */
export function composeMail(mail: Mail, from: string): SendMailOptions {
  assertMailAddress(mail.to);
  return {
    from,
    to: { name: '', address: mail.to },
    // One line; nodemailer folds and encodes it.
    subject: mail.subject.replaceAll(/\p{Cc}+/gu, ' ').trim(),
    text: mail.text,
    ...(mail.html !== undefined && { html: mail.html }),
    ...(mail.messageId !== undefined && { messageId: `<${mail.messageId.replaceAll(/[^A-Za-z0-9._@-]/g, '-')}>` }),
    // Prevents automatic replies (RFC 3834).
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(mail.unsubscribe !== undefined && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    ...(mail.unsubscribe !== undefined && { list: { unsubscribe: mail.unsubscribe } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
