/** Variables that stand for a text (service.md "Agreement", decisions.md §7). */
export const textVariables = [
  'FEDERATION_SIGNER_NAME',
  'FEDERATION_SIGNER_POSITION',
  'FEDERATION_SIGNED_AT',
  'DOCUMENT_NUMBER',
  'EVENT_TITLE',
  'EVENT_DATES',
  'EVENT_LOCATION',
  'ORGANIZER_NAME',
  'ORGANIZER_BIN',
  'ORGANIZER_DIRECTOR',
] as const;
export type TextVariable = (typeof textVariables)[number];

/** Variables that stand for something drawn; in a text they only say where it belongs. */
export const markVariables = ['FEDERATION_SIGNATURE', 'FEDERATION_STAMP', 'DOCUMENT_QR'] as const;
export type MarkVariable = (typeof markVariables)[number];

/** All that a template may name, in the order of the specification. */
export const templateVariables = [
  'FEDERATION_SIGNATURE',
  'FEDERATION_STAMP',
  'FEDERATION_SIGNER_NAME',
  'FEDERATION_SIGNER_POSITION',
  'FEDERATION_SIGNED_AT',
  'DOCUMENT_NUMBER',
  'DOCUMENT_QR',
  'EVENT_TITLE',
  'EVENT_DATES',
  'EVENT_LOCATION',
  'ORGANIZER_NAME',
  'ORGANIZER_BIN',
  'ORGANIZER_DIRECTOR',
] as const satisfies readonly (TextVariable | MarkVariable)[];

/** A piece of a filled template, in the order of reading. Neighbouring texts are one. */
export type TemplatePart = { kind: 'text'; text: string } | { kind: 'mark'; mark: MarkVariable };

/** A text outside of braces, what is between them, or what follows braces that are never closed. */
type Piece = { kind: 'text'; text: string } | { kind: 'variable'; name: string } | { kind: 'unclosed'; name: string };

const opening = '{{';
const closing = '}}';
/** Characters of a wrong name that are told to whoever wrote it. */
const longestToldName = 60;

/**
 * Names between `{{` and `}}` that are no variables, each once, in the order of the text. A name is taken as it stands: other letter
 * cases and blanks make it unknown, and so does a `{{` that is never closed.
 */
export function findUnknownVariables(body: string): string[] {
  const names = split(body).flatMap((piece) => {
    if (piece.kind === 'text' || (piece.kind === 'variable' && isVariable(piece.name))) return [];
    return [piece.name];
  });
  return [...new Set(names.map((name) => (name.length > longestToldName ? `${name.slice(0, longestToldName)}…` : name)))];
}

/**
 * Puts values in place of the variables of a template. What a value holds is text, whatever it looks like: it is not read for variables
 * again. What draws something is given back as a mark where it stood. A name that is no variable stays as it was written.
 */
export function fillTemplate(body: string, values: Record<TextVariable, string>): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let text = '';
  for (const piece of split(body)) {
    if (piece.kind === 'text') text += piece.text;
    else if (piece.kind === 'unclosed') text += opening + piece.name;
    else if (isTextVariable(piece.name)) text += values[piece.name];
    else if (isMarkVariable(piece.name)) {
      if (text !== '') parts.push({ kind: 'text', text });
      text = '';
      parts.push({ kind: 'mark', mark: piece.name });
    } else text += opening + piece.name + closing;
  }
  if (text !== '') parts.push({ kind: 'text', text });
  return parts;
}

/** Looks at each character of the text a bounded number of times, whatever its braces are. */
function split(body: string): Piece[] {
  const [before = '', ...openings] = body.split(opening);
  const pieces: Piece[] = [{ kind: 'text', text: before }];
  for (const part of openings) {
    const end = part.indexOf(closing);
    if (end === -1) pieces.push({ kind: 'unclosed', name: part });
    else pieces.push({ kind: 'variable', name: part.slice(0, end) }, { kind: 'text', text: part.slice(end + closing.length) });
  }
  return pieces;
}

function isVariable(name: string): boolean {
  return isTextVariable(name) || isMarkVariable(name);
}

function isTextVariable(name: string): name is TextVariable {
  return textVariables.some((known) => known === name);
}

function isMarkVariable(name: string): name is MarkVariable {
  return markVariables.some((known) => known === name);
}
