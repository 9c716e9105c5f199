import type { Inquiry } from '../inquiry.ts';
import { athleteOf, organizerOf, registrationsOf, eventOf } from './registrations-of.ts';

interface Notification {
  type: string;
  text: string;
  subject: { kind: string; id: string };
  created_at: string;
}

const mostPages = 5;

/** Both sides of a registration are told of each fact once (NOT-1, REG-6, REG-15). */
export async function askNotices(inquiry: Inquiry, accounts: ReadonlySet<number>): Promise<void> {
  const { model, eventually, same } = inquiry;
  for (const accountId of accounts) {
    const told = model.told.get(accountId) ?? new Map<string, { least: number; most: number }>();
    await eventually(async () => {
      const list = await notificationsOf(inquiry, accountId);
      if (list === null) return;
      const counts = new Map<string, number>();
      for (const { type, subject } of list)
        if (type.startsWith('registration.') && type !== 'registration.submitted') {
          const key = `${type} ${subject.id}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
      for (const [key, { least, most }] of told) {
        const count = counts.get(key) ?? 0;
        // The sweeper tells the athletes of a cancelled event, within a minute.
        if (count < least && key.startsWith('registration.event_cancelled')) await inquiry.sweep();
        same(
          `account ${accountId} was told of ${key} once for each fact (NOT-1, REG-6, REG-15)`,
          Math.min(Math.max(count, least), most),
          count,
        );
      }
      const unknown = [...counts.keys()].filter((key) => !told.has(key));
      same(`account ${accountId} was told of no registration without a fact that concerns it (NOT-1, REG-8)`, [], unknown);
    });
    model.untold.delete(accountId);
  }
}

const hourMs = 3_600_000;
/** Answers and clocks differ by a moment. */
const momentMs = 5000;
const clockMs = 2000;

/**
 * The organizer is told of submissions at most once an hour for an event, with the number that waits (REG-19).
 * @param isAtRest an hour has passed without a step, so that every submission that waits was told of
 */
export async function askSubmissionNotices(inquiry: Inquiry, eventId: number, isAtRest = false): Promise<void> {
  const { model, now, eventually, same } = inquiry;
  const submittedAt = model.submittedAt.get(eventId);
  const changes = model.waitingChanges.get(eventId) ?? [];
  model.waitingChanges.delete(eventId);
  if (submittedAt === undefined) return;
  await eventually(async () => {
    const list = await notificationsOf(inquiry, organizerOf(model, eventId));
    if (list === null) return;
    const own = list.filter(({ type, subject }) => type === 'registration.submitted' && subject.id === String(eventId));
    const instants = own.map(({ created_at: at }) => Date.parse(at)).toSorted((left, right) => left - right);
    const early = instants.filter((at, index) => index > 0 && at - (instants[index - 1] ?? 0) < hourMs - momentMs);
    same(`the organizer of event ${eventId} is told of submissions at most once an hour (REG-19)`, [], early);
    const last = instants.at(-1) ?? 0;
    // The former organizer of a moved event may have been told within this hour.
    const isOfFormer = submittedAt < (model.formerToldUntil.get(eventId) ?? 0) + momentMs;
    if (!isOfFormer)
      same(
        `the organizer of event ${eventId} is told of a submission within the hour (REG-19)`,
        true,
        last > submittedAt - hourMs - momentMs,
      );
    const undecided = registrationsOf(model, eventId).filter(({ status }) => status === 'submitted');
    const waiting = undecided.length;
    const event = eventOf(model, eventId);
    const isGoing = event.status === 'published' && now.getTime() < event.endsAt;
    // An account gets no notification of its own submission.
    const hasOfOthers = undecided.some((one) => athleteOf(model, one) !== organizerOf(model, eventId));
    if (isAtRest && isGoing && hasOfOthers)
      same(`the organizer of event ${eventId} was told since the last submission that waits (REG-19)`, true, last > submittedAt - momentMs);
    const newest = own.find(({ created_at: at }) => Date.parse(at) === last);
    // One that the process sent when the hour was over, or before this step, counts what waited then.
    const isOfStep = last > Math.max(submittedAt, ...changes) - clockMs;
    const isNew = isOfStep && own.length === (model.submissionNotices.get(eventId) ?? 0) + 1;
    // Of several changes in one step, the process may have counted after any of them.
    if (isNew && !isAtRest && changes.length === 1) {
      const shown = (newest?.text ?? '').match(/\d+/g)?.at(-1);
      same(`the organizer of event ${eventId} is told how many registrations wait (REG-19)`, String(waiting), shown);
    }
    model.submissionNotices.set(eventId, own.length);
  });
}

/** All notifications of an account, newest first; null for one that cannot ask, or that has too many. */
async function notificationsOf({ asOwner }: Inquiry, accountId: number): Promise<Notification[] | null> {
  const rows: Notification[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const answer = await asOwner(accountId, 'GET /notifications', { query: page === 1 ? '?limit=100' : `?limit=100&page=${page}` });
    if (answer.status !== 200) return null;
    rows.push(...(answer.data as Notification[]));
    if (rows.length >= answer.meta.total) return rows;
  }
  return null;
}
