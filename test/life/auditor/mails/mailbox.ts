import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeMail } from '../../../areas/accounts/account-mails.ts';

/** A mail that the registry has sent. */
export interface SentMail {
  /** By the machine's clock, milliseconds. */
  sentAt: number;
  to: string;
  subject: string;
  /** Of the notification that it tells; null for a mail about the account. */
  notificationId: number | null;
  /** The address that turns such mails off; null without one. */
  unsubscribe: string | null;
  text: string;
}

/** The mails of a life, each read once. */
export class Mailbox {
  readonly #folder: string;
  readonly #read = new Set<string>();

  /** @param dataDir of the registry */
  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'mail');
  }

  /** Mails that came since the last look, oldest first. */
  async look(): Promise<SentMail[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const fresh = names.filter((name) => name.endsWith('.eml') && !this.#read.has(name)).toSorted();
    for (const name of fresh) this.#read.add(name);
    return Promise.all(fresh.map(async (name) => mailOf(name, decodeMail(await readFile(join(this.#folder, name), 'utf8')))));
  }
}

/** @param name `2027-01-11T09-00-00.000Z-<random>.eml`, in the machine's time */
function mailOf(name: string, mail: string): SentMail {
  const end = mail.indexOf('\n\n');
  const headers = mail.slice(0, end).replaceAll('\r', '');
  const header = (title: string) => new RegExp(`^${title}: (.*)$`, 'im').exec(headers)?.[1]?.trim() ?? '';
  const id = /notification-(\d+)@/.exec(header('Message-ID'))?.[1];
  const [day = '', time = ''] = name.slice(0, '2027-01-11T09-00-00.000Z'.length).split('T');
  return {
    sentAt: Date.parse(`${day}T${time.replaceAll('-', ':')}`),
    to: header('To').replaceAll(/[<>]/g, ''),
    subject: header('Subject'),
    notificationId: id === undefined ? null : Number(id),
    unsubscribe: header('List-Unsubscribe').replaceAll(/[<>]/g, '') || null,
    text: mail.slice(end + 2),
  };
}
