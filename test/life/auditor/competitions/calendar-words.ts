import type { Model } from '../model.ts';
import type { Event } from './competition-records.ts';

/** Letters that a search reads as the Russian ones that people type instead (REV-3). */
const folds: Readonly<Record<string, string>> = { ә: 'а', ғ: 'г', қ: 'к', ң: 'н', ө: 'о', ұ: 'у', ү: 'у', һ: 'х', і: 'и', ё: 'е' };

const wordsIn = (text: string): string[] => [...foldedOf(text).matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => word);

const foldedOf = (text: string) => [...text.normalize('NFC').toLowerCase()].map((letter) => folds[letter] ?? letter).join('');

/** Words of the place, of the organization, and of title and place together, in another order than on the page (EVT-11). */
export function searchesFor(model: Model, event: Event): string[][] {
  const lastOf = (text: string) => wordsIn(text).slice(-1);
  const organization = model.organizers.get(event.profileId)?.organization ?? '';
  const searches = [lastOf(event.location), lastOf(organization), [...lastOf(event.location), ...lastOf(event.title)]];
  return searches.filter((words) => words.length > 0);
}

/** Whether each word begins one of the event's title, its place or its organization. */
export function hasWords(model: Model, { title, location, profileId }: Event, words: readonly string[]): boolean {
  const known = wordsIn(`${title} ${location} ${model.organizers.get(profileId)?.organization ?? ''}`);
  return words.every((word) => known.some((one) => one.startsWith(word)));
}

export const queryOf = (words: readonly string[]): string => encodeURIComponent(words.join(' '));
