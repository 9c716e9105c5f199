import type { Random } from '../../../support/random.ts';
import type { SentSheet } from '../../auditor/imports/sheet.ts';
import type { Person, World } from '../../world.ts';
import { weighted } from '../step.ts';
import type { Sheet } from './csv.ts';

export type Mode = SentSheet['mode'];

/** In which modes people send one file, one after another. */
export function modesOf(random: Random, isOfRegistrations: boolean): Mode[] {
  const all = weighted<Mode[]>(random, [
    [['submit'], 4],
    [['submit', 'submit'], 2],
    [['check', 'submit'], 4],
    [['check'], 1],
    [['draft'], 2],
    [['draft', 'draft', 'submit'], 1],
    [['check', 'draft'], 1],
  ]);
  return isOfRegistrations ? all : all.map((mode) => (mode === 'draft' ? 'submit' : mode));
}

/** Sends one file in each of the modes. */
export async function sendSheet(
  world: World,
  by: Person,
  operation: string,
  eventId: number,
  sheet: Sheet,
  modes: readonly Mode[],
): Promise<void> {
  for (const mode of modes) await world.call(by, operation, requestOf(eventId, sheet, mode));
}

/** Sends one file in two tabs at once. */
export async function raceSheet(world: World, by: Person, operation: string, eventId: number, sheet: Sheet): Promise<void> {
  await world.race([1, 2].map(() => ({ by, operation, call: requestOf(eventId, sheet, 'submit') })));
}

/** The body is what the auditor reads; the client sends the file. */
function requestOf(id: number, { bytes, says }: Sheet, mode: Mode) {
  return { params: { id }, body: { mode, ...says }, file: { bytes, name: 'list.csv', fields: { mode } } };
}
