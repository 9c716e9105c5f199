/** Blanks, also those without width and the marks of writing direction that messengers put around a copied number. */
const [blanksBefore, blanksAfter] = [/^[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069]+/, /[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069]$/];
/** Characters that no program shows and PostgreSQL or XML refuses. */
// oxlint-disable-next-line no-control-regex
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g;

/** Returns a text in NFC with line breaks as LF, without blanks at its ends and without control characters. */
export function normalizeText(text: string): string {
  const seen = text.toWellFormed().replaceAll(unseen, '').replaceAll(/\r\n?/g, '\n').normalize('NFC').replace(blanksBefore, '');
  let end = seen.length;
  // A pattern for blanks at the end takes quadratic time.
  while (end > 0 && blanksAfter.test(seen.charAt(end - 1))) end -= 1;
  return seen.slice(0, end);
}
