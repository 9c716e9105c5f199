import { type FieldProblem, validationFailed } from '../../errors.ts';
import { dayOf } from '../../platform/date-time.ts';

/** Days of a document, `YYYY-MM-DD`. */
export interface DocumentDates {
  issuedAt: string | null;
  expiresAt: string | null;
}

/** Checks the days of a document that its owner sends (DOC-4). @throws {DomainError} validation_failed */
export function checkDates(dates: DocumentDates, now: Date): void {
  const problems = problemsOfIssue(dates, now);
  const { expiresAt } = dates;
  if (expiresAt !== null && expiresAt < dayOf(now))
    problems.push({ path: 'body.expires_at', code: 'expired', message: 'has passed: the document is no longer valid' });
  if (problems.length > 0) throw validationFailed(problems);
}

/** Checks the days of a corrected document, which may have expired (DOC-4, DOC-6). @throws {DomainError} validation_failed */
export function checkIssue(dates: DocumentDates, now: Date): void {
  const problems = problemsOfIssue(dates, now);
  if (problems.length > 0) throw validationFailed(problems);
}

function problemsOfIssue({ issuedAt, expiresAt }: DocumentDates, now: Date): FieldProblem[] {
  const today = dayOf(now);
  const problems: FieldProblem[] = [];
  if (issuedAt !== null && issuedAt > today) problems.push({ path: 'body.issued_at', code: 'in_future', message: 'is in the future' });
  if (issuedAt !== null && expiresAt !== null && issuedAt > expiresAt) {
    problems.push({ path: 'body.issued_at', code: 'after_expires_at', message: 'is after expires_at' });
  }
  return problems;
}
