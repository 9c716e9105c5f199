import { useLocation, useNavigate } from '@tanstack/react-router';

/** The filters of a list are its address, so that it can be sent and opened again. */
export type Filters<Name extends string> = Partial<Record<Name, string>>;

/** Keeps the named parameters of an address that have a value. */
export function filtersOf<const Name extends string>(...names: Name[]): (search: Record<string, unknown>) => Filters<Name> {
  return (search) => {
    const kept = names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    });
    return Object.fromEntries(kept) as Filters<Name>;
  };
}

/** The filters of the page, a change of some of them, and what the field of one needs; another filter starts at the first page. */
export function useFilters<Name extends string>() {
  const filters = useLocation().search as Filters<Name>;
  const navigate = useNavigate();
  const change = (changes: Partial<Record<Name, string | null>>) => {
    // Of the newest address: another filter may have changed it since the last render.
    const next = ({ page: _page, ...others }: Record<string, string>) =>
      Object.fromEntries(Object.entries({ ...others, ...changes }).filter(([, value]) => value !== null && value !== ''));
    void navigate({ to: '.', search: next as never, replace: true });
  };
  const field = (name: Name) => ({ value: filters[name], onChange: (value: string | null) => change({ [name]: value } as typeof filters) });
  return [filters, change, field] as const;
}

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '');
  const text = new URLSearchParams(given).toString();
  return text === '' ? '' : `?${text}`;
}

/** The filter as one of the values that the API knows; an address may have another. */
export function oneOf<const Choice extends string>(choices: readonly Choice[], value: string | undefined): Choice | undefined {
  return choices.find((choice) => choice === value);
}

/** The number of a page in an address; the first one for what is no number. */
export function pageOf(page: string | undefined): number {
  const number = Number(page);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

/** Leaves out what is undefined, for the query of a read. */
export function given<Values extends object>(values: Values): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
