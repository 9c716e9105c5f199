import fc from 'fast-check';
import type { AcceptedRow } from '../../../src/areas/registrations/place-rows.ts';
import { shareOut } from '../../../src/areas/registrations/waiting-list/assign-places.ts';

/** Rows of a submission and the places of their classes. */
const row = fc.record({ class: fc.constantFrom('A', 'B', 'C'), heldIn: fc.constantFrom('A', 'B', null) });
const limit = fc.record({ capacity: fc.integer({ min: 1, max: 4 }), waitingList: fc.boolean() });
const count = fc.record({ taken: fc.nat(5), waiting: fc.nat(2) });

test('no place is given twice, none while another waits, and the line has no gaps (REG-20)', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), limit, limit, count, count, fc.boolean(), (rows, a, b, inA, inB, isSubmitted) => {
      const judged = rows.map(({ class: name, heldIn }) => {
        const registration = heldIn === null ? null : { status: 'returned', class: heldIn };
        return { class: name, registration, waitingPlace: null } as unknown as AcceptedRow;
      });
      const limits = new Map([
        ['A', a],
        ['B', b],
      ]);
      const counts = new Map([
        ['A', { ...inA }],
        ['B', { ...inB }],
      ]);
      const shared = shareOut(judged, { limits, counts, isSubmitted });
      for (const [name, { capacity, waitingList }] of limits) {
        const before = counts.get(name) ?? { taken: 0, waiting: 0 };
        let [taken, waiting] = [before.taken, before.waiting];
        for (const [index, given] of shared.entries()) {
          const sent = rows[index];
          const isNew = sent?.class === name && sent.heldIn !== name && (isSubmitted || sent.heldIn !== null);
          if ('refusal' in given) {
            if (!isNew) continue;
            expect([given.refusal.code, taken < capacity && waiting === 0, waitingList && isSubmitted]).toEqual([
              'class_full',
              false,
              false,
            ]);
            continue;
          }
          if (isNew && given.waitingPlace === null) {
            expect([waiting, taken < capacity]).toEqual([0, true]);
            taken += 1;
          } else if (isNew) expect([given.waitingPlace, waitingList]).toEqual([(waiting += 1), true]);
          else if (sent?.class === name) expect(given.waitingPlace).toBeNull();
          if (sent?.heldIn === name && sent.class !== name) taken -= 1;
        }
      }
      expect(counts).toEqual(
        new Map([
          ['A', inA],
          ['B', inB],
        ]),
      );
    }),
  );
});
