import type { Language } from './language.ts';

// The sign of the tenge is known to whoever reads Russian or Kazakh; others know the code.
const formats: Record<Language, Intl.NumberFormat> = {
  ru: new Intl.NumberFormat('ru-RU', { style: 'currency', currency: 'KZT', currencyDisplay: 'narrowSymbol' }),
  kk: new Intl.NumberFormat('kk-KZ', { style: 'currency', currency: 'KZT', currencyDisplay: 'narrowSymbol' }),
  en: new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'KZT', currencyDisplay: 'code' }),
};

/** Money as people of each language write it. @param minor in tiyn */
export function wordsOfMoney(minor: number, language: Language): string {
  return formats[language].format(minor / 100);
}
