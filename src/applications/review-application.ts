import { DomainError, assertNever, fieldProblem, validationFailed } from '../errors.ts';
import type { FieldProblem } from '../errors.ts';
import { audit } from '../administration/audit.ts';
import { ReviewDecisionEntity } from '../administration/entities.ts';
import { requireAdministrator } from '../administration/require-administrator.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { lastDayOfYear } from '../platform/date-time.ts';
import { approveApplication, usualValidity } from './approve-application.ts';
import type { Validity } from './approve-application.ts';
import { lockApplication, markChanged, requireYearOpen } from './lock-application.ts';
import type { LockedApplication } from './lock-application.ts';
import { assessReadiness, isReady } from './readiness.ts';
import { factsOf } from './record.ts';
import { requireTransition } from './states.ts';

export interface ApplicationReview {
  id: number;
  decision: 'approve' | 'changes' | 'cancel';
  /** The revision the administrator has read. */
  revision: number;
  /** Days given for the certificate; null: the usual ones. */
  validFrom: string | null;
  validUntil: string | null;
  /** 5-3000 characters, for `changes` and `cancel`. */
  note: string | null;
}

/**
 * An administrator's decision on an application (service.md "POST /admin/review"). `changes` gives it back to its owner;
 * `cancel` ends it, annuls a certificate and refunds nothing; `approve` issues it when every condition holds and leaves an
 * issued one as it is.
 * @throws {DomainError} forbidden, not_found, stale_revision, invalid_state, not_ready `{rules}`, validation_failed
 */
export async function reviewApplication(ctx: CommandContext, review: ApplicationReview): Promise<void> {
  const actorId = requireAdministrator(ctx);
  const locked = await lockApplication(ctx, review.id);
  const { application } = locked;
  if (application.revision !== review.revision) throw new DomainError('stale_revision', { revision: application.revision });
  const fromStatus = application.status;
  if (review.decision === 'approve') {
    if (fromStatus !== 'approved') {
      requireTransition(fromStatus, 'approve');
      requireYearOpen(ctx, application);
    }
    requireSoundDates(ctx, locked, review);
    if (fromStatus === 'approved') return;
    await approve(ctx, locked, review);
  } else {
    refuse(ctx, locked, review.decision, review.note);
  }
  ctx.em.create(ReviewDecisionEntity, {
    subjectKind: 'application',
    subjectId: review.id,
    decision: review.decision,
    note: review.note,
    fromStatus,
    toStatus: application.status,
    actorId,
    requestId: ctx.requestId,
    at: ctx.now,
  });
}

async function approve(ctx: CommandContext, locked: LockedApplication, review: ApplicationReview): Promise<void> {
  const rules = assessReadiness(factsOf(locked.record, ctx.now));
  if (!isReady(rules)) throw new DomainError('not_ready', { rules: rules.filter((rule) => !rule.ok) });
  await approveApplication(ctx, locked, validityOf(ctx, locked, review));
}

/**
 * Days that are given must make sense, also where they are not used in the end: in order, the first within the application's
 * year, and the last too where it counts. A later last day of a certificate or licence is ignored (service.md "Application").
 * @throws {DomainError} validation_failed
 */
function requireSoundDates(ctx: CommandContext, { application, record }: LockedApplication, review: ApplicationReview): void {
  const { validFrom, validUntil } = review;
  const problems: FieldProblem[] = [];
  const outOfRange = (field: string, message: string) => problems.push({ path: `body.${field}`, code: 'out_of_range', message });
  const [firstDay, lastDay] = [`${application.year}-01-01`, lastDayOfYear(application.year)];
  if (validFrom !== null && (validFrom < firstDay || validFrom > lastDay))
    outOfRange('valid_from', `must be between ${firstDay} and ${lastDay}, in the application's year`);
  if (validUntil !== null) {
    const start = validFrom ?? (record.certificate ?? usualValidity(application, ctx.now)).validFrom;
    if (validUntil < start) outOfRange('valid_until', `must not be before ${start}, the first day of validity`);
    else if (application.kind === 'document' && validUntil > lastDay)
      outOfRange('valid_until', `must not be after ${lastDay}, the end of the application's year`);
  }
  if (problems.length > 0) throw validationFailed(problems);
}

/** Certificates and licences always end with their year, whatever was asked; other documents within it (service.md "Application"). */
function validityOf(ctx: CommandContext, { application, record }: LockedApplication, review: ApplicationReview): Validity {
  if (record.certificate) return record.certificate;
  const usual = usualValidity(application, ctx.now);
  if (application.kind === 'national_certificate') return usual;
  return {
    validFrom: review.validFrom ?? usual.validFrom,
    validUntil: application.kind === 'document' ? (review.validUntil ?? usual.validUntil) : usual.validUntil,
  };
}

function refuse(
  ctx: CommandContext,
  { application, record }: LockedApplication,
  decision: 'changes' | 'cancel',
  note: string | null,
): void {
  if (note === null) throw fieldProblem('body.note', 'required', 'is required for this decision');
  const subject = { kind: 'application', id: application.id };
  const facts = { service: record.service.title.en, note };
  switch (decision) {
    case 'changes':
      application.status = requireTransition(application.status, 'return');
      audit(ctx, 'application.returned', subject);
      notify(ctx, application.ownerId, 'application.changes', subject, facts);
      break;
    case 'cancel':
      application.status = requireTransition(application.status, 'annul');
      application.cancelledAt = ctx.now;
      audit(ctx, 'application.cancelled', subject, { by: 'administrator', annulled: record.certificate?.number ?? null });
      notify(ctx, application.ownerId, 'application.cancelled', subject, facts);
      break;
    default:
      assertNever(decision);
  }
  application.reviewNote = note;
  markChanged(ctx, application);
}
