import { registryOffset, startOfDay } from '../../platform/time/date-time.ts';
import type { Language } from '../language.ts';

/** Locales of dates, in UTC+5 (API-4). */

const locales = { ru: 'ru-RU', kk: 'kk-KZ', en: 'en-GB' } as const satisfies Record<Language, string>;

function formats(options: Intl.DateTimeFormatOptions): Record<Language, Intl.DateTimeFormat> {
  const of = (language: Language) => new Intl.DateTimeFormat(locales[language], { ...options, timeZone: registryOffset });
  return { ru: of('ru'), kk: of('kk'), en: of('en') };
}

// Creating a formatter takes longer than formatting a page of dates.
const days = formats({ dateStyle: 'long' });
const instants = formats({ dateStyle: 'long', timeStyle: 'medium' });
const moments = formats({ dateStyle: 'long', timeStyle: 'short' });
const months = formats({ month: 'long', year: 'numeric' });

/** @param day `YYYY-MM-DD` */
export function wordsOfDay(day: string, language: Language): string {
  return days[language].format(startOfDay(day));
}

/** The days from one instant to another: `5–7 March 2026`, or one of them. */
export function wordsOfDays(from: Date, until: Date, language: Language): string {
  return days[language].formatRange(from, until);
}

/** With seconds, for results checked at that moment. */
export function wordsOfInstant(instant: Date, language: Language): string {
  return instants[language].format(instant);
}

/** With minutes, for planned times. */
export function wordsOfMoment(instant: Date, language: Language): string {
  return moments[language].format(instant);
}

export function wordsOfMonth(instant: Date, language: Language): string {
  return months[language].format(instant);
}

// Russian and Kazakh use the tenge sign, English the currency code.
const amountFormats: Record<Language, Intl.NumberFormat> = {
  ru: new Intl.NumberFormat('ru-RU', { style: 'currency', currency: 'KZT', currencyDisplay: 'narrowSymbol' }),
  kk: new Intl.NumberFormat('kk-KZ', { style: 'currency', currency: 'KZT', currencyDisplay: 'narrowSymbol' }),
  en: new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'KZT', currencyDisplay: 'code' }),
};

/**
 * Formats money for a language.
 * @param minor in tiyn
 */
export function wordsOfMoney(minor: number, language: Language): string {
  return amountFormats[language].format(minor / 100);
}
