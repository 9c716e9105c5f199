import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useClockLead } from './clock.ts';
import { isKazakhKnown, type Language, languages, locales, type TextTable, type Words, wordsOf } from './texts.ts';
import { type CommonWords, commonTexts } from './words.ts';

const storageKey = 'desk-language';
/** UTC+5, with the sign of POSIX: the days of the registry. */
const timeZone = 'Etc/GMT-5';

interface Spoken {
  language: Language;
  words: CommonWords;
  choose(language: Language): void;
  /** @param minor tiyn */
  money(minor: number): string;
  number(value: number): string;
  /** @param instant ISO 8601 */
  moment(instant: string): string;
  /** @param day `YYYY-MM-DD` */
  day(day: string): string;
  /** How long ago: "3 days ago". @param instant ISO 8601 */
  ago(instant: string): string;
}

const SpokenContext = createContext<Spoken | null>(null);

/** Words and formats of the chosen language with the texts of a page. */
export function useTexts<const Table extends TextTable>(table: Table): Spoken & { texts: Words<Table> } {
  const spoken = useLanguage();
  return { ...spoken, texts: wordsOf(table, spoken.language) };
}

/** Words, numbers, money and dates in the chosen language. */
export function useLanguage(): Spoken {
  const spoken = useContext(SpokenContext);
  if (spoken === null) throw new Error('the page has no language');
  return spoken;
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const locale = locales[language];
  const aheadMs = useClockLead();
  useEffect(() => {
    document.documentElement.lang = language;
    document.title = wordsOf(commonTexts, language).title;
  }, [language]);
  const hasMonths = language !== 'kk' || isKazakhKnown;
  const dateStyle = hasMonths ? 'medium' : 'short';
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const spoken: Spoken = {
    language,
    words: wordsOf(commonTexts, language),
    choose(next) {
      localStorage.setItem(storageKey, next);
      setLanguage(next);
    },
    money: (minor) => new Intl.NumberFormat(locale, { style: 'currency', currency: 'KZT' }).format(minor / 100),
    number: (value) => new Intl.NumberFormat(locale).format(value),
    moment: (instant) => new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short', timeZone }).format(new Date(instant)),
    day: (day) => new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).format(new Date(day)),
    ago: (instant) => agoIn(hasMonths ? format : kazakhAges, Date.now() + aheadMs - Date.parse(instant)),
  };
  return <SpokenContext value={spoken}>{children}</SpokenContext>;
}

/** The one chosen before, else the browser's first known one, else Russian. */
function firstLanguage(): Language {
  const preferences = [localStorage.getItem(storageKey), ...navigator.languages.map((tag) => tag.split('-')[0])];
  return (
    preferences.find((preference): preference is Language => preference !== null && preference !== undefined && preference in languages) ??
    'ru'
  );
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const kazakhUnits = { minute: 'минут', hour: 'сағат', day: 'күн' } as const;
type Unit = keyof typeof kazakhUnits;
const kazakhAges = { format: (count: number, unit: Unit) => `${-count} ${kazakhUnits[unit]} бұрын` };

function agoIn(format: { format(count: number, unit: Unit): string }, elapsedMs: number): string {
  if (elapsedMs < hourMs) return format.format(-Math.floor(elapsedMs / minuteMs), 'minute');
  if (elapsedMs < dayMs) return format.format(-Math.floor(elapsedMs / hourMs), 'hour');
  return format.format(-Math.floor(elapsedMs / dayMs), 'day');
}
