import type { Listener } from '../../listeners.ts';
import type { Area } from '../area.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { askMessages } from '../messages/streamed.ts';

/** Live streams (NOT-5): each new notification once, nothing of another account, and the end with the session. */
export const streamsArea: Area = {
  async ask(inquiry) {
    const told = new Set(inquiry.model.notices.touched);
    for (const listener of inquiry.listeners) await askListener(inquiry, listener, told.has(listener.by.accountId));
  },

  async askAll(inquiry) {
    for (const listener of inquiry.listeners) await askListener(inquiry, listener, true);
  },
};

async function askListener(inquiry: Inquiry, listener: Listener, isTold: boolean): Promise<void> {
  const { model, eventually, same } = inquiry;
  const { by, followed } = listener;
  const session = model.sessions.get(by.credential ?? '');
  // Under impersonation the same session would hear of another account.
  if (session?.acting) return inquiry.leave(listener);
  if (!session || session.isOver) {
    await eventually(async () =>
      same(`the stream of account ${by.accountId} ends with its session (NOT-5, ACC-35)`, true, listener.isRefused),
    );
    return inquiry.leave(listener);
  }
  searchForeign(inquiry, listener);
  for (const ids of listener.sequences)
    same(`the stream of account ${by.accountId} keeps the order of events (NOT-5)`, ids.toSorted(ascending), ids);
  await askMessages(inquiry, listener);
  if (isTold || followed.before === null) await eventually(() => askNotifications(inquiry, listener));
}

const ascending = (left: number, right: number) => left - right;

/** @throws {Finding} for what another account wrote */
function searchForeign({ model }: Inquiry, { by, heard, followed }: Listener): void {
  const news = heard.slice(followed.events);
  followed.events = heard.length;
  // Earlier events were deleted, and are read in the lists.
  if (news.some(({ event }) => event === 'reset')) Object.assign(followed, { before: null, messages: null });
  // Administrators are notified of records of others (AGR-17).
  if (model.onceAdministrators.has(by.accountId)) return;
  const shown = news.flatMap(({ data }) => model.secrets.foreignIn(model, by, JSON.stringify(data), new Set()));
  if (shown.length > 0)
    throw new Finding(`the stream of account ${by.accountId} tells nothing of another account (NOT-5, API-3)`, [], shown);
}

/** Each notification since the stream began was streamed once. */
async function askNotifications({ asOwner, same }: Inquiry, { by, heard, followed }: Listener): Promise<void> {
  const { accountId } = by;
  const list = await asOwner(accountId, 'GET /notifications', { query: '?page=1&limit=100' });
  if (list.status !== 200) return;
  const ids = (list.data as { id: number }[]).map(({ id }) => id);
  const before = (followed.before ??= Math.max(0, ...ids));
  const streamed = heard.filter(({ event }) => event === 'notification').map(({ data }) => Number(data.id));
  const missed = ids.filter((id) => id > before && !streamed.includes(id));
  same(`the stream of account ${accountId} tells of each new notification (NOT-5)`, [], missed);
  const twice = streamed.filter((id, index) => streamed.indexOf(id) < index);
  same(`the stream of account ${accountId} tells of a notification once (NOT-5)`, [], twice);
}
