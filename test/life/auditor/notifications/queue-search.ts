import { createRandom } from '../../../support/random.ts';
import type { Profile } from '../applications/application-records.ts';
import { profileOfRecord } from '../accounts/records.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';

interface Row {
  kind: string;
  id: number;
}

const searched: ReadonlySet<string> = new Set(['profile', 'photo', 'document', 'application']);
const folds: Readonly<Record<string, string>> = { ё: 'е', ә: 'а', ғ: 'г', қ: 'к', ң: 'н', ө: 'о', ұ: 'у', ү: 'у', һ: 'х', і: 'и' };

/** A text as searches see it (REV-3). */
export const folded = (text: string): string => [...text.toLowerCase()].map((letter) => folds[letter] ?? letter).join('');

/** A search by words in another order and other letters, or by a number, finds the rows of the profile and no others (REV-3). */
export async function askSearch({ model, listed, same }: Inquiry, rows: readonly Row[], profileId: number): Promise<void> {
  const profile = model.profiles.get(profileId);
  if (!profile) return;
  const name = nameOf(profile).split(' ');
  const numbers = [...numbersOf(model, profileId), ...iinOf(profile)];
  const random = createRandom(profileId + rows.length);
  const upper = name.map((word) => word.toUpperCase());
  const words = random.pick([name.toReversed(), upper.toReversed(), name.map(folded), ...numbers.map((number) => [number])]);
  const found = await listed<Row>('GET /admin/queue', `?q=${encodeURIComponent(words.join(' '))}`);
  const isFound = ({ kind, id }: Row) => {
    const text = textOf(model, profileOfRecord(model, kind, id));
    return searched.has(kind) && words.every((word) => text.includes(folded(word)));
  };
  const placesOf = (list: readonly Row[]) => list.map(({ kind, id }) => `${kind} ${id}`);
  same(
    `the queue's search of ${words.join(' ')} finds what has these words (REV-3)`,
    placesOf(rows.filter(isFound)),
    placesOf(found.filter(({ kind }) => searched.has(kind))),
  );
}

function nameOf({ fields }: Profile): string {
  const parts = ['last_name', 'first_name', 'middle_name', 'organization_name'].map((field) => fields[field]);
  return parts.filter((part) => typeof part === 'string').join(' ');
}

const iinOf = ({ fields: { iin } }: Profile): string[] => (typeof iin === 'string' ? [iin] : []);

function numbersOf({ applications }: Model, profileId: number): string[] {
  return [...applications.values()].flatMap((one) => (one.profileId === profileId && one.certificate ? [one.certificate.number] : []));
}

function textOf(model: Model, profileId: number | null): string {
  const profile = model.profiles.get(profileId ?? 0);
  if (!profile) return '';
  const email = model.accounts.get(profile.ownerId)?.email ?? '';
  return folded([nameOf(profile), ...iinOf(profile), email, ...numbersOf(model, profile.id)].join(' '));
}
