/** What a spreadsheet program takes as the name of a sheet, in UTF-16 units. */
const maxLength = 31;
/** Refused anywhere in a name; controls and what is no character of XML would break the file. */
// oxlint-disable-next-line no-control-regex
const refused = /[*?:\\/[\]\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g;
/** Excel keeps this name for itself. */
const reserved = 'history';

/**
 * Names of sheets for these texts, in their order: what a spreadsheet program refuses is replaced or cut, and names that are the same to it
 * (upper and lower case are) are told apart by a number.
 */
export function sheetNames(texts: readonly string[]): string[] {
  const taken = new Set([reserved]);
  return texts.map((text) => {
    const plain = plainName(text);
    let name = cut(plain, maxLength);
    for (let copy = 2; taken.has(name.toLowerCase()); copy += 1) {
      const mark = ` (${copy})`;
      name = cut(plain, maxLength - mark.length) + mark;
    }
    taken.add(name.toLowerCase());
    return name;
  });
}

function plainName(text: string): string {
  const allowed = text.toWellFormed().replace(refused, '_').trim();
  // An apostrophe at either end is how formulas quote the name.
  const inner = allowed.replace(/^'/, '_').replace(/'$/, '_');
  return inner === '' ? '_' : inner;
}

/** No half of a character is left behind, nor a blank or an apostrophe that was in the middle before. */
function cut(name: string, length: number): string {
  if (name.length <= length) return name;
  const kept = name.slice(0, length);
  return (kept.isWellFormed() ? kept : kept.slice(0, -1)).trimEnd().replace(/'$/, '_');
}
