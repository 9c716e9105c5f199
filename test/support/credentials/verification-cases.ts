import type { VerificationState } from '../../../src/areas/verification/index.ts';
import type { ValidityFacts } from '../../../src/areas/verification/validity.ts';

/** Facts of a certificate that is in force in 2026. */
export const goodFacts: ValidityFacts = {
  status: 'approved',
  isPaid: true,
  isResubmissionDue: false,
  validFrom: '2026-03-01',
  validUntil: '2026-12-31',
  profile: { status: 'approved', hasNote: false },
  photo: { status: 'approved', hasNote: false, isPresent: true },
  documents: [
    { status: 'approved', expiresAt: '2026-08-15' },
    { status: 'approved', expiresAt: null },
  ],
};

/** A certificate on a day, the online answer (`GET /verify/{token}?on=`), and the value of its place in the status list of that day. */
export interface VerificationCase {
  name: string;
  facts: Partial<ValidityFacts>;
  /** `YYYY-MM-DD` in UTC+5. */
  day: string;
  state: VerificationState;
  /** 0 valid, 1 invalid, 2 suspended. */
  listed: 0 | 1 | 2;
}

const on = '2026-06-01';
const returned = { status: 'changes', expiresAt: null } as const;
const fresh = { status: 'pending', expiresAt: null } as const;

/** The rules of the online verification, of status lists and of the gate: one table for all three (VER-12, GAT-1). */
export const verificationCases: readonly VerificationCase[] = [
  { name: 'in order', facts: {}, day: on, state: 'valid', listed: 0 },
  { name: 'its first day', facts: {}, day: '2026-03-01', state: 'valid', listed: 0 },
  { name: 'its last day', facts: { documents: [] }, day: '2026-12-31', state: 'valid', listed: 0 },
  { name: 'in the future', facts: {}, day: '2026-02-28', state: 'not_started', listed: 0 },
  { name: 'expired', facts: { documents: [] }, day: '2027-01-01', state: 'expired', listed: 0 },
  { name: 'closed after its year', facts: { status: 'closed', documents: [] }, day: '2027-01-01', state: 'expired', listed: 1 },
  { name: 'annulled', facts: { status: 'cancelled' }, day: on, state: 'annulled', listed: 1 },
  { name: 'annulled and expired', facts: { status: 'cancelled' }, day: '2028-06-01', state: 'annulled', listed: 1 },
  { name: 'returned for changes', facts: { status: 'changes' }, day: on, state: 'under_correction', listed: 2 },
  { name: 'documents replaced', facts: { isResubmissionDue: true }, day: on, state: 'under_correction', listed: 2 },
  { name: 'submitted again', facts: { status: 'submitted' }, day: on, state: 'under_review', listed: 2 },
  { name: 'the last day of a document', facts: {}, day: '2026-08-15', state: 'valid', listed: 0 },
  { name: 'a lapsed document', facts: {}, day: '2026-08-16', state: 'under_correction', listed: 2 },
  {
    name: 'a document marked as lapsed',
    facts: { documents: [{ status: 'expired', expiresAt: '2026-08-15' }] },
    day: '2026-08-16',
    state: 'under_correction',
    listed: 2,
  },
  { name: 'a returned document', facts: { documents: [returned] }, day: on, state: 'under_correction', listed: 2 },
  { name: 'a new document', facts: { documents: [fresh] }, day: on, state: 'under_review', listed: 2 },
  { name: 'a changed profile', facts: { profile: { status: 'pending', hasNote: false } }, day: on, state: 'under_review', listed: 2 },
  {
    name: 'a returned photo',
    facts: { photo: { status: 'changes', hasNote: true, isPresent: true } },
    day: on,
    state: 'under_correction',
    listed: 2,
  },
  {
    name: 'without a photo',
    facts: { photo: { status: 'draft', hasNote: false, isPresent: false } },
    day: on,
    state: 'incomplete',
    listed: 2,
  },
  { name: 'an organizer', facts: { photo: null }, day: on, state: 'valid', listed: 0 },
  { name: 'unpaid', facts: { isPaid: false }, day: on, state: 'unpaid', listed: 2 },
];
