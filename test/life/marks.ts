import { checkDigitOf } from './auditor/applications/iin.ts';
import type { Call } from './world.ts';

/** Texts that are found in one record alone, so that the auditor sees where they come to light. */

const consonants = [...'бвгджзклмнпрст'];
const vowels = [...'аеиоу'];
const syllables = consonants.flatMap((consonant) => vowels.map((vowel) => consonant + vowel));

/** A word for a name; equal numbers make equal words. */
export function wordOf(number: number): string {
  const word = [number / syllables.length, number, number * 3 + 1, number * 7 + 5]
    .map((place) => syllables[Math.floor(place) % syllables.length])
    .join('');
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** An individual identification number of twelve digits with its checksum (PRO-4). */
export function iinOf(birthDate: string, number: number): string {
  const day = birthDate.slice(2).replaceAll('-', '');
  for (let order = number; ; order += 1) {
    const digits = `${day}${String(30_000 + (order % 10_000))}`;
    const last = checkDigitOf(digits);
    if (last !== null) return `${digits}${last}`;
  }
}

/** Fields that a person writes freely. */
const written = ['note', 'reason', 'message'] as const;
const longest = 3000;

/** Adds to what a person writes which record it is about. Equal requests stay equal; texts that the rules refuse stay as they are. */
export function withMarks(operation: string, call: Call): Call {
  const { body } = call;
  if (typeof body !== 'object' || body === null || call.headers?.['idempotency-key'] !== undefined) return call;
  const fields = body as Record<string, unknown>;
  const { id: ofBody, kind } = fields;
  const id = call.params?.['registration_id'] ?? call.params?.['id'] ?? ofBody;
  if (typeof id !== 'number' && typeof id !== 'string') return call;
  const [, family = ''] = /\/(\w+)/.exec(operation.replace('/admin/', '/')) ?? [];
  const mark = ` (${typeof kind === 'string' ? kind : family} ${id})`;
  const marked = written.flatMap((name) => {
    const text = fields[name];
    if (typeof text !== 'string') return [];
    const points = [...text];
    // A text at its limits keeps its length (REV-1).
    if ([...text.trim()].length <= 5 || points.length > longest) return [];
    return [[name, points.slice(0, longest - mark.length).join('') + mark] as const];
  });
  return marked.length === 0 ? call : { ...call, body: { ...fields, ...Object.fromEntries(marked) } };
}
