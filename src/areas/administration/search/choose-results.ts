/** The kinds of results, in their order (ADM-9). */
export const searchKinds = [
  'user',
  'profile',
  'application',
  'document',
  'event',
  'registration',
  'contract',
  'invoice',
  'incident',
  'contact_message',
  'process',
  'request',
] as const;

/** A record that a search has found. */
export interface Found {
  kind: (typeof searchKinds)[number];
  id: number | string;
  /** Its name, number or title. */
  title: string;
  /** What tells it from others of the same title. */
  subtitle: string;
  /** Path below `/api/v1`, of a kind without changes of its own. */
  path?: string;
}

export const mostResults = 20;

/**
 * Chooses the results of a search by kind, in a kind exact matches first (ADM-9). Where there are too many, exact matches go before others
 * and the kinds take turns, so that no kind displaces another.
 * @param exact records that have all words whole, each kind in its order
 * @param others records that have the words in some other way; those of `exact` are left out
 */
export function chooseResults(exact: readonly Found[], others: readonly Found[]): Found[] {
  const known = new Set(exact.map(nameOf));
  const further = others.filter((found) => !known.has(nameOf(found)));
  const chosen = [...takeTurns(exact), ...takeTurns(further)].slice(0, mostResults);
  const isChosen = new Set(chosen.map(nameOf));
  const shown = [...exact, ...further].filter((found) => isChosen.has(nameOf(found)));
  return searchKinds.flatMap((kind) => shown.filter((found) => found.kind === kind));
}

function takeTurns(found: readonly Found[]): Found[] {
  const ofKinds = searchKinds.map((kind) => found.filter((one) => one.kind === kind));
  return found.flatMap((_, turn) => ofKinds.flatMap((ofKind) => ofKind[turn] ?? []));
}

function nameOf({ kind, id }: Found): string {
  return `${kind}/${id}`;
}
