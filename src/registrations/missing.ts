import { adultAge, assessReadiness, isReady, readinessFactsOf } from '../applications/index.ts';
import type { ApplicationRecord, ReadinessFacts, ReadinessRule } from '../applications/index.ts';
import type { DaySpan } from '../competitions/index.ts';
import { dayOf, lastDayOfYear, startOfDay } from '../platform/date-time.ts';
import { dayAfter, partsOf } from './day-parts.ts';
import { foreignPapers } from './eligibility.ts';
import type { ForeignPaper } from './eligibility.ts';

/** A condition that keeps a profile from being registered, and what would help. */
export interface MissingRule extends Pick<ReadinessRule, 'rule' | 'waiting_for' | 'fix'> {
  /** The application that it is a condition of; null: of none. */
  applicationId: number | null;
}

/**
 * What a profile that is not eligible lacks: of each of its living applications that would fit the conditions that do not hold on some day of
 * the event, and of another federation's papers those that are wanting, where it has begun with them. Never empty.
 * @param span the days of the event
 */
export function missingFor(
  applications: readonly ApplicationRecord[],
  papers: readonly ForeignPaper[],
  span: DaySpan,
  now: Date,
): MissingRule[] {
  const missing = [...applications.flatMap((application) => missingOf(application, span, now)), ...missingPapers(papers)];
  if (missing.length > 0) return missing;
  return [{ rule: 'licence', applicationId: null, waiting_for: 'owner', fix: { method: 'POST', path: '/applications' } }];
}

function missingOf(record: ApplicationRecord, span: DaySpan, now: Date): MissingRule[] {
  const facts = readinessFactsOf(record, now);
  const applicationId = record.id;
  const unmet = new Map<string, MissingRule>();
  for (const day of [facts.day, ...partsOf(span, changesOf(facts)).map(({ first }) => first)])
    for (const { rule, ok, waiting_for, fix } of assessReadiness({ ...facts, day }))
      if (!ok && !unmet.has(rule)) unmet.set(rule, { rule, applicationId, waiting_for, fix });
  if (unmet.size === 0 && record.application.status !== 'approved' && isReady(assessReadiness(facts)))
    unmet.set('decision', {
      rule: 'decision',
      applicationId,
      waiting_for: 'administrator',
      fix: { method: 'POST', path: '/admin/review' },
    });
  return [...unmet.values()];
}

/** Days on which a condition may be otherwise than on the day before: a document has expired, the athlete is of age, the year is over. */
function changesOf({ documents, profile: { birthDate }, year }: ReadinessFacts): string[] {
  return [
    ...documents.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [dayAfter(expiresAt)])),
    ...(birthDate === null ? [] : [birthdayAt(birthDate, adultAge)]),
    dayAfter(lastDayOfYear(year)),
  ];
}

/** Of those born on 29 February the first of March, where the year has no such day. */
function birthdayAt(birthDate: string, age: number): string {
  return dayOf(startOfDay(`${Number(birthDate.slice(0, 4)) + age}${birthDate.slice(4)}`));
}

function missingPapers(papers: readonly ForeignPaper[]): MissingRule[] {
  if (papers.length === 0) return [];
  return foreignPapers
    .filter((type) => !papers.some((paper) => paper.type === type && paper.status === 'approved'))
    .map((type): MissingRule => {
      const isWaiting = papers.some((paper) => paper.type === type && paper.status === 'pending');
      if (isWaiting)
        return { rule: type, applicationId: null, waiting_for: 'administrator', fix: { method: 'POST', path: '/admin/review' } };
      return { rule: type, applicationId: null, waiting_for: 'owner', fix: { method: 'POST', path: '/documents' } };
    });
}
