import fc from 'fast-check';
import type { EventStage, RegistrationSettings } from '../../../src/areas/competitions/entities.ts';
import { closingOf, competitionDays, intakeOf } from '../../../src/areas/competitions/events/dates.ts';
import { deadlineOf, scheduledSteps, reminderOf } from '../../../src/areas/competitions/events/schedule.ts';
import { describeEvent } from '../../../src/areas/competitions/events/process.ts';
import type { EventRecord } from '../../../src/areas/competitions/events/record.ts';
import { defaultSettings } from '../../../src/areas/competitions/events/settings.ts';
import type { EventStatus, StageName, StageStatus } from '../../../src/areas/competitions/events/states.ts';
import { dayOf } from '../../../src/platform/time/date-time.ts';

const at = (text: string) => new Date(`${text}:00+05:00`);
const dayMs = 86_400_000;

describe('the days of a competition', () => {
  test.each([
    ['2026-06-05T09:00', '2026-06-06T18:00', ['2026-06-05', '2026-06-06']],
    ['2026-06-05T00:00', '2026-06-05T00:00', ['2026-06-05']],
    ['2026-12-31T23:30', '2027-01-01T00:00', ['2026-12-31', '2027-01-01']],
    ['2028-02-28T12:00', '2028-03-01T12:00', ['2028-02-28', '2028-02-29', '2028-03-01']],
  ])('from %s to %s', (startsAt, endsAt, days) => {
    expect(competitionDays({ startsAt: at(startsAt), endsAt: at(endsAt) })).toEqual(days);
  });

  test('are in UTC+5, each once, in order, first and last included', () => {
    const start = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(start, fc.integer({ min: 0, max: 60 * dayMs }), (startsAt, lengthMs) => {
        const endsAt = new Date(startsAt.getTime() + lengthMs);
        const days = competitionDays({ startsAt, endsAt });
        expect([days[0], days.at(-1)]).toEqual([dayOf(startsAt), dayOf(endsAt)]);
        expect(days).toEqual([...new Set(days)].toSorted());
        expect(days).toHaveLength((Date.parse(dayOf(endsAt)) - Date.parse(dayOf(startsAt))) / dayMs + 1);
      }),
    );
  });
});

test('deadlines count from the start, for results from the end; reminders come a week before (EVT-8)', () => {
  const dates = { startsAt: at('2026-06-15T09:00'), endsAt: at('2026-06-16T18:00') };
  expect(dayOf(deadlineOf(dates, 'agreement'))).toBe('2026-05-01');
  expect(dayOf(deadlineOf(dates, 'details'))).toBe('2026-05-16');
  expect(dayOf(deadlineOf(dates, 'regulations'))).toBe('2026-06-01');
  expect(deadlineOf(dates, 'results')).toEqual(at('2026-06-23T18:00'));
  expect(reminderOf(dates, 'regulations')).toEqual(at('2026-05-25T09:00'));
  expect(reminderOf(dates, 'results')).toEqual(dates.endsAt);
});

// EVT-14
describe('the intake', () => {
  const startsAt = at('2026-06-15T09:00');
  const endsAt = at('2026-06-16T18:00');
  const dates = { opensAt: at('2026-05-01T00:00'), closesAt: at('2026-06-01T00:00') };
  const published = { status: 'published', startsAt, endsAt } as const;

  test.each<[string, EventStatus, Partial<RegistrationSettings> | null, string, string]>([
    ['a draft takes none', 'draft', dates, '2026-05-10T00:00', 'unpublished'],
    ['a cancelled one neither', 'cancelled', dates, '2026-05-10T00:00', 'unpublished'],
    ['nothing was set', 'published', null, '2026-05-10T00:00', 'not_open'],
    ['no opening was set', 'published', { opensAt: null }, '2026-05-10T00:00', 'not_open'],
    ['before the opening', 'published', dates, '2026-04-30T23:59', 'not_open'],
    ['from the opening on', 'published', dates, '2026-05-01T00:00', 'open'],
    ['until the closing', 'published', dates, '2026-05-31T23:59', 'open'],
    ['from the closing on', 'published', dates, '2026-06-01T00:00', 'closed'],
    ['without a closing until the start', 'published', { ...dates, closesAt: null }, '2026-06-15T08:59', 'open'],
    ['without a closing from the start on', 'published', { ...dates, closesAt: null }, '2026-06-15T09:00', 'closed'],
    ['with a closing after the start until then', 'published', { ...dates, closesAt: at('2026-06-16T12:00') }, '2026-06-16T11:59', 'open'],
    ['a closing after the end is the end', 'published', { ...dates, closesAt: at('2026-06-20T00:00') }, '2026-06-16T18:00', 'closed'],
    ['completed', 'completed', dates, '2026-05-10T00:00', 'closed'],
  ])('%s', (_name, status, settings, now, expected) => {
    const given = settings && { ...dates, ...settings };
    expect(intakeOf({ status, startsAt, endsAt }, given, at(now))).toBe(expected);
  });

  test('goes from not open to open to closed, and never back', () => {
    const instant = fc.integer({ min: at('2026-04-01T00:00').getTime(), max: at('2026-07-01T00:00').getTime() }).map((ms) => new Date(ms));
    const order = ['not_open', 'open', 'closed'];
    fc.assert(
      fc.property(instant, fc.option(instant), instant, instant, (opensAt, closesAt, one, other) => {
        const [before, after] = one <= other ? [one, other] : [other, one];
        const of = (now: Date) => order.indexOf(intakeOf(published, { opensAt, closesAt }, now));
        expect(of(before)).toBeLessThanOrEqual(of(after));
        expect(closingOf(published, { closesAt }) <= endsAt).toBe(true);
      }),
    );
  });
});

const startsAt = at('2026-06-15T09:00');
const endsAt = at('2026-06-16T18:00');

function record(
  status: EventStatus,
  stages: Partial<Record<StageName, StageStatus>>,
  settings: Partial<RegistrationSettings> | null = null,
  reminded: readonly StageName[] = [],
): EventRecord {
  const stage = (name: StageName): EventStage => ({
    eventId: 4,
    stage: name,
    status: stages[name] ?? 'locked',
    fileId: null,
    submittedAt: null,
    decidedAt: null,
    reviewNote: null,
    remindedAt: reminded.includes(name) ? startsAt : null,
    updatedAt: startsAt,
  });
  return {
    id: 4,
    event: {
      id: 4,
      ownerId: 1,
      profileId: 1,
      serviceId: 30,
      disciplineId: 1,
      agreementTerms: null,
      agreementScanAt: null,
      title: 'Алатау ралли',
      location: 'Алматы',
      startsAt,
      endsAt,
      reserveAt: null,
      status,
      agreementFlow: 3,
      feeApplicationId: null,
      publishedAt: status === 'published' ? at('2026-04-01T00:00') : null,
      completedAt: null,
      cancelledAt: null,
      cancelReason: null,
      dueAt: null,
      createdAt: at('2026-01-01T00:00'),
      updatedAt: at('2026-01-01T00:00'),
    },
    stages: { agreement: stage('agreement'), details: stage('details'), regulations: stage('regulations'), results: stage('results') },
    settings: settings && {
      eventId: 4,
      ...defaultSettings,
      openedAt: null,
      closedAt: null,
      submissionsToldAt: null,
      hasUntoldSubmissions: false,
      updatedAt: startsAt,
      ...settings,
    },
    fee: null,
  };
}

// EVT-8, EVT-14
describe('scheduled steps of an event', () => {
  const why = (given: EventRecord) => scheduledSteps(given).map((step) => step.why);
  const approved = { agreement: 'approved', details: 'approved' } as const;
  const dates = { opensAt: at('2026-05-01T00:00'), closesAt: at('2026-06-01T00:00') };

  test.each<[string, EventRecord, string[]]>([
    ['reminds of the open agreement of a draft', record('draft', { agreement: 'open' }), ['reminder: agreement due']],
    ['reminds once', record('draft', { agreement: 'open' }, null, ['agreement']), []],
    ['does not remind of a submitted stage', record('in_progress', { agreement: 'approved', details: 'submitted' }), []],
    ['reminds of a returned stage', record('in_progress', { agreement: 'approved', details: 'changes' }), ['reminder: details due']],
    ['has no intake before publication', record('in_progress', { agreement: 'approved', details: 'submitted' }, dates), []],
    [
      'has intake and reminders after publication',
      record('published', { ...approved, regulations: 'open' }, dates),
      ['intake opens', 'reminder: regulations due', 'intake closes'],
    ],
    ['has no intake without an opening', record('published', approved, { closesAt: dates.closesAt }), []],
    ['does not announce an opening again', record('published', approved, { ...dates, openedAt: startsAt }), ['intake closes']],
    ['has no intake that ended before publication', record('published', approved, { ...dates, closesAt: at('2026-03-01T00:00') }), []],
    ['has no step after completion', record('completed', approved, dates), []],
  ])('%s', (_name, given, expected) => {
    expect(why(given)).toEqual(expected);
  });

  test('the process shows who must act, the next step and its reason, and no title', () => {
    const given = record('published', { ...approved, regulations: 'open' }, dates);
    const state = describeEvent(given, at('2026-05-10T00:00'));
    expect(state).toMatchObject({ stage: 'published', waitingFor: 'owner', isOver: false, isDue: true });
    expect(state.next).toMatchObject({ at: at('2026-05-25T09:00'), why: 'reminder: regulations due' });
    expect(state.details).toBe(
      'Waits for the owner to submit the regulations. Stages: agreement approved, details approved, regulations open, results locked.' +
        ' Registrations: open. Next check at 2026-05-25T09:00:00+05:00: reminder: regulations due.',
    );
    expect(state.details).not.toContain('ралли');
    const ended = record('published', { ...approved, regulations: 'approved', results: 'open' });
    expect(describeEvent(ended, at('2026-06-16T17:59')).waitingFor).toBe('date');
    expect(describeEvent(ended, endsAt).waitingFor).toBe('owner');
    expect(describeEvent(record('cancelled', {}), endsAt)).toMatchObject({ waitingFor: 'none', isOver: true, isDue: false, next: null });
    const draft = record('draft', { agreement: 'open' });
    expect(describeEvent(draft, startsAt).waitingFor).toBe('owner');
    const scanned = { ...draft, event: { ...draft.event, agreementScanAt: startsAt } };
    expect(describeEvent(scanned, startsAt)).toMatchObject({ waitingFor: 'administrator', isDue: false, next: null });
    const unpaid = record('in_progress', { agreement: 'approved', details: 'submitted' });
    expect(describeEvent(unpaid, startsAt).waitingFor).toBe('owner');
    const fee = { id: 9, status: 'approved', paid: true, paidAt: startsAt } as const;
    expect(describeEvent({ ...unpaid, fee }, startsAt).waitingFor).toBe('administrator');
  });
});
