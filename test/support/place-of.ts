import { readFileSync } from 'node:fs';

/** Returns where a text first stands in a file, such as `test/steps/step-cases.ts:216`: what a failing test tells to edit. */
export function placeOf(file: string, text: string): string {
  const index = readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text));
  return index < 0 ? file : `${file}:${index + 1}`;
}
