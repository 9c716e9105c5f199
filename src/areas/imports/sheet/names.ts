import { type Entry, textIn } from './entries.ts';

/** Returns the name in a row, with single blanks. */
export function nameIn(entry: Pick<Entry, 'cells'>): string {
  return textIn(entry, 'name').replaceAll(/\s+/g, ' ');
}

/**
 * Whether a name has a word of the holder's: sheets have initials, another order, or no second name. A name in another alphabet says nothing.
 * @param written and `holder`: without case
 */
export function mayBeSame(written: string, holder: string): boolean {
  const isCyrillic = (name: string) => /\p{Script=Cyrillic}/u.test(name);
  if (written === '' || isCyrillic(written) !== isCyrillic(holder)) return true;
  const own = new Set(holder.split(' '));
  return written.split(' ').some((word) => own.has(word));
}
