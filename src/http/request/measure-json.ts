/** Structure of a JSON text, measured from its bytes. */
export interface JsonMeasure {
  /** Nesting of objects and lists. */
  depth: number;
  /** Objects and lists in total. */
  containers: number;
  /** Field names in all objects together. */
  keys: number;
}

const [quote, backslash, colon, openBrace, closeBrace, openBracket, closeBracket] = [...Buffer.from('"\\:{}[]')];

/**
 * Measures a JSON text before parsing: a megabyte of brackets or of distinct fields costs the parser many times more than other text. One
 * pass takes a few milliseconds. Does not check the syntax.
 */
export function measureJson(bytes: Uint8Array): JsonMeasure {
  let open = 0;
  let depth = 0;
  let containers = 0;
  let keys = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInText = false;
    } else if (byte === quote) isInText = true;
    else if (byte === colon) keys += 1;
    else if (byte === openBrace || byte === openBracket) {
      open += 1;
      containers += 1;
      if (open > depth) depth = open;
    } else if (byte === closeBrace || byte === closeBracket) open -= 1;
  }
  return { depth, containers, keys };
}
