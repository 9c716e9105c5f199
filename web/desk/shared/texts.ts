export const languages = { ru: 'Русский', kk: 'Қазақша', en: 'English' } as const;
export type Language = keyof typeof languages;
/** Chromium knows no Kazakh on most systems; numbers and dates in digits are written as in Russian. */
export const isKazakhKnown = Intl.DateTimeFormat.supportedLocalesOf('kk').length > 0;
export const locales: Record<Language, string> = { ru: 'ru-RU', kk: isKazakhKnown ? 'kk-KZ' : 'ru-KZ', en: 'en-GB' };

/** One text in each language, so that a translator sees them side by side and none can be missing. */
type Row = readonly [ru: string, kk: string, en: string];
type Entry = Row | readonly Row[] | ((...values: never[]) => Row) | TextTable;

/** The texts of a page, in its folder. */
export interface TextTable {
  readonly [key: string]: Entry;
}

/** The texts of one language, under the keys of their table. */
export type Words<Table> = Table extends Row ? string : Table extends (...values: infer Values) => Row ? (...values: Values) => string : { readonly [Key in keyof Table]: Words<Table[Key]> };

export function defineTexts<const Table extends TextTable>(table: Table): Table {
  return table;
}

const known = new WeakMap<TextTable, Map<Language, unknown>>();

/** Picks a language out of a table, once. */
export function wordsOf<Table extends TextTable>(table: Table, language: Language): Words<Table> {
  const spoken = known.get(table) ?? new Map<Language, unknown>();
  known.set(table, spoken);
  if (!spoken.has(language)) spoken.set(language, pick(table, Object.keys(languages).indexOf(language)));
  return spoken.get(language) as Words<Table>;
}

function pick(entry: Entry, index: number): unknown {
  if (typeof entry === 'function') return (...values: never[]) => entry(...values)[index];
  if (isRow(entry)) return entry[index];
  if (isList(entry)) return entry.map((row) => row[index]);
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, pick(value, index)]));
}

function isList(entry: Row | readonly Row[] | TextTable): entry is readonly Row[] {
  return Array.isArray(entry);
}

function isRow(entry: Row | readonly Row[] | TextTable): entry is Row {
  return Array.isArray(entry) && typeof entry[0] === 'string';
}
