import { type AttachedDocument } from '../../../src/areas/applications/record.ts';
import fc from 'fast-check';
import {
  assessReadiness,
  countedDocuments,
  isReady,
  missingForSubmission,
  needsCorrection,
  type ReadinessFacts,
  type ReadinessRule,
  waitingForFirst,
} from '../../../src/areas/applications/readiness/readiness.ts';
import { chooseYear, opensOn } from '../../../src/areas/applications/year.ts';
import { documentTypes } from '../../../src/areas/catalog/kinds.ts';

const day = '2026-06-15';

const identity: AttachedDocument = { id: 1, type: 'identity', status: 'approved', expiresAt: '2034-01-10', isFileAvailable: true };
const medical: AttachedDocument = { id: 2, type: 'medical', status: 'approved', expiresAt: day, isFileAvailable: true };

/** An application that fulfils every rule. */
const ready: ReadinessFacts = {
  applicationId: 7,
  kind: 'national_certificate',
  status: 'submitted',
  isOver: false,
  isResubmissionDue: false,
  isTerritorySold: true,
  year: 2026,
  day,
  profile: {
    id: 3,
    kind: 'athlete',
    status: 'approved',
    photoStatus: 'approved',
    photoId: 'photo',
    isCorrected: false,
    isPhotoCorrected: false,
    isPhotoAvailable: true,
    birthDate: '1990-05-17',
  },
  requiredDocuments: [
    { code: 'identity_document', types: ['identity', 'passport'], onlyMinors: false },
    { code: 'medical', types: ['medical'], onlyMinors: false },
    { code: 'consent', types: ['consent'], onlyMinors: true },
  ],
  documents: [identity, medical],
  payment: { amountMinor: 865_000, isPaid: true, balanceMinor: 0, pendingMinor: 0, createdInvoices: [] },
};

function ruleOf(facts: ReadinessFacts, name: string): ReadinessRule | undefined {
  return assessReadiness(facts).find((rule) => rule.rule === name);
}

test('an application that fulfils every rule is ready and waits for no party', () => {
  const rules = assessReadiness(ready);
  expect(rules.map((rule) => rule.rule)).toEqual([
    'submitted',
    'profile',
    'photo',
    'identity_document',
    'medical',
    'files',
    'payment',
    'dates',
  ]);
  expect(isReady(rules)).toBe(true);
  expect(waitingForFirst(rules)).toBeNull();
});

test('a document is valid through its last day and expires on the next', () => {
  expect(ruleOf(ready, 'medical')?.ok).toBe(true);
  const tomorrow = { ...ready, day: '2026-06-16' };
  expect(ruleOf(tomorrow, 'medical')).toMatchObject({ ok: false, waiting_for: 'owner', fix: { method: 'PATCH', path: '/applications/7' } });
});

test.each([
  ['2008-06-16', true],
  ['2008-06-15', false],
  ['2008-06-14', false],
])('CAT-6: born %s, consent of a parent required: %s', (birthDate, isAsked) => {
  const rule = ruleOf({ ...ready, profile: { ...ready.profile, birthDate } }, 'consent');
  expect(rule?.ok).toBe(isAsked ? false : undefined);
});

test('CAT-6: a passport counts as an identity document; of several the best counts', () => {
  const passport: AttachedDocument = { ...identity, id: 9, type: 'passport' };
  expect(ruleOf({ ...ready, documents: [passport, medical] }, 'identity_document')?.ok).toBe(true);
  const rules = assessReadiness({ ...ready, documents: [{ ...identity, status: 'changes' }, passport, medical] });
  expect(rules.find((rule) => rule.rule === 'identity_document')?.ok).toBe(true);
  expect(rules.find((rule) => rule.rule === 'document:1')).toMatchObject({ ok: false, waiting_for: 'owner' });
});

test('APP-3: a pending review does not prevent submission', () => {
  const waiting: ReadinessFacts = {
    ...ready,
    status: 'draft',
    profile: { ...ready.profile, status: 'pending', photoStatus: 'pending' },
    documents: [
      { ...identity, status: 'pending' },
      { ...medical, status: 'pending' },
    ],
    payment: { ...ready.payment, isPaid: false },
  };
  expect(missingForSubmission(waiting)).toEqual([]);
  expect(waitingForFirst(assessReadiness({ ...waiting, status: 'submitted', payment: ready.payment }))).toBe('administrator');
});

test('APP-3: a rule that the owner must fulfil prevents submission, by its code', () => {
  const gaps: ReadinessFacts = {
    ...ready,
    status: 'draft',
    profile: { ...ready.profile, status: 'draft', photoId: null, birthDate: '2015-01-01' },
    documents: [{ ...identity, status: 'cancelled' }],
  };
  expect(missingForSubmission(gaps)).toEqual(['profile', 'photo', 'identity_document', 'medical', 'consent']);
});

test('an organizer needs no photo', () => {
  const organizer: ReadinessFacts = { ...ready, profile: { ...ready.profile, kind: 'organizer', photoId: null, birthDate: null } };
  expect(ruleOf(organizer, 'photo')).toBeUndefined();
});

test('payment waits for the bank only while balance and pending invoices together cover the price', () => {
  const unpaid = { amountMinor: 100, isPaid: false, balanceMinor: 0, pendingMinor: 0, createdInvoices: [] };
  const ruleAt = (payment: Partial<ReadinessFacts['payment']>, status: ReadinessFacts['status'] = 'submitted') =>
    ruleOf({ ...ready, status, payment: { ...unpaid, ...payment } }, 'payment');
  const owner = (path: string | null) => ({ waiting_for: 'owner', fix: path === null ? null : { method: 'POST', path } });
  expect(ruleAt({})).toMatchObject(owner('/invoices'));
  expect(ruleAt({ pendingMinor: 99 })).toMatchObject(owner('/invoices'));
  expect(ruleAt({ pendingMinor: 99, balanceMinor: 1 })).toMatchObject({ waiting_for: 'bank', fix: null });
  expect(ruleAt({ pendingMinor: 50, createdInvoices: [{ id: 4, amountMinor: 20 }] })).toMatchObject(owner('/invoices'));
  const created = [
    { id: 4, amountMinor: 20 },
    { id: 5, amountMinor: 30 },
  ];
  expect(ruleAt({ pendingMinor: 50, createdInvoices: created })).toMatchObject(owner('/invoices/5/checkout'));
  expect(ruleAt({ balanceMinor: 100, pendingMinor: 100 })).toMatchObject(owner('/applications/7/pay'));
  expect(ruleAt({ balanceMinor: 100 }, 'draft')).toMatchObject(owner(null));
  expect(ruleAt({}, 'changes')).toMatchObject(owner(null));
  expect(ruleAt({ amountMinor: 0 })?.ok).toBe(true);
});

test('a returned profile or photo names its correction first, and the submission after it', () => {
  const returned = (profile: Partial<ReadinessFacts['profile']>) => {
    const facts = { ...ready, profile: { ...ready.profile, ...profile } };
    return [ruleOf(facts, 'profile')?.fix ?? null, ruleOf(facts, 'photo')?.fix ?? null];
  };
  const [patch, submit] = [
    { method: 'PATCH', path: '/profiles/3' },
    { method: 'POST', path: '/profiles/3/submit' },
  ];
  expect(returned({ status: 'changes' })).toEqual([patch, null]);
  expect(returned({ status: 'changes', isCorrected: true })).toEqual([submit, null]);
  expect(returned({ photoStatus: 'changes' })).toEqual([null, patch]);
  expect(returned({ photoStatus: 'changes', isPhotoCorrected: true })).toEqual([null, submit]);
  // Both parts are submitted together.
  expect(returned({ status: 'changes', photoStatus: 'changes', isCorrected: true })).toEqual([null, patch]);
  expect(returned({ status: 'draft', photoStatus: 'draft', photoId: null })).toEqual([null, patch]);
});

test('an ended application names no step', () => {
  for (const status of ['cancelled', 'closed'] as const) {
    const gaps = { ...ready, status, isOver: true, documents: [], payment: { ...ready.payment, isPaid: false } };
    for (const rule of assessReadiness(gaps)) expect(rule).toMatchObject({ waiting_for: null, fix: null });
  }
});

test('APP-20: a document that is no longer required on the day does not count', () => {
  const consent: AttachedDocument = { id: 3, type: 'consent', status: 'expired', expiresAt: '2026-06-01', isFileAvailable: false };
  const bornOn = (birthDate: string) => ({
    ...ready,
    profile: { ...ready.profile, birthDate },
    documents: [identity, medical, consent],
  });
  expect(isReady(assessReadiness(bornOn('2008-06-16')))).toBe(false);
  expect(isReady(assessReadiness(bornOn('2008-06-15')))).toBe(true);
  expect(countedDocuments(bornOn('2008-06-15')).map(({ id }) => id)).toEqual([1, 2]);
});

test('the dates fail only after the end of the year, without a fix', () => {
  const lasting: ReadinessFacts = { ...ready, documents: [identity, { ...medical, expiresAt: null }] };
  expect(ruleOf({ ...lasting, day: '2026-12-31' }, 'dates')).toEqual({ rule: 'dates', ok: true, waiting_for: null, fix: null });
  const over = assessReadiness({ ...lasting, day: '2027-01-01' });
  expect(over.filter(({ ok }) => !ok)).toEqual([{ rule: 'dates', ok: false, waiting_for: null, fix: null }]);
  expect(isReady(over)).toBe(false);
  expect(waitingForFirst(over)).toBeNull();
});

test('APP-10: an approved application with replaced documents waits for its owner to submit', () => {
  const replaced: ReadinessFacts = { ...ready, status: 'approved', isResubmissionDue: true };
  const unmet = assessReadiness(replaced).filter(({ ok }) => !ok);
  expect(unmet).toEqual([{ rule: 'submitted', ok: false, waiting_for: 'owner', fix: { method: 'POST', path: '/applications/7/submit' } }]);
  expect(missingForSubmission(replaced)).toEqual([]);
  expect(needsCorrection(replaced)).toBe(true);
});

test('APP-10: a submitted application allows fewer corrections than an approved one', () => {
  const pending: ReadinessFacts = { ...ready, documents: [identity, { ...medical, status: 'pending' }] };
  expect(needsCorrection(pending)).toBe(false);
  expect(needsCorrection({ ...pending, status: 'approved' })).toBe(true);
  expect(needsCorrection({ ...ready, documents: [identity, { ...medical, status: 'changes' }] })).toBe(true);
  expect(needsCorrection({ ...ready, status: 'approved' })).toBe(false);
});

const anyDocument = fc.record({
  id: fc.integer({ min: 1, max: 30 }),
  type: fc.constantFrom(...documentTypes),
  status: fc.constantFrom('pending', 'approved', 'changes', 'cancelled', 'expired'),
  expiresAt: fc.constantFrom(null, '2026-06-14', day, '2026-06-16'),
  isFileAvailable: fc.boolean(),
}) satisfies fc.Arbitrary<AttachedDocument>;
const reviewStatus = fc.constantFrom('draft' as const, 'pending' as const, 'approved' as const, 'changes' as const, 'cancelled' as const);
const anyFacts: fc.Arbitrary<ReadinessFacts> = fc
  .record({
    applicationId: fc.constant(7),
    kind: fc.constantFrom('national_certificate', 'international_licence', 'document'),
    status: fc.constantFrom('draft', 'submitted', 'changes', 'approved'),
    isOver: fc.constant(false),
    isResubmissionDue: fc.boolean(),
    isTerritorySold: fc.boolean(),
    year: fc.constantFrom(2025, 2026),
    day: fc.constant(day),
    profile: fc.record({
      id: fc.constant(3),
      kind: fc.constantFrom('athlete', 'organizer'),
      status: reviewStatus,
      photoStatus: reviewStatus,
      photoId: fc.constantFrom(null, 'photo'),
      isCorrected: fc.boolean(),
      isPhotoCorrected: fc.boolean(),
      isPhotoAvailable: fc.boolean(),
      birthDate: fc.constantFrom(null, '1990-05-17', '2015-01-01'),
    }),
    requiredDocuments: fc.subarray(ready.requiredDocuments),
    documents: fc.uniqueArray(anyDocument, { selector: (document) => document.id, maxLength: 6 }),
    payment: fc.record({
      amountMinor: fc.constantFrom(0, 100),
      isPaid: fc.boolean(),
      balanceMinor: fc.constantFrom(0, 100),
      pendingMinor: fc.constantFrom(0, 50, 100),
      createdInvoices: fc.subarray([{ id: 1, amountMinor: 50 }]),
    }),
  })
  // Only a paid application is approved.
  .map((facts) => (facts.status === 'approved' ? { ...facts, payment: { ...facts.payment, isPaid: true } } : facts));

/** An independent oracle of readiness, directly from the facts. */
function oracle({ status, isResubmissionDue, year, profile, requiredDocuments, documents, payment }: ReadinessFacts): boolean {
  const isMinor = profile.birthDate === '2015-01-01';
  const isValid = (document: AttachedDocument) =>
    document.status === 'approved' && (document.expiresAt === null || document.expiresAt >= day);
  const isNoLongerNeeded = ({ type }: AttachedDocument) =>
    type === 'consent' && !isMinor && requiredDocuments.some(({ code }) => code === 'consent');
  return (
    (status === 'submitted' || (status === 'approved' && !isResubmissionDue)) &&
    profile.status === 'approved' &&
    (profile.kind === 'organizer' || (profile.photoId !== null && profile.photoStatus === 'approved')) &&
    (profile.photoId === null || profile.isPhotoAvailable) &&
    requiredDocuments.every(
      (one) => (one.onlyMinors && !isMinor) || documents.some((document) => one.types.includes(document.type) && isValid(document)),
    ) &&
    documents.every((document) => isNoLongerNeeded(document) || (isValid(document) && document.isFileAvailable)) &&
    (payment.isPaid || payment.amountMinor === 0) &&
    year === 2026
  );
}

test('APP-17: a fee only needs its payment, whatever its profile, documents and year', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const rules = assessReadiness({ ...facts, kind: 'event_fee' });
      expect(rules.map(({ rule }) => rule)).toEqual(['payment']);
      expect(isReady(rules)).toBe(facts.payment.isPaid || facts.payment.amountMinor === 0);
    }),
  );
});

test('APP-4: agrees with the oracle', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => expect(isReady(assessReadiness(facts))).toBe(oracle(facts))),
    { numRuns: 3000 },
  );
});

test('every failed rule except `dates` waits for a party that can act; missing rules wait for the owner', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const rules = assessReadiness(facts);
      for (const rule of rules) {
        expect(rule.waiting_for === null).toBe(rule.ok || rule.rule === 'dates');
        // Of the steps that the owner must take, one can always be taken now, unless an administrator must act first.
        if (rule.waiting_for === 'owner' && rule.fix === null)
          expect(rules.some(({ fix, waiting_for: party }) => fix !== null || party === 'bank')).toBe(true);
      }
      expect(new Set(rules.map((rule) => rule.rule)).size).toBe(rules.length);
      const isRefused = facts.profile.status === 'cancelled';
      for (const missing of missingForSubmission(facts))
        expect(rules.find((rule) => rule.rule === missing)?.waiting_for).toBe(
          missing === 'profile' && isRefused ? 'administrator' : 'owner',
        );
    }),
  );
});

test('a refused profile prevents submission without a fix for the owner', () => {
  const refused: ReadinessFacts = { ...ready, status: 'draft', profile: { ...ready.profile, status: 'cancelled' } };
  expect(ruleOf(refused, 'profile')).toEqual({
    rule: 'profile',
    ok: false,
    waiting_for: 'administrator',
    fix: { method: 'POST', path: '/admin/review' },
  });
  expect(missingForSubmission(refused)).toEqual(['profile']);
  const photo: ReadinessFacts = { ...ready, profile: { ...ready.profile, photoStatus: 'cancelled' } };
  expect(ruleOf(photo, 'photo')).toMatchObject({ waiting_for: 'owner', fix: { method: 'PATCH', path: `/profiles/${ready.profile.id}` } });
});

test('PRO-11: an organizer needs no photo, so a returned one keeps the data from nothing', () => {
  const profile = { ...ready.profile, kind: 'organizer', status: 'draft', photoStatus: 'changes', isPhotoCorrected: false } as const;
  expect(ruleOf({ ...ready, status: 'draft', profile }, 'profile')).toMatchObject({
    waiting_for: 'owner',
    fix: { method: 'POST', path: `/profiles/${profile.id}/submit` },
  });
});

test('APP-19: the next year opens on 1 November, in UTC+5', () => {
  const [october, november] = [new Date('2026-10-31T23:59:59+05:00'), new Date('2026-11-01T00:00:00+05:00')];
  expect(() => chooseYear(october, 'national_certificate', 2027)).toThrow();
  expect(chooseYear(november, 'national_certificate', 2027)).toBe(2027);
  expect(opensOn(2027, october)).toBe('2026-11-01');
  // Open, but without its base index.
  expect(opensOn(2027, november)).toBe('2027-01-01');
});
