import type { Account } from '../accounts/account-records.ts';
import { Timeline } from '../timeline.ts';
import type { Notification } from '../notifications/notifications.ts';
import type { SentMail } from './mailbox.ts';

/** A notification, as its account read it. */
export interface KnownNotification extends Pick<Notification, 'id' | 'type' | 'title' | 'text'> {
  accountId: number;
  createdAt: number;
  /** By the machine's clock. */
  learntAt: number;
  /** Whether its mail was asked for, when it must have come. */
  isSettled: boolean;
}

/** What the auditor knows of mails. */
export class MailRecords {
  /** Whether mails about facts go to an account: it is active with a confirmed address (ACC-23). */
  readonly mailing = new Timeline<boolean>(false);
  /** Whether an account wants the mails of a type, by `account type` (NOT-3). */
  readonly wanted = new Timeline<boolean>(true);
  /** What accounts have chosen, by the same key. */
  readonly chosen = new Map<string, boolean>();
  readonly notifications = new Map<number, KnownNotification>();
  readonly sent: SentMail[] = [];
  /** Mails of notifications that were not read yet. */
  unexplained: SentMail[] = [];
  /** Mails about accounts, by account (ACC-19, ACC-25): how many must and may have come, and how many came. */
  readonly ofAccounts = new Map<number, { least: number; most: number; came: number }>();

  /** Takes over a row of an account's list. */
  learn(accountId: number, { id, type, title, text, created_at: createdAt }: Notification): void {
    const learnt = { id, type, title, text, accountId, createdAt: Date.parse(createdAt), learntAt: Date.now(), isSettled: false };
    this.notifications.set(id, learnt);
  }

  /**
   * The owner gets a mail about keys, passwords and rights (ACC-19): only at a confirmed address, or as an administrator (ACC-23).
   * @param isCertain false where the request may have changed nothing of them
   */
  expectSecurity({ id, isConfirmed, role }: Account, isCertain = true): void {
    if (!isConfirmed && role !== 'administrator') return;
    const count = this.about(id);
    count.most += 1;
    if (isCertain) count.least += 1;
  }

  about(accountId: number): { least: number; most: number; came: number } {
    const known = this.ofAccounts.get(accountId) ?? { least: 0, most: 0, came: 0 };
    this.ofAccounts.set(accountId, known);
    return known;
  }
}
