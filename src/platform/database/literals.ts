import { type RawBuilder, sql } from 'kysely';

/** Words of our own as a statement names them: written out and no parameters, so that a partial index over them serves it. */
export function literals<Word extends string>(words: readonly Word[]): RawBuilder<Word>[] {
  return words.map((word) => sql.lit(word));
}

/** The same as text, for the indexes and checks of a table: `status in (…)`. */
export function literalText(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
