import fc from 'fast-check';
import {
  checkTransition,
  isUnderReview,
  nextStatus,
  type ProfileAction,
  type ProfileState,
  type ReviewedProfile,
  reviewStatuses,
  transition,
} from '../../../src/areas/profiles/states.ts';
import { decisions } from '../../../src/areas/reviews/index.ts';
import type { Locked } from '../../../src/platform/database/lock.ts';

const draft: ProfileState = { status: 'draft', photoStatus: 'draft', hasPhoto: true };

const anyState: fc.Arbitrary<ProfileState> = fc.oneof(
  fc.record({ status: fc.constantFrom(...reviewStatuses), photoStatus: fc.constantFrom(...reviewStatuses), hasPhoto: fc.constant(true) }),
  fc.record({ status: fc.constantFrom(...reviewStatuses), photoStatus: fc.constant('draft' as const), hasPhoto: fc.constant(false) }),
);
const review = fc.record({
  kind: fc.constant('review' as const),
  part: fc.constantFrom('profile' as const, 'photo' as const),
  decision: fc.constantFrom(...decisions),
});
const ownersAction: fc.Arbitrary<ProfileAction> = fc.constantFrom(
  { kind: 'submit' },
  { kind: 'edit_identity' },
  { kind: 'edit_contacts' },
  { kind: 'replace_photo' },
  { kind: 'remove_photo' },
);
const anyAction: fc.Arbitrary<ProfileAction> = fc.oneof(ownersAction, review);

const now = new Date('2026-06-15T12:00:00+05:00');
const before = new Date('2026-06-01T12:00:00+05:00');

/** Casts to a locked row; the test holds no lock. */
function held({ status, photoStatus, hasPhoto }: ProfileState): Locked<ReviewedProfile> {
  return {
    status,
    photoStatus,
    photoId: hasPhoto ? 'a photo' : null,
    submittedAt: before,
    statusSince: before,
    photoStatusSince: before,
  } as Locked<ReviewedProfile>;
}

/** The state after an action, or the same state when the action is refused. */
function attempt(state: ProfileState, action: ProfileAction): ProfileState {
  try {
    return checkTransition(state, action);
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_state', details: { status: state.status, photo_status: state.photoStatus } });
    return state;
  }
}

// PRO-2
describe('transitions of a profile', () => {
  test.each([
    [draft, { status: 'pending', photoStatus: 'pending' }],
    [
      { ...draft, status: 'changes', photoStatus: 'approved' },
      { status: 'pending', photoStatus: 'approved' },
    ],
    [
      { ...draft, status: 'approved', photoStatus: 'changes' },
      { status: 'approved', photoStatus: 'pending' },
    ],
  ] satisfies [ProfileState, Partial<ProfileState>][])('submit only the parts that need a review: %j', (state, submitted) => {
    expect(checkTransition(state, { kind: 'submit' })).toMatchObject(submitted);
  });

  test.each([
    { ...draft, status: 'pending', photoStatus: 'pending' },
    { ...draft, status: 'approved', photoStatus: 'approved' },
    { ...draft, status: 'cancelled', photoStatus: 'changes' },
  ] satisfies ProfileState[])('there is nothing to submit in %j', (state) => {
    expect(() => checkTransition(state, { kind: 'submit' })).toThrow(expect.objectContaining({ code: 'invalid_state' }));
  });

  test('approve a part only by an administrator', () => {
    fc.assert(
      fc.property(anyState, ownersAction, (state, action) => {
        const next = attempt(state, action);
        if (next.status === 'approved') expect(state.status).toBe('approved');
        if (next.photoStatus === 'approved') expect(state.photoStatus).toBe('approved');
      }),
    );
  });

  test('return only the changed part, identity or photo, to review (PRO-3)', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const edited = attempt(state, { kind: 'edit_identity' });
        expect(edited.status).not.toBe('approved');
        expect(edited.photoStatus).toBe(state.photoStatus);
        const replaced = attempt(state, { kind: 'replace_photo' });
        expect(replaced.photoStatus).not.toBe('approved');
        expect(replaced.status).toBe(state.status);
        expect(attempt(state, { kind: 'edit_contacts' })).toEqual(state);
      }),
      // Refused data cannot be edited: the attempt changes nothing.
      { examples: [[{ ...draft, status: 'cancelled' }]] },
    );
  });

  test('move only the decided part, from every status except a draft', () => {
    fc.assert(
      fc.property(anyState, review, (state, action) => {
        const [own, other] = action.part === 'photo' ? (['photoStatus', 'status'] as const) : (['status', 'photoStatus'] as const);
        const next = attempt(state, action);
        expect(next[other]).toBe(state[other]);
        const expected = { approve: 'approved', changes: 'changes', cancel: 'cancelled' }[action.decision];
        expect(next[own]).toBe(state[own] === 'draft' ? 'draft' : expected);
        expect(attempt(next, action)).toEqual(next);
      }),
    );
  });

  test('change the row or throw and change nothing; a part that becomes pending joins the queue now', () => {
    fc.assert(
      fc.property(anyState, anyAction, (state, action) => {
        const profile = held(state);
        const next = nextStatus(state, action);
        if (next === null) expect(() => transition(profile, action, now)).toThrow(expect.objectContaining({ code: 'invalid_state' }));
        else transition(profile, action, now);
        const { status, photoStatus } = next ?? state;
        const joins =
          (status === 'pending' && state.status !== 'pending') || (photoStatus === 'pending' && state.photoStatus !== 'pending');
        // REV-3: each part keeps its own place in the queue.
        const statusSince = status === state.status ? before : now;
        const photoStatusSince = photoStatus === state.photoStatus ? before : now;
        expect(profile).toEqual({ ...held(state), status, photoStatus, submittedAt: joins ? now : before, statusSince, photoStatusSince });
      }),
    );
  });

  test('keep in any history: no review without a photo; `isUnderReview` means that a person must act', () => {
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 30 }), (actions) => {
        const state = actions.reduce(attempt, { status: 'draft', photoStatus: 'draft', hasPhoto: false });
        if (!state.hasPhoto) expect(state.photoStatus).toBe('draft');
        expect(isUnderReview(state)).toBe(
          ['pending', 'changes'].includes(state.status) || ['pending', 'changes'].includes(state.photoStatus),
        );
      }),
    );
  });
});
