import { createReader, type PdfObjects } from './pdf-objects.ts';
import { type Steps, TooManyStepsError } from './pdf-steps.ts';
import type { PdfValue } from './pdf-values.ts';

/** What may happen without the reader's hand: it moves within the document or changes what is shown of it. */
const harmlessAtOpening: ReadonlySet<string> = new Set(['GoTo', 'GoTo3DView', 'Named', 'SetOCGState', 'Hide', 'ResetForm', 'Trans']);

const stepsPerCandidate = 8;
/** Actions that follow each other from object to object. Each is a turn deeper, and no sound file has more than a few. */
const longestChain = 200;

/**
 * Whether anything leads outside by itself: an `OpenAction`, or an additional action (`AA`) of the document, a page, an annotation or a
 * field, that is a `URI`, or another that is not known to stay within, at once or at the end of a chain of `Next`. What a reader must click
 * (`A` of a link) is not looked at.
 *
 * A reference may mean any object of its number, in whatever revision or hiding place; of a key that is written twice, either counts. An
 * object that cannot be read as the grammar has it is one that two readers read differently, and so counts as leading outside.
 * @throws {TooManyStepsError} also for a chain that is built to have no end
 */
export function leadsOutside(objects: PdfObjects, steps: Steps): boolean {
  const read = createReader(steps);
  /** Numbers that were judged, and as what: an action in one place may be a list of triggers in another. */
  const judged = new Map<(value: PdfValue) => boolean, Set<number>>();

  let depth = 0;
  const resolve = (value: PdfValue, judge: (value: PdfValue) => boolean): boolean => {
    if (value.kind !== 'reference') return judge(value);
    if (depth === longestChain) throw new TooManyStepsError();
    depth += 1;
    const isFound = resolveReference(value.to, judge);
    depth -= 1;
    return isFound;
  };
  const resolveReference = (to: number, judge: (value: PdfValue) => boolean): boolean => {
    steps.spend(stepsPerCandidate);
    const seen = judged.get(judge);
    if (seen?.has(to)) return false;
    if (seen) seen.add(to);
    else judged.set(judge, new Set([to]));
    // Any reference may mean an object without a number: with the first of them all of those are judged.
    const candidates = [...(objects.byNumber.get(to) ?? []), ...(seen ? [] : objects.unnumbered)];
    return candidates.some((object) => {
      const found = read(object);
      return found === null || judge(found);
    });
  };

  /** Apart from `resolve`, since an object may be a name here and something else there. */
  const isBadName = (value: PdfValue): boolean =>
    value.kind === 'reference' || (value.kind === 'name' && !harmlessAtOpening.has(value.name));
  const isName = (value: PdfValue): boolean => (value.kind === 'reference' ? resolveReference(value.to, isBadName) : isBadName(value));

  /** An action, or a destination, which is an array and leads nowhere else. */
  const isOutward = (value: PdfValue): boolean =>
    value.kind === 'dictionary' &&
    value.entries.some(([key, inner]) => {
      if (key === 'URI') return true;
      if (key === 'S') return isName(inner);
      if (key === 'Next') return resolve(inner, isChainOutward);
      return false;
    });
  const isChainOutward = (value: PdfValue): boolean =>
    value.kind === 'array' ? value.items.some((item) => resolve(item, isOutward)) : isOutward(value);
  const areTriggersOutward = (value: PdfValue): boolean =>
    value.kind === 'dictionary' && value.entries.some(([, action]) => resolve(action, isOutward));

  /** Finds the keys at whatever depth: a page may hold its annotations, and they their additional actions. */
  const holdsOutward = (value: PdfValue): boolean => {
    if (value.kind === 'array') return value.items.some(holdsOutward);
    if (value.kind !== 'dictionary') return false;
    return value.entries.some(
      ([key, inner]) =>
        (key === 'OpenAction' && resolve(inner, isOutward)) || (key === 'AA' && resolve(inner, areTriggersOutward)) || holdsOutward(inner),
    );
  };

  return objects.openings.some((object) => {
    const value = read(object);
    return value === null || holdsOutward(value);
  });
}
