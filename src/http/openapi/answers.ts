import { readFileSync } from 'node:fs';
import type { Json } from './shapes.ts';

/** Answers that the routes gave to a test, by operation (`npm run docs:answers`). Lists have at most two entries. */
const answers = JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8')) as Record<string, Json>;

/** Returns the example of a success of an operation, for its media type; empty without one. */
export function answerOf(operation: string): { example?: Json } {
  const example = answers[operation];
  return example === undefined ? {} : { example };
}
