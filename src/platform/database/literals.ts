import { type RawBuilder, sql } from 'kysely';

/** Converts constants to SQL literals. A partial index cannot be used with parameters. */
export function literals<Word extends string>(words: readonly Word[]): RawBuilder<Word>[] {
  return words.map((word) => sql.lit(word));
}

/** Returns constants as SQL text for indexes and checks: `status in (…)`. */
export function literalText(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
