import type { ProcessView } from '../../workflows/process.contract.ts';
import { assertNever } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { endOfDay, endOfYear, formatDateTime } from '../platform/date-time.ts';
import { dueStep } from './due-step.ts';
import { findApplication } from './queries.ts';
import { assessReadiness, waitingForFirst } from './readiness.ts';
import type { ReadinessRule } from './readiness.ts';
import { factsOf } from './record.ts';
import type { ApplicationRecord } from './record.ts';
import { isLive } from './states.ts';

/**
 * How an application's process stands, in words that a support person reads in the engine's UI; no private data.
 * @param known the application as it stands, where it need not be read again
 */
export async function viewApplication(
  ctx: Pick<CommandContext, 'em' | 'now'>,
  id: number,
  known?: ApplicationRecord,
): Promise<ProcessView> {
  const record = known ?? (await findApplication(ctx.em, id));
  return record ? viewOfApplication(record, ctx.now) : absent(id);
}

/** The same, or null when something is due that the process must do first. */
export async function viewApplicationUnlessDue(ctx: Pick<CommandContext, 'em' | 'now'>, id: number): Promise<ProcessView | null> {
  const record = await findApplication(ctx.em, id);
  if (!record) return absent(id);
  return dueStep(record, ctx.now) === null ? viewOfApplication(record, ctx.now) : null;
}

function absent(id: number): ProcessView {
  return { stage: 'absent', waitingFor: 'nobody', details: `There is no application ${id}.`, isOver: true, wakeAfterMs: null };
}

/** The same for a record at hand. */
export function viewOfApplication(record: ApplicationRecord, now: Date): ProcessView {
  const isOver = !isLive(record.status);
  const wakeAfterMs = isOver ? null : Math.max(0, nextInstant(record, now).getTime() - now.getTime());
  return { stage: record.status, ...situationOf(record, now), isOver, wakeAfterMs };
}

function situationOf(record: ApplicationRecord, now: Date): Pick<ProcessView, 'waitingFor' | 'details'> {
  const until = `Looks again at ${formatDateTime(nextInstant(record, now))}.`;
  switch (record.status) {
    case 'draft':
      return { waitingFor: 'owner', details: `Waits for the owner: a draft, not submitted yet. ${until}` };
    case 'changes':
      return { waitingFor: 'owner', details: `Waits for the owner: to be corrected and submitted again. ${until}` };
    case 'approved': {
      const issued = `Approved as ${record.certificate?.number ?? 'a certificate'}`;
      return record.resubmissionDueSince === null
        ? { waitingFor: 'date', details: `${issued}; waits for a document to expire or the year to end. ${until}` }
        : {
            waitingFor: 'owner',
            details: `${issued}, not in force: documents were replaced. Waits for the owner: to be submitted again. ${until}`,
          };
    }
    case 'submitted': {
      const rules = assessReadiness(factsOf(record, now));
      const waitingFor = waitingForFirst(rules) ?? 'administrator';
      return { waitingFor, details: `Submitted. Waits for the ${waitingFor}: ${namesOf(rules, waitingFor)}. ${until}` };
    }
    case 'cancelled':
    case 'closed':
      return { waitingFor: 'nobody', details: `Over: ${record.status}.` };
    default:
      return assertNever(record.status);
  }
}

function namesOf(rules: ReadinessRule[], party: ProcessView['waitingFor']): string {
  const names = rules.filter((rule) => rule.waiting_for === party).map((rule) => rule.rule);
  return names.length === 0 ? 'decision' : names.join(', ');
}

/** The end of the year, or before it the lapse of a document that the application stands on. */
function nextInstant(record: ApplicationRecord, now: Date): Date {
  const isStanding = record.status === 'submitted' || record.status === 'approved';
  const lapses = isStanding ? record.documents.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [endOfDay(expiresAt)])) : [];
  const ahead = lapses.filter((instant) => instant > now);
  return [...ahead, endOfYear(record.year)].reduce((first, instant) => (instant < first ? instant : first));
}
