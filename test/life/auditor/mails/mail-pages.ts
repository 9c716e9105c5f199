import { type Touched, touchedIds } from '../area.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { SentMail } from './mailbox.ts';

/** The switches of a page of mail preferences, by type. */
export function switchesOf(page: string): Map<string, boolean> {
  const boxes = page.matchAll(/<input type="checkbox" name="type" value="([\w.]+)"( checked)?>/g);
  return new Map(boxes.map(([, type = '', checked]) => [type, checked !== undefined]));
}

/** The pages behind the newest mails of the touched accounts, and behind the newest that came. @throws {Finding} */
export async function askMailPages(inquiry: Inquiry, touched: readonly Touched[], fresh: readonly SentMail[]): Promise<void> {
  const { mails, accounts } = inquiry.model;
  const withLink = mails.sent.filter(({ unsubscribe }) => unsubscribe !== null);
  const addresses = new Set(touchedIds(touched, 'account').map((id) => accounts.get(id)?.email));
  for (const to of addresses.add(fresh.findLast(({ unsubscribe }) => unsubscribe !== null)?.to)) {
    const mail = withLink.findLast((one) => one.to === to);
    if (mail) await askPage(inquiry, mail);
  }
}

/** It opens without a session while the account is active, changes nothing, and shows switches alone (NOT-3, NOT-8, NOT-9). */
async function askPage({ model, publicly, same }: Inquiry, { to, unsubscribe }: SentMail): Promise<void> {
  const account = model.accounts.values().find(({ email }) => email === to);
  if (!account || unsubscribe === null) return;
  const answer = await publicly(`GET ${unsubscribe.slice(model.origin.length)}`, { headers: { accept: 'text/html' } });
  same(`the link of a mail to account ${account.id} opens while it is active (NOT-8)`, account.status === 'active', answer.status === 200);
  const page = answer.bytes.toString();
  const shown = [...model.secrets.privateIn(page), ...(page.includes(to) ? [to] : [])];
  same(`the page of mails of account ${account.id} shows no data of the person (NOT-8)`, [], shown);
  if (answer.status !== 200) return;
  const switches = switchesOf(page);
  if (switches.size === 0)
    throw new Finding(`the page of mails of account ${account.id} has a switch for each type (NOT-9)`, 'switches', page);
  const expected = [...switches.keys()].map((type) => [type, model.mails.chosen.get(`${account.id} ${type}`) ?? true]);
  same(`the page of mails of account ${account.id} shows what it chose (NOT-3, NOT-8, NOT-9)`, expected, [...switches]);
}
