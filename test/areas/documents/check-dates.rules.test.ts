import { checkDates, checkIssue } from '../../../src/areas/documents/states.ts';
import { isDomainError } from '../../../src/errors.ts';

const now = new Date('2026-06-15T23:30:00+05:00');

function problemsOf(issuedAt: string | null, expiresAt: string | null, check = checkDates): string[] {
  try {
    check({ issuedAt, expiresAt }, now);
    return [];
  } catch (error) {
    if (!isDomainError(error)) throw error;
    const fields = error.details?.['fields'] as { path: string; code: string }[];
    return fields.map(({ path, code }) => `${path} ${code}`);
  }
}

// DOC-4
test.each([
  [null, null, []],
  ['2026-06-15', '2026-06-15', []],
  ['2020-01-01', null, []],
  [null, '2026-06-14', ['body.expires_at expired']],
  ['2026-06-16', null, ['body.issued_at in_future']],
  ['2026-06-15', '2026-06-01', ['body.issued_at after_expires_at', 'body.expires_at expired']],
  ['2027-01-01', '2026-12-31', ['body.issued_at in_future', 'body.issued_at after_expires_at']],
])('issued %s, expires %s: %j', (issuedAt: string | null, expiresAt: string | null, problems: string[]) => {
  expect(problemsOf(issuedAt, expiresAt)).toEqual(problems);
  // A correction may set a past last day; the other checks stay.
  expect(problemsOf(issuedAt, expiresAt, checkIssue)).toEqual(problems.filter((problem) => problem !== 'body.expires_at expired'));
});
