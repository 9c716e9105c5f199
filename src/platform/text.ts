import { domainToASCII } from 'node:url';

/** Counts the characters of a text as the schemas do: in code points, so an emoji counts once (API-9). */
export function lengthOf(text: string): number {
  return [...text].length;
}

/** Whether a text has ASCII characters only. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/**
 * Returns an e-mail address with its domain as DNS has it (`почта@пошта.қаз` is `почта@xn--…`), in small letters; an unreadable one
 * unchanged. Both forms of a domain are one address.
 */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  if (at === 0 || isAscii(address.slice(at))) return address;
  const domain = domainToASCII(address.slice(at));
  return domain === '' ? address : address.slice(0, at) + domain;
}

/** A telephone number as people write it. */
export const phonePattern = /^\+?[0-9(][0-9 ()-]{3,28}[0-9]$/;

const certificateNumber = /^KZ-[A-Z]+-\d{4}-\d+$/i;

/**
 * Splits the text of a search into whole certificate numbers and its other words. Numbers are found by their own index; the database
 * folds the words (`folded`). E-mail addresses get the form in which they are stored.
 */
export function splitSearch(text: string): { numbers: string[]; words: string } {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  const isNumber = (part: string) => certificateNumber.test(part);
  return {
    numbers: parts.filter(isNumber).map((part) => part.toUpperCase()),
    words: parts
      .filter((part) => !isNumber(part))
      .map(asciiDomain)
      .join(' '),
  };
}

/** Removes what a mail program counts to a link at its end: the punctuation of the sentence around it. */
export function withoutPunctuation(link: string): string {
  return withoutTrailing(link, '.,;:)]>»');
}

/** Removes given characters from the end of a text in linear time, which a pattern such as `/0+$/` does not guarantee. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The same for both ends. */
export function withoutSurrounding(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return withoutTrailing(text.slice(start), characters);
}
