import type { Area } from '../area.ts';
import type { Inquiry } from '../inquiry.ts';

/** What accounts have marked as read: single notifications with their first mark, and all up to one. */
export class ReadMarks {
  readonly touched = new Set<number>();
  readonly #marks = new Map<number, { single: Map<number, string>; upTo: number; at: number }>();

  of(accountId: number) {
    const marks = this.#marks.get(accountId) ?? { single: new Map<number, string>(), upTo: 0, at: 0 };
    this.#marks.set(accountId, marks);
    return marks;
  }
}

interface Row {
  id: number;
  read_at: string | null;
  created_at: string;
}

/** Marks of reading: the first one stays, and every counter counts the rest (NOT-6). */
export const readMarksArea: Area = {
  saw(model, exchange) {
    const { operation, body, data, by, at } = exchange;
    if (operation !== 'POST /notifications/{id}/read' && operation !== 'POST /notifications/read') return [];
    const marks = model.readMarks.of(by.accountId);
    model.readMarks.touched.add(by.accountId);
    if (operation === 'POST /notifications/read') {
      marks.upTo = Math.max(marks.upTo, (body as { up_to_id: number }).up_to_id);
      marks.at = at.getTime();
      return [];
    }
    if (data.id <= marks.upTo || marks.single.has(data.id)) return [];
    marks.single.set(data.id, data.read_at);
    if (by.administratorId !== null) model.noted(exchange, 'notification.marked_read', 'notification', data.id);
    return [];
  },

  async ask(inquiry) {
    const { touched } = inquiry.model.readMarks;
    const asked = [...touched];
    touched.clear();
    for (const accountId of asked) await inquiry.eventually(() => askMarks(inquiry, accountId));
  },
};

async function askMarks({ model, asOwner, same }: Inquiry, accountId: number): Promise<void> {
  const list = await asOwner(accountId, 'GET /notifications', { query: '?page=1&limit=100' });
  const counter = await asOwner(accountId, 'GET /notifications/unread');
  if (list.status !== 200 || counter.status !== 200) return;
  const rows = list.data as Row[];
  const { single, upTo, at } = model.readMarks.of(accountId);
  // A process may have written an older number later than the mark.
  const isRead = ({ id, created_at: createdAt }: Row) => single.has(id) || (id <= upTo && Date.parse(createdAt) <= at);
  const wrong = rows.filter((row) => isRead(row) !== (row.read_at !== null) && !(row.id <= upTo && Date.parse(row.created_at) > at - 5000));
  same(
    `account ${accountId} has read what it marked, and nothing else (NOT-6)`,
    [],
    wrong.map(({ id }) => id),
  );
  const moved = rows.filter(({ id, read_at: readAt }) => single.has(id) && single.get(id) !== readAt);
  same(
    `the first mark of a notification of account ${accountId} stays (NOT-6)`,
    [],
    moved.map(({ id }) => id),
  );
  if (list.meta.total > 100) return;
  const unread = rows.filter(({ read_at: readAt }) => readAt === null).length;
  same(
    `account ${accountId} counts its unread notifications (NOT-6)`,
    { list: unread, counter: unread },
    { list: list.meta.unread, counter: counter.data.unread },
  );
}
