import fc from 'fast-check';
import {
  dayAfter,
  type EligibilityReason,
  eligibilityOf as eligibilityFrom,
  fits,
  type ForeignPaper,
  type JudgedEvent,
  type Licence,
  pastReasonsOf,
  type Standing,
} from '../../../src/areas/competitions/eligibility/eligibility.ts';
import { type Histories, pastStandingsOf } from '../../../src/areas/competitions/eligibility/read-past.ts';
import { competitionSpan } from '../../../src/areas/competitions/index.ts';
import { documentStatuses } from '../../../src/areas/documents/index.ts';
import { stateOn } from '../../../src/areas/verification/index.ts';

const span = { first: '2026-08-01', last: '2026-08-03' };
type EligibilityFacts = JudgedEvent & Standing;
/** Judged before the event begins: all its days lie ahead. */
const eligibilityOf = (facts: EligibilityFacts) => eligibilityFrom(facts, facts, facts.span.first);
const oneDay = (day: string) => ({ first: day, last: day });
const daysOf = ({ first, last }: EligibilityFacts['span']) => {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += 86_400_000) days.push(new Date(at).toISOString().slice(0, 10));
  return days;
};
/** Expands each reason to its days, ordered by day. */
const dayByDay = (reasons: readonly EligibilityReason[]) =>
  reasons
    .flatMap(({ code, documentId, day: first, untilDay }) => daysOf({ first, last: untilDay }).map((day) => ({ code, documentId, day })))
    .toSorted((left, right) => left.day.localeCompare(right.day));
const profile = { id: 7, status: 'approved' } as const;

function licence({ validity, ...fields }: Partial<Omit<Licence, 'validity'>> & { validity?: Partial<Licence['validity']> } = {}): Licence {
  const standing = {
    status: 'approved',
    isPaid: true,
    isResubmissionDue: false,
    validFrom: '2026-01-10',
    validUntil: '2026-12-31',
    profile: { status: 'approved', hasNote: false },
    photo: { status: 'approved', hasNote: false, isPresent: true },
    documents: [],
  } as const;
  return {
    applicationId: 1,
    kind: 'national_certificate',
    disciplineId: null,
    profileId: 7,
    validity: { ...standing, ...validity },
    ...fields,
  };
}

const paper = (type: ForeignPaper['type'], fields: Partial<ForeignPaper> = {}): ForeignPaper => ({
  id: type === 'naf_permission' ? 91 : 92,
  type,
  status: 'approved',
  expiresAt: null,
  ...fields,
});
const bothPapers = [paper('naf_permission'), paper('foreign_naf_license')];

const judge = (facts: Partial<EligibilityFacts>) =>
  dayByDay(eligibilityOf({ span, disciplineId: 1, profile, licences: [], papers: [], ...facts }).reasons).map(({ code, day, documentId }) =>
    [code, day.slice(-2), ...(documentId === null ? [] : [documentId])].join(' '),
  );

// REG-3, REG-4
test.each<[string, Partial<EligibilityFacts>, string[]]>([
  ['a licence in force on all days', { licences: [licence()] }, []],
  ['an international licence of the discipline', { licences: [licence({ kind: 'international_licence', disciplineId: 1 })] }, []],
  ['nothing', {}, ['licence_missing 01', 'licence_missing 02', 'licence_missing 03']],
  ['a licence of another discipline', { span: oneDay('2026-08-01'), licences: [licence({ disciplineId: 2 })] }, ['licence_not_fitting 01']],
  ['a document of the federation', { span: oneDay('2026-08-01'), licences: [licence({ kind: 'document' })] }, ['licence_not_fitting 01']],
  ['a licence of another profile', { span: oneDay('2026-08-01'), licences: [licence({ profileId: 8 })] }, ['licence_not_fitting 01']],
  ['one that begins between the days', { licences: [licence({ validity: { validFrom: '2026-08-02' } })] }, ['licence_not_started 01']],
  ['one that ends between the days', { licences: [licence({ validity: { validUntil: '2026-08-02' } })] }, ['licence_expired 03']],
  [
    'one that was annulled',
    { span: oneDay('2026-08-01'), licences: [licence({ validity: { status: 'cancelled' } })] },
    ['licence_annulled 01'],
  ],
  [
    'a document behind it that expires between the days',
    { licences: [licence({ validity: { documents: [{ id: 4, status: 'approved', expiresAt: '2026-08-01' }] } })] },
    ['document_expired 02 4', 'document_expired 03 4'],
  ],
  [
    'a document behind it that was returned',
    { span: oneDay('2026-08-01'), licences: [licence({ validity: { documents: [{ id: 4, status: 'changes', expiresAt: null }] } })] },
    ['document_not_approved 01 4'],
  ],
  [
    'a profile that was returned',
    { span: oneDay('2026-08-01'), licences: [licence({ validity: { profile: { status: 'changes', hasNote: true } } })] },
    ['licence_under_correction 01'],
  ],
  ['both papers of another federation', { papers: bothPapers }, []],
  ['one of them', { span: oneDay('2026-08-01'), papers: [paper('naf_permission')] }, ['licence_missing 01']],
  [
    'both papers of a profile that is not approved',
    { span: oneDay('2026-08-01'), papers: bothPapers, profile: { id: 7, status: 'pending' } },
    ['profile_not_approved 01'],
  ],
  [
    'a paper that expires between the days',
    { papers: [paper('naf_permission', { expiresAt: '2026-08-02' }), paper('foreign_naf_license')] },
    ['document_expired 03 91'],
  ],
  [
    'a licence that ends, and papers that go on',
    { licences: [licence({ validity: { validUntil: '2026-08-01' } })], papers: bothPapers },
    [],
  ],
])('%s', (_name, facts, reasons) => {
  expect(judge(facts)).toEqual(reasons);
});

test('only two licences together cover an event across New Year (REG-4)', () => {
  const acrossNewYear = competitionSpan({ startsAt: new Date('2026-12-30T10:00:00+05:00'), endsAt: new Date('2027-01-02T18:00:00+05:00') });
  const [first, second] = [licence(), licence({ validity: { validFrom: '2027-01-01', validUntil: '2027-12-31' } })];
  expect(judge({ span: acrossNewYear, licences: [first] })).toEqual(['licence_expired 01', 'licence_expired 02']);
  expect(judge({ span: acrossNewYear, licences: [second] })).toEqual(['licence_not_started 30', 'licence_not_started 31']);
  expect(judge({ span: acrossNewYear, licences: [second, first] })).toEqual([]);
});

test('reports a reason once for consecutive days, and again after a pause', () => {
  const year = { first: '2026-01-01', last: '2026-12-31' };
  const reasonsOf = (facts: Partial<EligibilityFacts>) =>
    eligibilityOf({ span: year, disciplineId: 1, profile, licences: [], papers: [], ...facts }).reasons.map(
      ({ code, day, untilDay }) => `${code} ${day} ${untilDay}`,
    );
  expect(reasonsOf({})).toEqual(['licence_missing 2026-01-01 2026-12-31']);
  const unpaid = (validFrom: string, validUntil: string) => licence({ validity: { isPaid: false, validFrom, validUntil } });
  const between = licence({ validity: { validFrom: '2026-03-01', validUntil: '2026-03-31' } });
  expect(reasonsOf({ licences: [unpaid('2026-01-01', '2026-02-28'), between, unpaid('2026-04-01', '2026-12-31')] })).toEqual([
    'licence_unpaid 2026-01-01 2026-02-28',
    'licence_unpaid 2026-04-01 2026-12-31',
  ]);
});

// REG-3, REG-4
describe('for any facts', () => {
  const day = fc.integer({ min: 1, max: 28 }).map((number) => `2026-08-${String(number).padStart(2, '0')}`);
  const documents = fc.array(
    fc.record({ id: fc.integer({ min: 1, max: 9 }), status: fc.constantFrom(...documentStatuses), expiresAt: fc.option(day) }),
    { maxLength: 3 },
  );
  const anyLicence = fc
    .record({
      applicationId: fc.integer({ min: 1, max: 3 }),
      kind: fc.constantFrom('national_certificate' as const, 'international_licence' as const, 'document' as const),
      disciplineId: fc.constantFrom(null, 1, 2),
      profileId: fc.constantFrom(7, 7, 8),
      validity: fc.record({
        status: fc.constantFrom('approved' as const, 'changes' as const, 'submitted' as const, 'cancelled' as const, 'closed' as const),
        isPaid: fc.boolean(),
        validFrom: day,
        validUntil: day,
        documents,
      }),
    })
    .map(licence);
  const papers = fc.array(
    fc.record({
      id: fc.integer({ min: 1, max: 9 }),
      type: fc.constantFrom('naf_permission', 'foreign_naf_license', 'medical'),
      status: fc.constantFrom(...documentStatuses),
      expiresAt: fc.option(day),
    }),
    { maxLength: 4 },
  );
  const facts: fc.Arbitrary<EligibilityFacts> = fc.record({
    span: fc
      .tuple(day, day)
      .map((ends) => ends.toSorted())
      .map(([first = '', last = '']) => ({ first, last })),
    disciplineId: fc.constant(1),
    profile: fc.record({ id: fc.constant(7), status: fc.constantFrom('approved' as const, 'pending' as const) }),
    licences: fc.array(anyLicence, { maxLength: 3 }),
    papers,
  });

  test('ok means no reasons, and a day without a reason has a valid licence or valid papers', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { ok, reasons } = eligibilityOf(given);
        expect(ok).toBe(reasons.length === 0);
        for (const judged of daysOf(given.span)) {
          const byLicence = given.licences.some(
            (one) => fits(one, { disciplineId: 1, profileId: 7 }) && stateOn(one.validity, judged) === 'valid',
          );
          const standing = given.papers.filter(
            ({ status, expiresAt }) =>
              (status === 'approved' || status === 'expired') && (expiresAt === null ? status === 'approved' : judged <= expiresAt),
          );
          const byPapers =
            given.profile.status === 'approved' &&
            ['naf_permission', 'foreign_naf_license'].every((type) => standing.some((one) => one.type === type));
          expect([judged, reasons.some((reason) => reason.day <= judged && judged <= reason.untilDay)]).toEqual([
            judged,
            !(byLicence || byPapers),
          ]);
        }
      }),
    );
  });

  test('judges each day separately, and a further licence never takes eligibility away', () => {
    fc.assert(
      fc.property(facts, anyLicence, (given, more) => {
        const together = eligibilityOf(given).reasons;
        const apart = daysOf(given.span).flatMap((judged) => eligibilityOf({ ...given, span: oneDay(judged) }).reasons);
        const words = (reasons: readonly EligibilityReason[]) =>
          dayByDay(reasons)
            .map((reason) => JSON.stringify(reason))
            .toSorted();
        expect(words(together)).toEqual(words(apart));
        // Adjacent reasons are merged.
        for (const { code, documentId, untilDay } of together)
          expect(together.some((next) => next.code === code && next.documentId === documentId && next.day === dayAfter(untilDay))).toBe(
            false,
          );
        if (eligibilityOf(given).ok) expect(eligibilityOf({ ...given, licences: [...given.licences, more] }).ok).toBe(true);
      }),
    );
  });

  // REG-4, EVT-12
  test('judges each day once: gone by by the history, the others by what holds now', () => {
    fc.assert(
      fc.property(facts, facts, day, (now, before, today) => {
        const event = { span: now.span, disciplineId: 1 };
        const past = [{ ...before, day: event.span.first }];
        const words = (reasons: readonly EligibilityReason[]) => dayByDay(reasons).map((reason) => JSON.stringify(reason));
        const within = (isPast: boolean) => daysOf(event.span).filter((judged) => judged < today === isPast);
        const eachOf = (standing: Standing, days: string[]) =>
          days.flatMap((judged) => eligibilityOf({ ...standing, disciplineId: 1, span: oneDay(judged) }).reasons);
        expect(words(eligibilityFrom(event, now, today).reasons).toSorted()).toEqual(words(eachOf(now, within(false))).toSorted());
        expect(words(pastReasonsOf(event, past, today)).toSorted()).toEqual(words(eachOf(before, within(true))).toSorted());
      }),
    );
  });
});

// REG-4, EVT-12
test('a later annulment does not reach back, and a return counts for the days of its own', () => {
  const event = { span: { first: '2026-08-01', last: '2026-08-05' }, disciplineId: 1 };
  const standing = { profile, licences: [licence({ validity: { status: 'cancelled' } })], papers: [] };
  const at = (judged: string, status: 'approved' | 'changes' | 'cancelled') => ({
    day: judged,
    validity: licence({ validity: { status } }).validity,
  });
  const histories = (...entries: ReturnType<typeof at>[]): Histories => ({
    licences: new Map([[1, entries]]),
    papers: new Map(),
    profiles: new Map(),
  });
  const pastOf = (known: Histories, today: string) =>
    pastReasonsOf(event, pastStandingsOf(event, standing, known, today), today).map(({ code, day: first, untilDay }) => [
      code,
      first,
      untilDay,
    ]);
  const annulled = histories(at('2026-08-01', 'approved'), at('2026-08-04', 'cancelled'));
  expect(pastOf(annulled, '2026-08-04')).toEqual([]);
  expect(pastOf(annulled, '2026-09-01')).toEqual([['licence_annulled', '2026-08-04', '2026-08-05']]);
  const returned = histories(
    at('2026-08-01', 'approved'),
    at('2026-08-02', 'changes'),
    at('2026-08-03', 'approved'),
    at('2026-08-06', 'cancelled'),
  );
  expect(pastOf(returned, '2026-09-01')).toEqual([['licence_under_correction', '2026-08-02', '2026-08-02']]);
  expect(pastOf(histories(), '2026-07-31')).toEqual([]);
});

test('papers and the profile count as they stood on a past day; a paper that did not exist yet is missing (REG-4)', () => {
  const event = { span: { first: '2026-08-01', last: '2026-08-04' }, disciplineId: 1 };
  const entry = (judged: string, status: 'approved' | 'pending') => ({ day: judged, status, expiresAt: null });
  const histories: Histories = {
    licences: new Map(),
    papers: new Map([
      [91, [entry('2026-08-01', 'approved')]],
      [92, [entry('2026-08-02', 'pending'), entry('2026-08-03', 'approved')]],
    ]),
    profiles: new Map([[7, [entry('2026-08-01', 'approved'), entry('2026-08-04', 'pending')]]]),
  };
  const past = pastStandingsOf(event, { profile, licences: [], papers: bothPapers }, histories, '2026-08-05');
  expect(pastReasonsOf(event, past, '2026-08-05').map(({ code, day: first, documentId }) => [code, first, documentId])).toEqual([
    ['licence_missing', '2026-08-01', null],
    ['document_not_approved', '2026-08-02', 92],
    ['profile_not_approved', '2026-08-04', null],
  ]);
});
