/** Variables with a text value. */
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

/** Variables of drawn marks; in a text they give only the place. */
export const markVariables = ['FEDERATION_SIGNATURE', 'FEDERATION_STAMP', 'DOCUMENT_QR'] as const;
export type MarkVariable = (typeof markVariables)[number];

/** All variables of a template, in the order shown to clients. */
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

/** A part of a filled template, in reading order. Adjacent texts are merged. */
export type TemplatePart = { kind: 'text'; text: string } | { kind: 'mark'; mark: MarkVariable };

/** A text outside braces, a name between them, or the rest after an unclosed `{{`. */
type Piece = { kind: 'text'; text: string } | { kind: 'variable'; name: string } | { kind: 'unclosed'; name: string };

const opening = '{{';
const closing = '}}';
/** Characters of an unknown name that the refusal shows. */
const longestToldName = 60;

/**
 * Lists the unknown names between `{{` and `}}`, each once, in text order (AGR-9). Names are case-sensitive and may not contain blanks; an
 * unclosed `{{` is unknown too.
 */
export function findUnknownVariables(body: string): string[] {
  const names = split(body).flatMap((piece) => {
    if (piece.kind === 'text' || (piece.kind === 'variable' && isVariable(piece.name))) return [];
    return [piece.name];
  });
  return [...new Set(names.map((name) => (name.length > longestToldName ? `${name.slice(0, longestToldName)}…` : name)))];
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

function isVariable(name: string): boolean {
  return isTextVariable(name) || isMarkVariable(name);
}

function isTextVariable(name: string): name is TextVariable {
  return textVariables.some((known) => known === name);
}

function isMarkVariable(name: string): name is MarkVariable {
  return markVariables.some((known) => known === name);
}
