/** The variables of a template, in the order shown to clients. A mark is drawn; in a text it gives only the place. */
const kinds = {
  FEDERATION_SIGNATURE: 'mark',
  FEDERATION_STAMP: 'mark',
  FEDERATION_SIGNER_NAME: 'text',
  FEDERATION_SIGNER_POSITION: 'text',
  FEDERATION_SIGNED_AT: 'text',
  DOCUMENT_NUMBER: 'text',
  DOCUMENT_QR: 'mark',
  EVENT_TITLE: 'text',
  EVENT_DATES: 'text',
  EVENT_LOCATION: 'text',
  ORGANIZER_NAME: 'text',
  ORGANIZER_BIN: 'text',
  ORGANIZER_DIRECTOR: 'text',
} as const;
const kindByName = new Map<string, 'text' | 'mark'>(Object.entries(kinds));
type Kinds = typeof kinds;
type VariableOf<Kind> = { [Name in keyof Kinds]: Kinds[Name] extends Kind ? Name : never }[keyof Kinds];
export type TextVariable = VariableOf<'text'>;
export type MarkVariable = VariableOf<'mark'>;

export const templateVariables: readonly string[] = Object.keys(kinds);
export const textVariables = templateVariables.filter(isTextVariable);
export const markVariables = templateVariables.filter(isMarkVariable);

/** A part of a filled template, in reading order. Adjacent texts are merged. */
export type TemplatePart = { kind: 'text'; text: string } | { kind: 'mark'; mark: MarkVariable };

/** A text outside braces, a name between them, or the rest after an unclosed `{{`. */
type Piece = { kind: 'text'; text: string } | { kind: 'variable'; name: string } | { kind: 'unclosed'; name: string };

const opening = '{{';
const closing = '}}';
/** Characters of an unknown name that the refusal shows. */
const longestShownName = 60;

/**
 * Lists the unknown names between `{{` and `}}`, each once, in text order (AGR-9). Names are case-sensitive and may not contain blanks; an
 * unclosed `{{` is unknown too.
 */
export function findUnknownVariables(body: string): string[] {
  const names = split(body).flatMap((piece) => {
    if (piece.kind === 'text' || (piece.kind === 'variable' && kindByName.has(piece.name))) return [];
    return [piece.name];
  });
  return [...new Set(names.map((name) => (name.length > longestShownName ? `${name.slice(0, longestShownName)}…` : name)))];
}

/**
 * Replaces the variables of a template by their values. Values are not searched for variables. Drawn variables become mark parts in their
 * place; unknown names stay unchanged.
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

/** Splits a text at its braces in linear time, for any input. */
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

function isTextVariable(name: string): name is TextVariable {
  return kindByName.get(name) === 'text';
}

function isMarkVariable(name: string): name is MarkVariable {
  return kindByName.get(name) === 'mark';
}
