import { createReader, type PdfObject, type PdfObjects, UnreadablePdfError } from './pdf-objects.ts';
import type { Steps } from './pdf-steps.ts';
import type { PdfValue } from './pdf-values.ts';

/**
 * Counts the pages of the page tree as a reader sees them: the objects that stand last, from the root that the last
 * trailer names. Each object is read once, and each node and each list of nodes is visited once.
 * @returns 0 when there is no such tree
 * @throws {UnreadablePdfError} for a tree in which two nodes share a branch: it may have no end, or grow twofold with each level
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

  const findCatalog = (): PdfValue | null => {
    for (const trailer of objects.trailers.toReversed()) {
      const catalog = resolve(entry(read(trailer), 'Root'));
      if (isOfType(catalog, 'Catalog')) return catalog;
    }
    // A file whose end is damaged: readers look for the catalog, and so does this.
    for (const object of objects.current.values()) {
      const value = read(object);
      if (isOfType(value, 'Catalog')) return value;
    }
    return null;
  };

  /** Nodes that were met, and whether they are pages: a page may be shown twice, a branch may not. */
  const seen = new Map<PdfObject, boolean>();
  /** Objects that were met as lists of nodes. */
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
    const isPage = known ?? (kids === null && isOfType(node, 'Page'));
    if (isPage) pages += 1;
    if (object) seen.set(object, isPage);
    if (kids?.kind === 'array') for (const kid of kids.items) waiting.push(kid);
  }
  return pages;
}
