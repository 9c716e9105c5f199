import type { Exchange } from '../exchange.ts';

/** Fields of requests that hold something of a person, or what a person wrote. */
const privateFields: ReadonlySet<string> = new Set([
  'last_name',
  'first_name',
  'middle_name',
  'birth_date',
  'iin',
  'phone',
  'address',
  'legal_address',
  'director_name',
  'email',
  'number',
  'note',
  'reason',
  'message',
  'password',
]);

const shortest = 5;
/** A day of birth from here on is a day of the life too, which rows hold for other reasons. */
const firstDayOfLives = '2027-01-01';

/** What a request holds of a person, at any depth of its body; short texts would be found by chance. */
export function privateTextsOf({ body }: Pick<Exchange, 'body'>): string[] {
  return textsIn(body);
}

function textsIn(value: unknown, field = ''): string[] {
  if (typeof value === 'string') return isPrivate(field, value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(item, field));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, name));
}

function isPrivate(field: string, text: string): boolean {
  if (field === 'birth_date' && text >= firstDayOfLives) return false;
  return privateFields.has(field) && text.length >= shortest;
}
