import { createReader, type PdfObjects } from './pdf-objects.ts';
import { type Steps, TooManyStepsError } from './pdf-steps.ts';
import type { PdfValue } from './pdf-values.ts';

/** Actions that may run without a click: they stay within the document. */
const harmlessActions: ReadonlySet<string> = new Set(['GoTo', 'GoTo3DView', 'Named', 'SetOCGState', 'Hide', 'ResetForm', 'Trans']);

const stepsPerCandidate = 8;
/** Maximum chain of actions. Each level is a recursion; valid files have only a few. */
const maxChainLength = 200;

/**
 * Returns whether the document runs an action that may leave it without a click. Checks `OpenAction` and additional actions (`AA`) of
 * document, pages, annotations and fields, with their chains of `Next`. Ignores actions that need a click (`A` of a link).
 *
 * A reference may mean any object with its number, in any revision. Of a repeated key, each value counts. A malformed object counts as
 * leaving the document, because programs read it differently.
 * @throws {TooManyStepsError} also for an endless chain
 */
export function hasLeavingAction(objects: PdfObjects, steps: Steps): boolean {
  const read = createReader(steps);
  /** Checked object numbers, by the check: an action in one place may be a list of triggers in another. */
  const judged = new Map<(value: PdfValue) => boolean, Set<number>>();

  let depth = 0;
  const resolve = (value: PdfValue, judge: (value: PdfValue) => boolean): boolean => {
    if (value.kind !== 'reference') return judge(value);
    if (depth === maxChainLength) throw new TooManyStepsError();
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
    // Any reference may mean an unnumbered object: the first reference checks all of them.
    const candidates = [...(objects.byNumber.get(to) ?? []), ...(seen ? [] : objects.unnumbered)];
    return candidates.some((object) => {
      const found = read(object);
      return found === null || judge(found);
    });
  };

  /** Does not use `resolve`, because an object may be a name in one place and something else in another. */
  const isBadName = (value: PdfValue): boolean => value.kind === 'reference' || (value.kind === 'name' && !harmlessActions.has(value.name));
  const isName = (value: PdfValue): boolean => (value.kind === 'reference' ? resolveReference(value.to, isBadName) : isBadName(value));

  /** Checks an action. A destination is an array and stays within the document. */
  const leavesDocument = (value: PdfValue): boolean =>
    value.kind === 'dictionary' &&
    value.entries.some(([key, inner]) => {
      if (key === 'URI') return true;
      if (key === 'S') return isName(inner);
      if (key === 'Next') return resolve(inner, chainLeavesDocument);
      return false;
    });
  const chainLeavesDocument = (value: PdfValue): boolean =>
    value.kind === 'array' ? value.items.some((item) => resolve(item, leavesDocument)) : leavesDocument(value);
  const triggersLeaveDocument = (value: PdfValue): boolean =>
    value.kind === 'dictionary' && value.entries.some(([, action]) => resolve(action, leavesDocument));

  /** Finds the keys at any depth: a page may contain annotations with additional actions. */
  const containsLeavingAction = (value: PdfValue): boolean => {
    if (value.kind === 'array') return value.items.some(containsLeavingAction);
    if (value.kind !== 'dictionary') return false;
    return value.entries.some(
      ([key, inner]) =>
        (key === 'OpenAction' && resolve(inner, leavesDocument)) ||
        (key === 'AA' && resolve(inner, triggersLeaveDocument)) ||
        containsLeavingAction(inner),
    );
  };

  return objects.automaticActions.some((object) => {
    const value = read(object);
    return value === null || containsLeavingAction(value);
  });
}
