import type { Language } from '../../../http/language.ts';

/** A column that an import reads. */
export interface ImportColumn {
  /** As in the API: `class`, `vehicle.chassis`. */
  field: string;
  titles: Record<Language, string>;
  /** Other titles by which people name it, where no column has one of its own titles. */
  alsoNamed?: readonly string[];
  /** Titles that often name something else: they count only where no row of titles is found without them. */
  atLastNamed?: readonly string[];
  /** False: our own exports have it, and an import leaves it alone. */
  isRead: boolean;
}

/** Returns a title without what people vary: case, ё, blanks, and signs at its end. */
export function plainTitle(title: string): string {
  const words = title.normalize('NFKC').toLowerCase().replaceAll('ё', 'е').replaceAll(/\s+/g, ' ').trim();
  let end = words.length;
  while (end > 0 && ' *:.'.includes(words.charAt(end - 1))) end -= 1;
  return words.slice(0, end);
}

/** How certain a title is. */
export type Certainty = 'own' | 'other' | 'last';

/** Returns the column of a title in any language, or by its field; null for another title. The first of these columns wins. */
export function columnOf(title: string, columns: readonly ImportColumn[], by: Certainty = 'own'): ImportColumn | null {
  const plain = plainTitle(title);
  return plain === '' ? null : (columns.find((column) => titlesOf(column, by).some((name) => plainTitle(name) === plain)) ?? null);
}

function titlesOf({ field, titles, alsoNamed = [], atLastNamed = [] }: ImportColumn, by: Certainty): readonly string[] {
  if (by === 'own') return [field, titles.ru, titles.kk, titles.en];
  return by === 'other' ? alsoNamed : atLastNamed;
}
