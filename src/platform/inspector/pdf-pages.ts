import { type PdfObject, type PdfObjects, UnreadablePdfError, valueAt } from './pdf-objects.ts';
import type { Steps } from './pdf-steps.ts';
import type { PdfValue } from './pdf-values.ts';

/**
 * How many pages the tree of pages has, as whoever opens the file meets them: the objects that stand last, from the root that the
 * last trailer names.
 * @returns 0 when there is no such tree
 * @throws {UnreadablePdfError} for a tree that comes back to a node: it has no end
 * @throws {TooManyStepsError}
 */
export function countPages(objects: PdfObjects, steps: Steps): number {
  const resolve = (value: PdfValue | null | undefined): PdfValue | null => {
    if (value?.kind !== 'reference') return value ?? null;
    const object = objects.current.get(value.to);
    return object ? valueAt(object, steps) : null;
  };
  const entry = (value: PdfValue | null, key: string): PdfValue | undefined =>
    value?.kind === 'dictionary' ? value.entries.find(([name]) => name === key)?.[1] : undefined;
  const isOfType = (value: PdfValue | null, type: string): boolean => {
    const found = resolve(entry(value, 'Type'));
    return found?.kind === 'name' && found.name === type;
  };

  const findCatalog = (): PdfValue | null => {
    for (const trailer of objects.trailers.toReversed()) {
      const catalog = resolve(entry(valueAt(trailer, steps), 'Root'));
      if (isOfType(catalog, 'Catalog')) return catalog;
    }
    // A file whose end is damaged: readers look for the catalog, and so does this.
    for (const object of objects.current.values()) {
      const value = valueAt(object, steps);
      if (isOfType(value, 'Catalog')) return value;
    }
    return null;
  };

  /** Nodes that were met, and whether they are pages: a page may be shown twice, a branch may not. */
  const seen = new Map<PdfObject, boolean>();
  let pages = 0;
  const waiting: (PdfValue | undefined)[] = [entry(findCatalog(), 'Pages')];
  while (waiting.length > 0) {
    const next = waiting.pop();
    steps.spend(1);
    const object = next?.kind === 'reference' ? objects.current.get(next.to) : undefined;
    const known = object && seen.get(object);
    if (known === false) throw new UnreadablePdfError();
    const node = known ? null : resolve(next);
    const kids = resolve(entry(node, 'Kids'));
    const isPage = known ?? (kids === null && isOfType(node, 'Page'));
    if (isPage) pages += 1;
    if (object) seen.set(object, isPage);
    if (kids?.kind === 'array') for (const kid of kids.items) waiting.push(kid);
  }
  return pages;
}
