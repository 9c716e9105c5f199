import type { ReviewApplicationArgs } from '../../../workflows/contracts/application.contract.ts';
import { assertNever, DomainError, fieldProblem, type FieldProblem, validationFailed } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { lastDayOfYear } from '../../platform/time/date-time.ts';
import { notify } from '../notifications/index.ts';
import { recordDecision, requireAdministrator } from '../reviews/index.ts';
import { approveApplication, usualValidity, type Validity } from './approve-application.ts';
import { recordStep, markChanged } from './command-parts.ts';
import { applicationNotifications } from './notifications.ts';
import { requireOpen } from './policy.ts';
import { lockApplication } from './queries.ts';
import { assessReadiness, isReady, factsOf } from './readiness/readiness.ts';
import type { ApplicationRecord, LockedApplication } from './record.ts';
import { requireTransition, transition } from './states.ts';

/** A decision on an application. `revision` null: any revision; a day that is null: the default (APP-8). */
interface ApplicationReview extends ReviewApplicationArgs {
  /** 5-3000 characters, for `changes` and `cancel`. */
  note?: string | null | undefined;
}

/**
 * Applies an administrator's decision to an application.
 *
 * `changes` returns it to its owner. `cancel` annuls a certificate and refunds nothing (APP-12). `approve` issues the certificate when
 * the application is ready (APP-4) and changes nothing on an approved one (APP-6). Repeating a decision with the same note writes nothing.
 * @throws {DomainError} forbidden, not_found, stale_revision, invalid_state, not_ready `{rules}`, validation_failed
 */
export async function reviewApplication(ctx: CommandContext, id: number, review: ApplicationReview): Promise<ApplicationRecord> {
  requireAdministrator(ctx);
  const locked = await lockApplication(ctx, id);
  const { application } = locked;
  if (review.revision !== null && review.revision !== application.revision)
    throw new DomainError('stale_revision', { revision: application.revision });
  const fromStatus = application.status;
  const { decision, note = null } = review;
  if (decision !== 'approve' && fromStatus === statusAfter[decision] && note !== null && application.reviewNote === note) return locked;
  if (decision === 'approve') {
    if (fromStatus !== 'approved') {
      requireTransition(application, 'approve');
      requireOpen(ctx, locked);
    }
    requireValidDates(ctx, locked, review);
    if (fromStatus === 'approved') return locked;
    await approve(ctx, locked, review);
  } else {
    await returnOrCancel(ctx, locked, decision, note);
  }
  await recordDecision(ctx, { subject: { kind: 'application', id }, decision, note, fromStatus, toStatus: application.status });
  return locked;
}

const statusAfter = { changes: 'changes', cancel: 'cancelled' } as const;

async function approve(ctx: CommandContext, locked: LockedApplication, review: ApplicationReview): Promise<void> {
  const rules = assessReadiness(factsOf(locked, ctx.now));
  if (!isReady(rules)) throw new DomainError('not_ready', { rules: rules.filter((rule) => !rule.ok) });
  await approveApplication(ctx, locked, validityOf(ctx, locked, review));
}

/**
 * Checks the given days, also when they are not used: in order and within the application's year (APP-8).
 *
 * A last day after the year is an error only for a `document`; a certificate or licence ignores it.
 * @throws {DomainError} validation_failed
 */
function requireValidDates(
  ctx: CommandContext,
  { application, certificate }: ApplicationRecord,
  { validFrom, validUntil }: Pick<ApplicationReview, 'validFrom' | 'validUntil'>,
): void {
  const problems: FieldProblem[] = [];
  const outOfRange = (field: string, message: string) => problems.push({ path: `body.${field}`, code: 'out_of_range', message });
  const [firstDay, lastDay] = [`${application.year}-01-01`, lastDayOfYear(application.year)];
  if (validFrom !== null && (validFrom < firstDay || validFrom > lastDay))
    outOfRange('valid_from', `must be between ${firstDay} and ${lastDay}, in the application's year`);
  if (validUntil !== null) {
    const start = validFrom ?? (certificate ?? usualValidity(application, ctx.now)).validFrom;
    if (validUntil < start) outOfRange('valid_until', `must not be before ${start}, the first day of validity`);
    else if (application.kind === 'document' && validUntil > lastDay)
      outOfRange('valid_until', `must not be after ${lastDay}, the end of the application's year`);
  }
  if (problems.length > 0) throw validationFailed(problems);
}

/** Returns the days of validity (APP-8); an issued certificate keeps its own (APP-6). */
function validityOf(ctx: CommandContext, { application, certificate }: ApplicationRecord, review: ApplicationReview): Validity {
  if (certificate) return certificate;
  const usual = usualValidity(application, ctx.now);
  if (application.kind === 'national_certificate') return usual;
  return {
    validFrom: review.validFrom ?? usual.validFrom,
    validUntil: application.kind === 'document' ? (review.validUntil ?? usual.validUntil) : usual.validUntil,
  };
}

async function returnOrCancel(
  ctx: CommandContext,
  locked: LockedApplication,
  decision: 'changes' | 'cancel',
  note: string | null,
): Promise<void> {
  const { application, service, certificate } = locked;
  if (note === null) throw fieldProblem('body.note', 'required', 'is required for this decision');
  const subject = { kind: 'application', id: application.id };
  const facts = { service: service.title, note };
  switch (decision) {
    case 'changes':
      transition(application, 'return');
      application.reviewNote = note;
      markChanged(ctx, application);
      await recordStep(ctx, locked, 'returned');
      await notify(ctx, application.ownerId, applicationNotifications['application.changes'], subject, facts);
      break;
    case 'cancel':
      transition(application, 'annul');
      application.cancelledAt = ctx.now;
      application.reviewNote = note;
      markChanged(ctx, application);
      await recordStep(ctx, locked, 'cancelled', { by: 'administrator', annulled: certificate?.number ?? null });
      await notify(ctx, application.ownerId, applicationNotifications['application.cancelled'], subject, facts);
      break;
    default:
      assertNever(decision);
  }
}
