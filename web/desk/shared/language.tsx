import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { en } from '../texts/en.ts';
import { kk } from '../texts/kk.ts';
import { ru, type Words } from '../texts/ru.ts';

export const languages = { ru: 'Русский', kk: 'Қазақша', en: 'English' } as const;
export type Language = keyof typeof languages;

const texts: Record<Language, Words> = { ru, kk, en };
const locales: Record<Language, string> = { ru: 'ru-RU', kk: 'kk-KZ', en: 'en-GB' };
const storageKey = 'desk-language';
/** UTC+5, with the sign of POSIX: the days of the registry. */
const timeZone = 'Etc/GMT-5';

interface Spoken {
  language: Language;
  words: Words;
  choose(language: Language): void;
  /** @param minor tiyn */
  money(minor: number): string;
  number(value: number): string;
  /** @param instant ISO 8601 */
  moment(instant: string): string;
}

const SpokenContext = createContext<Spoken | null>(null);

/** Words, numbers, money and dates in the chosen language. */
export function useLanguage(): Spoken {
  const spoken = useContext(SpokenContext);
  if (spoken === null) throw new Error('the page has no language');
  return spoken;
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const locale = locales[language];
  useEffect(() => {
    document.documentElement.lang = language;
    document.title = texts[language].title;
  }, [language]);
  const spoken: Spoken = {
    language,
    words: texts[language],
    choose(next) {
      localStorage.setItem(storageKey, next);
      setLanguage(next);
    },
    money: (minor) => new Intl.NumberFormat(locale, { style: 'currency', currency: 'KZT' }).format(minor / 100),
    number: (value) => new Intl.NumberFormat(locale).format(value),
    moment: (instant) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(instant)),
  };
  return <SpokenContext value={spoken}>{children}</SpokenContext>;
}

/** The one chosen before, else the browser's first known one, else Russian. */
function firstLanguage(): Language {
  const preferences = [localStorage.getItem(storageKey), ...navigator.languages.map((tag) => tag.split('-')[0])];
  return (
    preferences.find((preference): preference is Language => preference !== null && preference !== undefined && preference in texts) ?? 'ru'
  );
}
