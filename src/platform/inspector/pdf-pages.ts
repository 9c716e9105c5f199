import { createReader, type PdfObject, type PdfObjects, UnreadablePdfError } from './pdf-objects.ts';
import type { Steps } from './pdf-steps.ts';
import type { PdfValue } from './pdf-values.ts';

/**
 * Counts the pages of the page tree as a program shows them: current objects, from the root of the last trailer. A catalog and a page may
 * lack their type: the tree tells what they are. Reads each object once, and visits each node and list once.
 * @returns 0 without a page tree
 * @throws {UnreadablePdfError} for a tree in which two nodes share a branch: it may be endless or grow exponentially
 * @throws {TooManyStepsError}
 */
export function countPages(objects: PdfObjects, steps: Steps): number {
  const read = createReader(steps);
  const resolve = (value: PdfValue | null | undefined): PdfValue | null => {
    if (value?.kind !== 'reference') return value ?? null;
    const object = objects.current.get(value.to);
    return object ? read(object) : null;
  };
  const entry = (value: PdfValue | null, key: string): PdfValue | undefined =>
    value?.kind === 'dictionary' ? value.entries.find(([name]) => name === key)?.[1] : undefined;
  const isOfType = (value: PdfValue | null, type: string): boolean => {
    const found = resolve(entry(value, 'Type'));
    return found?.kind === 'name' && found.name === type;
  };
  const mayBe = (value: PdfValue | null, type: string): boolean =>
    value?.kind === 'dictionary' && (entry(value, 'Type') === undefined || isOfType(value, type));

  const findCatalog = (): PdfValue | null => {
    for (const trailer of objects.trailers.toReversed()) {
      const catalog = resolve(entry(read(trailer), 'Root'));
      if (mayBe(catalog, 'Catalog') && entry(catalog, 'Pages') !== undefined) return catalog;
    }
    // The end of the file is damaged: search for the catalog, as programs do.
    for (const object of objects.current.values()) {
      const value = read(object);
      if (isOfType(value, 'Catalog')) return value;
    }
    return null;
  };

  /** Visited nodes, and whether they are pages: a page may occur twice, a branch may not. */
  const seen = new Map<PdfObject, boolean>();
  /** Visited lists of nodes. */
  const lists = new Set<number>();
  let pages = 0;
  const waiting: (PdfValue | undefined)[] = [entry(findCatalog(), 'Pages')];
  while (waiting.length > 0) {
    const next = waiting.pop();
    steps.spend(1);
    const object = next?.kind === 'reference' ? objects.current.get(next.to) : undefined;
    const known = object && seen.get(object);
    if (known === false) throw new UnreadablePdfError();
    const node = known ? null : resolve(next);
    const branches = entry(node, 'Kids');
    const kids = resolve(branches);
    if (branches?.kind === 'reference') {
      if (lists.has(branches.to)) throw new UnreadablePdfError();
      lists.add(branches.to);
    }
    const isPage = known ?? (kids === null && mayBe(node, 'Page'));
    if (isPage) pages += 1;
    if (object) seen.set(object, isPage);
    if (kids?.kind === 'array') for (const kid of kids.items) waiting.push(kid);
  }
  return pages;
}
