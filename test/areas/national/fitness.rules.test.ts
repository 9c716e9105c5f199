import fc from 'fast-check';
import { applicationStatuses } from '../../../src/areas/applications/states.ts';
import { exportLists, type ListFacts, nationalLists, problemsOf } from '../../../src/areas/national/lists/fitness.ts';

/** An issued certificate that fits every list. */
const issued: ListFacts = {
  kind: 'national_certificate',
  status: 'approved',
  isSettled: true,
  hasCertificate: true,
  isPhotoAvailable: true,
};

const anyFacts = fc.record<ListFacts>({
  kind: fc.constantFrom('national_certificate', 'international_licence', 'document', 'event_fee'),
  status: fc.constantFrom(...applicationStatuses),
  isSettled: fc.boolean(),
  hasCertificate: fc.boolean(),
  isPhotoAvailable: fc.boolean(),
});
const anyList = fc.constantFrom(...nationalLists);

test.each(nationalLists)('an issued certificate fits the list %s (NAT-2)', (list) => {
  expect(problemsOf(list, issued)).toEqual([]);
});

test.each([
  ['review', { status: 'submitted', isSettled: false, hasCertificate: false }, []],
  ['review', { status: 'changes', isSettled: false, hasCertificate: false }, []],
  ['review', { status: 'draft' }, ['not_reviewable']],
  ['review', { status: 'cancelled' }, ['not_reviewable']],
  ['review', { status: 'closed' }, ['not_reviewable']],
  ['insurance', { status: 'changes' }, []],
  ['insurance', { status: 'closed' }, []],
  ['insurance', { status: 'closed', hasCertificate: false }, ['not_approved', 'not_issued']],
  ['insurance', { status: 'cancelled' }, ['not_approved']],
  ['insurance', { isSettled: false }, ['not_paid']],
  ['insurance', { status: 'submitted', isSettled: false, hasCertificate: false }, ['not_approved', 'not_paid', 'not_issued']],
  ['insurance', { isPhotoAvailable: false }, []],
  ['print', { isPhotoAvailable: false }, ['photo_missing']],
  ['print', { hasCertificate: false, isPhotoAvailable: false }, ['not_issued']],
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

test('APP-21: only issued and settled certificates fit an export list, also after their year (NAT-2)', () => {
  fc.assert(
    fc.property(fc.constantFrom(...exportLists), anyFacts, (list, facts) => {
      const { kind, status, isSettled, hasCertificate, isPhotoAvailable } = facts;
      const isAnnulled = status === 'cancelled' || status === 'draft';
      const isWhole = kind === 'national_certificate' && !isAnnulled && isSettled && hasCertificate;
      expect(problemsOf(list, facts).length === 0).toBe(isWhole && (list === 'insurance' || isPhotoAvailable));
    }),
  );
});

test('fixing one problem adds no other problem', () => {
  fc.assert(
    fc.property(fc.constantFrom('insurance' as const), anyFacts, (list, facts) => {
      for (const mended of [{ status: 'approved' }, { isSettled: true }, { hasCertificate: true }] as const)
        expect(problemsOf(list, facts)).toEqual(expect.arrayContaining(problemsOf(list, { ...facts, ...mended })));
    }),
  );
});
