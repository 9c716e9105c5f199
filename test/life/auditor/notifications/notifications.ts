import { createRandom } from '../../../support/random.ts';
import type { Area, Touched } from '../area.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import { askNamedSteps } from './text-steps.ts';
import { askText } from './texts.ts';

/** A notification, as its account reads it. */
export interface Notification {
  id: number;
  type: string;
  title: string;
  text: string;
  subject: { kind: string; id: string };
  created_at: string;
}

/** Of the list's newest rows so many are read again: a process may write an older number later. */
const readAgain = 20;
const pageSize = 100;

/**
 * Notifications, by `docs/rules/notifications.md`, both ways: each account has what the facts say, and nothing else of the types that an area
 * predicts (`Area.notifies`).
 * @param predicted these types, or their first parts
 */
export function notificationsArea(predicted: ReadonlySet<string>): Area {
  return {
    async ask(inquiry) {
      const { model } = inquiry;
      const asked = new Set([...model.notices.touched, ...oneMore(inquiry)]);
      model.notices.touched.clear();
      for (const id of asked) await askAccount(inquiry, id, predicted);
    },

    async askAll(inquiry) {
      for (const id of inquiry.model.accounts.keys()) await askAccount(inquiry, id, predicted);
    },
  };
}

/** One account by chance: what reaches a person whom the step does not concern. */
function oneMore({ model, now }: Inquiry): number[] {
  const ids = [...model.accounts.keys()];
  return ids.slice(createRandom(Math.floor(now.getTime() / 1000)).between(0, ids.length - 1)).slice(0, 1);
}

async function askAccount(inquiry: Inquiry, id: number, predicted: ReadonlySet<string>): Promise<void> {
  const { model, eventually } = inquiry;
  const { notices } = model;
  await eventually(async () => {
    // A blocked account reads nothing, and is asked when it can sign in again.
    if (!(await readNew(inquiry, id))) {
      notices.touched.add(id);
      return;
    }
    for (const [name, { least }] of notices.of(id)) {
      const times = notices.seen(id).get(name) ?? 0;
      if (times < least) throw new Finding(`account ${id} is told of ${name}, once for each fact (NOT-1)`, least, times);
    }
  });
  for (const [name, times] of notices.seen(id)) {
    const most = notices.of(id).get(name)?.most ?? 0;
    if (times <= most || !isPredicted(predicted, name)) notices.explained(id, name);
    else if (notices.isSuspect(id, name))
      throw new Finding(`account ${id} is told of nothing but facts that concern it, once each (NOT-1)`, `${name}: ${most}`, times);
    else lookAgain(model, id, name);
  }
}

function isPredicted(predicted: ReadonlySet<string>, name: string): boolean {
  const [type = ''] = name.split(' ');
  return predicted.has(type) || predicted.has(type.split('.')[0] ?? '');
}

/** Records whose notifications have another name. */
const kinds: Readonly<Record<string, Touched['kind']>> = { agreement: 'contract', event_stage: 'event' };

/** A process may have moved on after the records were read: the areas look at the record with the next step. */
function lookAgain(model: Model, accountId: number, name: string): void {
  const [type = '', subject = ''] = name.split(' ');
  model.notices.touched.add(accountId);
  const [family = ''] = type.split('.');
  model.suspects.push({ kind: kinds[family] ?? (family as Touched['kind']), id: Number(subject) });
}

/** Reads what is new in the list of an account. @returns false when no session can read it now */
export async function readNew(inquiry: Inquiry, accountId: number): Promise<boolean> {
  const { model } = inquiry;
  for (let page = 1; ; page += 1) {
    const list = await inquiry.asOwner(accountId, 'GET /notifications', { query: `?page=${page}&limit=${pageSize}` });
    if (list.status !== 200) return false;
    const rows = list.data as Notification[];
    let news = 0;
    for (const row of rows.toReversed())
      if (model.notices.sees(accountId, row.id, `${row.type} ${row.subject.id}`)) {
        news += 1;
        model.mails.learn(accountId, row);
        askText(inquiry, accountId, row);
        askNamedSteps(inquiry, row);
      }
    if (rows.length < pageSize || news <= pageSize - readAgain) return true;
  }
}
