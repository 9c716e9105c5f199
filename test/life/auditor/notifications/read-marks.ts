import type { Area } from '../area.ts';
import type { Inquiry } from '../inquiry.ts';

/** What an account has marked as read. */
interface Marks {
  /** Single notifications, with their first mark. */
  single: Map<number, string>;
  /** All up to a notification, at an instant of the registry's clock, milliseconds. */
  upTo: { id: number; at: number }[];
}

export class ReadMarks {
  /** Accounts that have marked something since they were last asked. */
  readonly touched = new Set<number>();
  readonly #marks = new Map<number, Marks>();

  of(accountId: number): Marks {
    const marks = this.#marks.get(accountId) ?? { single: new Map(), upTo: [] };
    this.#marks.set(accountId, marks);
    return marks;
  }
}

/** A notification may be written within this time of a mark, before or after it, milliseconds. */
const toleranceMs = 5000;

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
      marks.upTo.push({ id: (body as { up_to_id: number }).up_to_id, at: at.getTime() });
      return [];
    }
    const isFirst = !marks.single.has(data.id) && marks.upTo.every(({ id }) => id < data.id);
    if (isFirst && by.administratorId !== null) model.noted(exchange, 'notification.marked_read', 'notification', data.id);
    if (!marks.single.has(data.id)) marks.single.set(data.id, data.read_at);
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
  const { single, upTo } = model.readMarks.of(accountId);
  // A process may write an older number later than the mark of a newer one.
  const agesAtMarks = ({ id, created_at: at }: Row) => upTo.filter((mark) => id <= mark.id).map((mark) => mark.at - Date.parse(at));
  const isRead = (row: Row) => single.has(row.id) || agesAtMarks(row).some((age) => age > 0);
  const isDoubtful = (row: Row) => !single.has(row.id) && agesAtMarks(row).some((age) => Math.abs(age) < toleranceMs);
  const wrong = rows.filter((row) => !isDoubtful(row) && isRead(row) !== (row.read_at !== null));
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
