import { statusListContract } from '../../../workflows/contracts/status-list.contract.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { dayOf, endOfDay, formatDateTime } from '../../platform/time/date-time.ts';
import { defineProcess, type NextLook, type ProcessState } from '../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../platform/workflows/due-at.ts';
import { editionSeconds } from './status-list.ts';

/** Least time between two editions, milliseconds. */
const spacingMs = 3_000;
/** Age at which an edition is replaced although nothing has changed. */
const refreshMs = (editionSeconds * 1000) / 2;
/**
 * Looks after an edition for changes without a wake-up of their own: their command saw an earlier change that waited, and committed after the
 * edition (`keep_status_list_change`).
 */
const latecomersMs = [12_000, 45_000];

/** A status list as its process sees it. */
export interface ListedEdition {
  id: number;
  openedAt: Date;
  /** Null before the first edition. */
  issuedAt: Date | null;
  /** Whether facts have changed since the latest edition. */
  hasChanges: boolean;
  dueAt: Date | null;
}

export function newStatusList(id: number, now: Date): ListedEdition {
  return { id, openedAt: now, issuedAt: null, hasChanges: false, dueAt: null };
}

async function findStatusLists(db: Database, ids: readonly number[]): Promise<ListedEdition[]> {
  return db
    .selectFrom('status_lists as l')
    .select(({ exists, selectFrom, lit }) => [
      'l.id',
      'l.openedAt',
      'l.issuedAt',
      'l.dueAt',
      exists(selectFrom('status_list_changes as c').select(lit(1).as('one')).whereRef('c.listId', '=', 'l.id'))
        .$castTo<boolean>()
        .as('hasChanges'),
    ])
    .where('l.id', '=', inList(ids))
    .orderBy('l.id')
    .execute();
}

/**
 * Describes a list's process at an instant (VER-12): the next edition is due after a change, at midnight in UTC+5, when dates begin, end and
 * lapse, and when half of the latest one's life has passed.
 */
function describeStatusList({ issuedAt, hasChanges }: ListedEdition, now: Date): ProcessState {
  if (issuedAt === null) return dueState('Makes the first edition.');
  const after = (ms: number) => new Date(issuedAt.getTime() + ms);
  const looks: NextLook[] = [
    ...(hasChanges ? [{ at: after(spacingMs), why: 'certificates have changed' }] : []),
    { at: endOfDay(dayOf(issuedAt)), why: 'the day ends' },
    { at: after(refreshMs), why: 'the edition is renewed' },
  ];
  const due = looks.find(({ at }) => at <= now);
  if (due) return dueState(`Makes the next edition: ${due.why}.`);
  const latecomers = latecomersMs.map(after).filter((at) => at > now);
  const [next] = [...looks, ...latecomers.map((at) => ({ at, why: 'late changes are looked for' }))].toSorted(
    (left, right) => left.at.getTime() - right.at.getTime(),
  );
  const details = `The latest edition is of ${formatDateTime(issuedAt)}.`;
  return { stage: 'current', waitingFor: 'date', details, isOver: false, isDue: false, next: next ?? null };
}

function dueState(details: string): ProcessState {
  return { stage: 'due', waitingFor: 'none', details, isOver: false, isDue: true, next: null };
}

/**
 * Returns the instant up to which an edition has every change (GAT-6): now, unless a change waits for the next edition, or a midnight has
 * passed, when documents lapse.
 * @param oldestChangeAt of the changes that wait; null without one
 */
export function completeUntil({ issuedAt, oldestChangeAt }: { issuedAt: Date; oldestChangeAt: Date | null }, now: Date): Date {
  const limits = [now, endOfDay(dayOf(issuedAt)), ...(oldestChangeAt === null ? [] : [oldestChangeAt])];
  return new Date(Math.min(...limits.map((limit) => limit.getTime())));
}

const dueAt = dueAtOf('status_lists');

/** The process of a status list; it never ends. */
export const statusListProcess = defineProcess(statusListContract, {
  subject: 'status_list',
  summary: (id) => `Status list ${id}: makes each edition`,
  read: findStatusLists,
  describe: describeStatusList,
  since: ({ issuedAt, openedAt }) => issuedAt ?? openedAt,
  dueAt: { of: (row) => row.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('status_lists', 'true'),
  commands: {},
});
