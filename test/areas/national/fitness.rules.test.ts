import fc from 'fast-check';
import { applicationStatuses } from '../../../src/areas/applications/states.ts';
import { exportLists, type ListFacts, nationalLists, problemsOf } from '../../../src/areas/national/lists/fitness.ts';

/** An issued certificate that fits every list. */
const issued: ListFacts = { kind: 'national_certificate', status: 'approved', isSettled: true, isIssued: true, isPhotoAvailable: true };

const anyFacts = fc.record<ListFacts>({
  kind: fc.constantFrom('national_certificate', 'international_licence', 'document', 'event_fee'),
  status: fc.constantFrom(...applicationStatuses),
  isSettled: fc.boolean(),
  isIssued: fc.boolean(),
  isPhotoAvailable: fc.boolean(),
});
const anyList = fc.constantFrom(...nationalLists);

test.each(nationalLists)('an issued certificate fits the list %s (NAT-2)', (list) => {
  expect(problemsOf(list, issued)).toEqual([]);
});

test.each([
  ['review', { status: 'submitted', isSettled: false, isIssued: false }, []],
  ['review', { status: 'changes', isSettled: false, isIssued: false }, []],
  ['review', { status: 'draft' }, ['not_reviewable']],
  ['review', { status: 'cancelled' }, ['not_reviewable']],
  ['review', { status: 'closed' }, ['not_reviewable']],
  ['insurance', { status: 'changes' }, ['not_approved']],
  ['insurance', { status: 'closed' }, ['not_approved']],
  ['insurance', { isSettled: false }, ['not_paid']],
  ['insurance', { status: 'submitted', isSettled: false, isIssued: false }, ['not_approved', 'not_paid', 'not_issued']],
  ['insurance', { isPhotoAvailable: false }, []],
  ['print', { isPhotoAvailable: false }, ['photo_missing']],
  ['print', { isIssued: false, isPhotoAvailable: false }, ['not_issued']],
  ['print', { status: 'cancelled', isPhotoAvailable: false }, ['not_approved', 'photo_missing']],
] satisfies [(typeof nationalLists)[number], Partial<ListFacts>, string[]][])('%s: %j has the problems %j', (list, facts, problems) => {
  expect(problemsOf(list, { ...issued, ...facts })).toEqual(problems);
});

test('an unknown id and an application of another kind fit no list', () => {
  fc.assert(
    fc.property(anyList, anyFacts, (list, facts) => {
      expect(problemsOf(list, null)).toEqual(['unknown']);
      const others = facts.kind === 'national_certificate' ? 'international_licence' : facts.kind;
      expect(problemsOf(list, { ...facts, kind: others })).toEqual(['wrong_kind']);
    }),
  );
});

test('only approved, settled and issued certificates fit an export list (NAT-2)', () => {
  fc.assert(
    fc.property(fc.constantFrom(...exportLists), anyFacts, (list, facts) => {
      const { kind, status, isSettled, isIssued, isPhotoAvailable } = facts;
      const isWhole = kind === 'national_certificate' && status === 'approved' && isSettled && isIssued;
      expect(problemsOf(list, facts).length === 0).toBe(isWhole && (list === 'insurance' || isPhotoAvailable));
    }),
  );
});

test('fixing one problem adds no other problem', () => {
  fc.assert(
    fc.property(fc.constantFrom('insurance' as const), anyFacts, (list, facts) => {
      for (const mended of [{ status: 'approved' }, { isSettled: true }, { isIssued: true }] as const)
        expect(problemsOf(list, facts)).toEqual(expect.arrayContaining(problemsOf(list, { ...facts, ...mended })));
    }),
  );
});
