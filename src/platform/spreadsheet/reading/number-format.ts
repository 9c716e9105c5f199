/** How a number format shows a number. `duration` shows all hours, minutes or seconds of a number of days. */
export type NumberUse = 'number' | 'day' | 'day_time' | 'time' | 'duration';

/** Formats that programs know by id: ECMA-376 part 1, 18.8.30. Those of East Asia count, since a file does not say its locale. */
const builtIn: readonly (readonly [first: number, last: number, NumberUse])[] = [
  [14, 17, 'day'],
  [18, 21, 'time'],
  [22, 22, 'day_time'],
  [27, 31, 'day'],
  [32, 35, 'time'],
  [36, 36, 'day'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 54, 'day'],
  [55, 56, 'time'],
  [57, 58, 'day'],
];

/** Returns how programs show a number with a format that the file does not define. */
export function useOfBuiltIn(id: number): NumberUse {
  return builtIn.find(([first, last]) => first <= id && id <= last)?.[2] ?? 'number';
}

/** Parts of a format; letters within texts, escapes, colours, currencies and locales show no date. */
const part = /"[^"]*"?|\\.?|[_*].?|\[[^\]]*\]?|general|am\/pm|a\/p|e[+-]|./gis;

/** Returns how programs show a number with a format code, such as `[$-419]d mmmm yyyy` or `mm:ss.0`. */
export function useOfFormat(code: string): NumberUse {
  const letters = new Set<string>();
  for (const [text] of code.matchAll(part)) {
    // The sections behind the first are for negative numbers, zero and text.
    if (text === ';') break;
    if (/^\[(?:h+|m+|s+)\]$/i.test(text)) return 'duration';
    if (text.length === 1) letters.add(text.toLowerCase());
  }
  const hasTime = letters.has('h') || letters.has('s');
  const hasDay = letters.has('y') || letters.has('d') || (letters.has('m') && !hasTime);
  if (hasDay) return hasTime ? 'day_time' : 'day';
  return hasTime ? 'time' : 'number';
}
