import { QueryClient, queryOptions } from '@tanstack/react-query';
import type { MaybeOptionalInit } from 'openapi-fetch';
import type { paths, RegistryClient } from '../../../client/src/index.ts';
import { setRegistryClock } from './clock.ts';
import { isSessionOver, registry } from './registry.ts';

const freshMs = 10_000;

/**
 * What was read, by path and parameters. The client repeats what may succeed, so that a query fails once. Without a network a read and a
 * write fail with a sentence (`always`), instead of waiting in silence.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: freshMs,
      networkMode: 'always',
      refetchOnReconnect: true,
      throwOnError: (error, { state }) => state.data === undefined && !isSessionOver(error),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

type ReadPath = Parameters<RegistryClient['GET']>[0];
type Init<Path extends ReadPath> = MaybeOptionalInit<paths[Path], 'get'>;
type Answer<Path extends ReadPath> = Awaited<ReturnType<typeof registry.GET<Path, Init<Path>>>>;

/** A read of the API for `useQuery`: its key is its path with its parameters. */
export function read<Path extends ReadPath>(path: Path, init?: Init<Path>) {
  return queryOptions({
    queryKey: [path, init ?? {}],
    queryFn: ({ signal }) => registry.GET(path as never, { ...init, signal } as never) as Promise<Answer<Path>>,
  });
}

/** The totals; each read sets the clock of the desk. */
export const overviewQuery = queryOptions({
  ...read('/admin/overview'),
  queryFn: async ({ signal }) => {
    const answer = await registry.GET('/admin/overview', { signal });
    setRegistryClock(answer.data.at);
    return answer;
  },
});

/** Reads again what is on the screen; the session is read by itself. */
export function reread(): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== '/session' });
}
