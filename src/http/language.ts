export const languages = ['ru', 'kk', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text in the three languages of the registry. */
export type LocalizedText = Record<Language, string>;

/**
 * Chooses a page's language: the one of the link, else the browser's first supported one, else Russian.
 * @param acceptLanguage the header, such as `kk-KZ,kk;q=0.9,en;q=0.5`
 */
export function chooseLanguage(chosen: unknown, acceptLanguage: string | undefined): Language {
  return languages.find((language) => language === chosen) ?? preferred(acceptLanguage ?? '') ?? 'ru';
}

function preferred(header: string): Language | undefined {
  const preferences = header
    .split(',', 20)
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = parameters
        .map((parameter) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1])
        .find((value) => value !== undefined);
      return {
        language: languages.find((language) => language === tag.trim().split('-')[0]),
        quality: quality === undefined ? 1 : Number(quality),
      };
    })
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality);
  return preferences.find(({ language }) => language !== undefined)?.language;
}
