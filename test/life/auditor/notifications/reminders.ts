import { administratorsOf } from '../accounts/account-records.ts';
import type { Area } from '../area.ts';
import { type Contract, type Event, type StageName, stageNames } from '../competitions/competition-records.ts';
import { isInTurn, isLivingEvent, liveContractOf } from '../competitions/competitions-of.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { dayOf } from '../days.ts';
import { type Model, ownerOf } from '../model.ts';
import { deadlinesOf } from '../competitions/competition-questions.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A reminder comes within these minutes after its instant; in between it may have come. */
const graceMs = 15 * minuteMs;

/** How often an account was reminded of a record: at least and at most. */
export interface Reminded {
  least: number;
  most: number;
}

/** What is known of the next reminder of a stage or an agreement. */
export interface Waiting {
  /** Since when it waits for the same party, milliseconds; null while it waits for no such party. */
  since: number | null;
  /** The party and what it is told. */
  name: string;
  state: 'ahead' | 'due' | 'over';
  /** Of a stage, when it was looked at last. */
  deadline: number;
  dueAt: number;
  /** Who is reminded when it is due. */
  readers: readonly (number | undefined)[];
}

/** Draws its conclusions before each request: up to its instant everything waited as it was left. */
export const reminderClock: Area = {
  judge(model, _asked, now) {
    settleReminders(model, now);
    return null;
  },
};

/** Reminders of stages (EVT-8) and of agreements (AGR-12). It sees a request after the areas have taken it over. */
export const remindersArea: Area = {
  saw(model, { at }) {
    settleReminders(model, at);
    return [];
  },

  async ask(inquiry) {
    settleReminders(inquiry.model, inquiry.now);
    for (const accountId of inquiry.model.reminders.unasked) await inquiry.eventually(() => askReminders(inquiry, accountId));
    inquiry.model.reminders.unasked.clear();
  },
};

/** Notes every reminder whose instant has come by now. Nothing else changes between two calls. */
function settleReminders(model: Model, now: Date): void {
  for (const event of model.events.values()) for (const stage of stageNames) settleStage(model, event, stage, now.getTime());
  for (const contract of model.contracts.values()) settleContract(model, contract, now.getTime());
}

/**
 * Once for a deadline, a week before it, while the stage waits for its organizer; not of a deadline that has passed when the stage begins to
 * wait or the deadline moves.
 */
function settleStage(model: Model, event: Event, stage: StageName, now: number): void {
  const waits = waitingOf(model, `${event.id}/${stage}`);
  if (!waitsForOrganizer(model, event, stage)) return stopWaiting(waits);
  const deadline = deadlinesOf(event).get(stage) ?? 0;
  const remindAt = deadline - 7 * dayMs;
  const record = `event_stage.reminder ${event.id}`;
  // Whether a stage opens again when an earlier one or its scan was decided on again, the rules do not say.
  const isBack = waits.since === null && waits.deadline > 0;
  waits.since ??= now;
  const isMoved = isBack && waits.deadline !== deadline;
  const knownSince = waits.deadline === deadline ? waits.since : now;
  waits.deadline = deadline;
  if (remindAt > now) {
    waits.state = 'ahead';
    return;
  }
  if (waits.state === 'ahead') {
    const isLate = dayOf(new Date(deadline)) < dayOf(new Date(knownSince));
    if (!isLate || isBack) mayRemind(model, waits, [ownerOf(model, event.profileId)], record);
    Object.assign(waits, { state: isLate || isMoved ? 'over' : 'due', dueAt: Math.max(remindAt, waits.since) });
  } else if (isMoved) mayRemind(model, waits, [ownerOf(model, event.profileId)], record);
  if (waits.state === 'due') remind(model, waits, [ownerOf(model, event.profileId)], record, now, 'over');
}

/** From now on each of them may have been told. */
function mayRemind(model: Model, waits: Waiting, readers: Waiting['readers'], record: string): void {
  waits.readers = readers;
  for (const reader of readers) expect(model, reader, record, 'most');
}

/**
 * Each has been told some minutes after it was due. Where the record went to another account meanwhile, either may have been told.
 * @param next the state after that
 */
function remind(model: Model, waits: Waiting, readers: Waiting['readers'], record: string, now: number, next: Waiting['state']): void {
  const isOthers = readers.join() !== waits.readers.join();
  if (isOthers) {
    const others = readers.filter((reader) => !waits.readers.includes(reader));
    mayRemind(model, waits, others, record);
  }
  if (!isOthers && now < waits.dueAt + graceMs) return;
  waits.state = next;
  if (!isOthers) for (const reader of readers) expect(model, reader, record, 'least');
}

function waitsForOrganizer(model: Model, event: Event, stage: StageName): boolean {
  const { status } = event.stages[stage];
  if (!isLivingEvent(event) || (status !== 'open' && status !== 'changes') || !isInTurn(event, stage)) return false;
  return stage !== 'agreement' || liveContractOf(model, event.id)?.status !== 'pending';
}

/** A reminder that was due may have come. */
function stopWaiting(waits: Waiting): void {
  waits.since = null;
  if (waits.state === 'due') waits.state = 'over';
}

/** The organizer of a missing scan after 7, 14 and 21 days, administrators of a waiting one after 3; missed ones as one (AGR-12). */
function settleContract(model: Model, contract: Contract, now: number): void {
  const { id, status, since } = contract;
  const event = model.events.get(contract.eventId);
  const waits = waitingOf(model, `contract/${id}`);
  const days = event && isLivingEvent(event) ? (daysOf[status] ?? []) : [];
  const name = `${status} ${since}`;
  if (waits.name !== name) Object.assign(waits, { name, state: 'ahead', dueAt: since });
  const accounts = status === 'pending' ? administratorsOf(model) : [model.profiles.get(event?.profileId ?? 0)?.ownerId];
  const record = `agreement.${status === 'pending' ? 'scan_waiting' : 'scan_missing'} ${id}`;
  if (days.length === 0) return;
  const came = days.map((count) => since + count * dayMs).filter((at) => at > waits.dueAt && at <= now + minuteMs);
  if (came.length > 0) {
    Object.assign(waits, { state: 'due', dueAt: Math.max(...came) });
    mayRemind(model, waits, accounts, record);
  }
  if (waits.state === 'due') remind(model, waits, accounts, record, now, 'ahead');
}

const daysOf: Partial<Record<Contract['status'], number[]>> = { generated: [7, 14, 21], rejected: [7, 14, 21], pending: [3] };

function waitingOf(model: Model, record: string): Waiting {
  const known = model.reminders.waiting.get(record) ?? { since: null, name: '', state: 'ahead', dueAt: 0, deadline: 0, readers: [] };
  model.reminders.waiting.set(record, known);
  return known;
}

function expect(model: Model, accountId: number | undefined, record: string, bound: keyof Reminded): void {
  if (accountId === undefined) return;
  const { counts, unasked } = model.reminders;
  const ofAccount = counts.get(accountId) ?? new Map<string, Reminded>();
  counts.set(accountId, ofAccount);
  const known = ofAccount.get(record) ?? { least: 0, most: 0 };
  known[bound] += 1;
  ofAccount.set(record, known);
  unasked.add(accountId);
}

const kinds: ReadonlySet<string> = new Set(['event_stage.reminder', 'agreement.scan_missing', 'agreement.scan_waiting']);

async function askReminders({ model, asOwner }: Inquiry, accountId: number): Promise<void> {
  const expected = model.reminders.counts.get(accountId) ?? new Map<string, Reminded>();
  const list = await asOwner(accountId, 'GET /notifications', { query: '?limit=100' });
  if (list.status !== 200 || list.meta.total > 100) return;
  const shown = (list.data as { type: string; subject: { id: string } }[]).filter(({ type }) => kinds.has(type));
  const records = new Set([...expected.keys(), ...shown.map(({ type, subject }) => `${type} ${subject.id}`)]);
  for (const record of records) {
    const { least, most } = expected.get(record) ?? { least: 0, most: 0 };
    const count = shown.filter(({ type, subject }) => `${type} ${subject.id}` === record).length;
    if (count < least || count > most)
      throw new Finding(
        `account ${accountId} was reminded of ${record} once for each date (EVT-8, AGR-12)`,
        `${least} to ${most} times`,
        count,
      );
  }
}
