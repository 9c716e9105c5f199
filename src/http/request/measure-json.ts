/** How a JSON text is built, from its bytes alone. */
export interface JsonMeasure {
  /** Objects and lists within each other. */
  depth: number;
  /** Objects and lists in all. */
  containers: number;
  /** Names of fields in all objects together. */
  keys: number;
}

const [quote, backslash, colon, openBrace, closeBrace, openBracket, closeBracket] = [...Buffer.from('"\\:{}[]')];

/**
 * Measures a JSON text before it is parsed: a megabyte of brackets, or of different fields, costs the parser many
 * times what a megabyte of anything else does, and this one pass a few milliseconds. Whether it is JSON is for the parser to say.
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
