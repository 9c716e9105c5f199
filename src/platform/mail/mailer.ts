/** One mail to one person. */
export type Mail = {
  /** a bare address, without a display name */
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** the same id for the same mail, so that a mail program shows one that was sent twice only once */
  messageId?: string;
};

/** Sends mails. */
export interface Mailer {
  /**
   * @throws {MailAddressError} when `to` is not one bare address; sending again cannot help.
   * @throws {MailRefusedError} when the mail server refuses this mail for good; sending again cannot help.
   * @throws {MailUnavailableError} when the mail could not be handed over now.
   */
  send(mail: Mail): Promise<void>;
  /** Connects, logs in and sends nothing. Absent where no mail server is configured. @throws with host and code */
  check?(): Promise<void>;
}

/** Not one bare address; the message does not repeat it. */
export class MailAddressError extends Error {
  constructor() {
    super('not an address that a mail can be sent to');
    this.name = 'MailAddressError';
  }
}

/** The mail server refuses the recipient or the text; the message holds neither, nor the server's words. */
export class MailRefusedError extends Error {
  /** The server's code (SMTP), such as 550. */
  readonly code: number;

  constructor(code: number) {
    super(`the mail server refuses the mail: ${code}`);
    this.name = 'MailRefusedError';
    this.code = code;
  }
}

/** The mail server, or the folder, does not take the mail; the message holds no address and no password. */
export class MailUnavailableError extends Error {
  /** Whether this is about the one mail, such as a full mailbox or no answer to its text; otherwise every other mail would fail as well. */
  readonly isOfMail: boolean;
  /** The server's code (SMTP), such as 451; null without an answer. */
  readonly code: number | null;

  constructor({ isOfMail = false, code = null, ...options }: ErrorOptions & { isOfMail?: boolean; code?: number | null } = {}) {
    super('the mail could not be handed over', options);
    this.name = 'MailUnavailableError';
    this.isOfMail = isOfMail;
    this.code = code;
  }
}

/**
 * One address and nothing else: a comma or a line break would add receivers, a bracket a name.
 * @throws {MailAddressError}
 */
export function assertMailAddress(address: string): void {
  if (address.length > 254 || !/^[^\s@,;:<>()[\]\\"\p{Cc}]+@[^\s@,;:<>()[\]\\"\p{Cc}]+$/u.test(address)) throw new MailAddressError();
}
