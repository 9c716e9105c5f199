/** What a search asks of an athlete's words (`athlete_words` of the database); all of it must be there. */
export interface AthleteSearch {
  /** Beginnings of words, as people write them; they are folded like the words themselves. */
  words: string;
  /** What is sought as it stands, as text of a `tsquery`; empty when nothing is. */
  asItStands: string;
}

/** A phone, an IIN or an id, or the beginning of one, as people write it. */
const numberLike = /^[+() -]*\d[+\d() -]*$/;

/**
 * What is meant by the text of a search: a number is an id or the beginning of an IIN or a phone, however the phone is divided; what has an
 * `@` inside is the beginning of an e-mail; anything else are beginnings of words of name, city or e-mail.
 */
export function readAthleteSearch(text: string): AthleteSearch {
  if (numberLike.test(text)) {
    const digits = text.replaceAll(/\D/g, '');
    return { words: '', asItStands: `${beginningWith(digits)} | ${quoted(`#${digits}`)}` };
  }
  const parts = text.split(/\s+/);
  const isAddress = (part: string) => part.includes('@', 1);
  return {
    words: parts.filter((part) => !isAddress(part)).join(' '),
    asItStands: parts
      .filter(isAddress)
      .map((part) => beginningWith(part.toLowerCase()))
      .join(' & '),
  };
}

function beginningWith(lexeme: string): string {
  return `${quoted(lexeme)}:*`;
}

/** In a `tsquery`. */
function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll(/['\\]/g, '$&$&')}'`;
}
