/** Counts the characters of a text as the schemas do: in code points, so an emoji counts once (API-9). */
export function lengthOf(text: string): number {
  return [...text].length;
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
