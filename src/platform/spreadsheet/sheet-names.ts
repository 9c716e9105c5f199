/** Maximum length of a sheet's name, in UTF-16 units. */
const maxLength = 31;
/** Characters that spreadsheet programs or XML refuse in a name. */
// oxlint-disable-next-line no-control-regex
const refused = /[*?:\\/[\]\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g;
/** Excel reserves this name. */
const reserved = 'history';

/** Returns names of sheets for these texts, in order. Replaces or cuts refused parts, and numbers names that differ only in case. */
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
  // Formulas quote names with apostrophes.
  const inner = allowed.replace(/^'/, '_').replace(/'$/, '_');
  return inner === '' ? '_' : inner;
}

/** Cuts a name without splitting a character; the end is no space or apostrophe. */
function cut(name: string, length: number): string {
  if (name.length <= length) return name;
  const kept = name.slice(0, length);
  return (kept.isWellFormed() ? kept : kept.slice(0, -1)).trimEnd().replace(/'$/, '_');
}
